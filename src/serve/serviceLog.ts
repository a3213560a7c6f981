/** What a service has to say: to a person as remarks, as every command does; to a program in the lines of its log. */

import { CliError, UsageError } from '../core/errors.ts';
import { type ExitCode, type Io, ioWith } from '../io/io.ts';
import type { ServerLog } from './http/serverLog.ts';
import { printable } from '../io/report/printable.ts';
import { parseRemarks } from '../io/report/remark.ts';
import { collectTalk } from '../hosts/run/collectTalk.ts';

/** A log, and whether it is for programs. */
export interface LogTarget {
  readonly log: ServerLog;
  readonly form: 'json' | 'text';
}

/**
 * Runs a step that tells things on standard error, or why it does what it does. Where the log is for programs, they
 * become lines of it.
 * @param form of the log
 */
export async function withTalk<T>(
  { io, log, form }: LogTarget & { readonly io: Io },
  step: (io: Io) => Promise<T>,
): Promise<T> {
  if (form === 'text') return step(io);
  const { io: quiet, said } = collectTalk(withNotes(io, { log, form }));
  try {
    return await step(quiet);
  } finally {
    for (const { severity, message, hint } of parseRemarks(said.join('')))
      log.note(severity, 'check', { message, hint });
  }
}

/** The same `io`; where the log is for programs, notes become lines of it, if anybody wants them. */
export function withNotes(io: Io, { log, form }: LogTarget): Io {
  if (io.note === undefined || form === 'text') return io;
  const note = (text: string): void => log.note('info', 'note', { message: printable(text) });
  return ioWith(io, { note });
}

/** What a service is run for. */
export interface ServiceSteps<S> {
  /** Reads the command line and the files that it names. */
  readonly read: (io: Io) => Promise<S>;
  /** Runs until the service ends. */
  readonly run: (setup: S) => Promise<ExitCode>;
}

/**
 * Runs a service. Where the log is for programs, what ends it is a line of the log as well.
 * @throws UsageError for a command line that is invalid, as nothing has begun; where the log is for people, any error
 */
export async function runService<S>(
  target: LogTarget & { readonly io: Io },
  { read, run }: ServiceSteps<S>,
): Promise<ExitCode> {
  let setup: S;
  try {
    setup = await withTalk(target, read);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return logFailure(error, target);
  }
  return loggingFailure(target, () => run(setup));
}

/** @throws what the step throws, where the log is for people */
export async function loggingFailure(target: LogTarget, step: () => Promise<ExitCode>): Promise<ExitCode> {
  return step().catch((error: unknown) => logFailure(error, target));
}

function logFailure(error: unknown, { log, form }: LogTarget): ExitCode {
  if (form === 'text') throw error;
  log.note('error', error instanceof CliError ? 'failed' : 'defect', describeError(error));
  return error instanceof UsageError ? 2 : 1;
}

/** For a line of the log: of a defect, with the place in the program. */
function describeError(error: unknown): { readonly message: string; readonly hint?: string | undefined } {
  if (error instanceof CliError) return { message: printable(error.message), hint: error.hint };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
