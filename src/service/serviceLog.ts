/** The messages of a service: as text for users, as for every command, or as events of its JSON log for programs. */

import { type Diagnostic, diagnosticOf, formatPath } from '../core/finding.ts';
import { CliError, UsageError } from '../core/errors.ts';
import { type ExitCode, type Io, ioWith } from '../io/io.ts';
import { createServerLog, type LogFields, type ServerLog } from '../http/server/serverLog.ts';
import { printable } from '../core/foreignText.ts';

/** A log and its format: `json` is for programs. */
export interface LogTarget {
  readonly log: ServerLog;
  readonly form: 'json' | 'text';
}

/** The log on standard error; with `--quiet`, only its errors. */
export function openLog(
  { errors, stderr }: Pick<Io, 'errors' | 'stderr'>,
  form: LogTarget['form'],
): ServerLog {
  const log = createServerLog(errors ?? stderr, form);
  if (errors === undefined) return log;
  return {
    request: (event) => {
      if (event.status >= 500) log.request(event);
    },
    note: (level, event, fields) => {
      if (level === 'error') log.note(level, event, fields);
    },
  };
}

function fieldsOf({ at, code, hint, host, message, path, rule }: Diagnostic): LogFields {
  return {
    message: printable(message),
    hint: hint && printable(hint),
    rule,
    code,
    ...(at ?? host?.at),
    path: path && formatPath(path),
    host: host?.name,
  };
}

/** The same `io`. With a JSON log, diagnostics and `--verbose` notes become events of the log. */
export function withLog(io: Io, { log, form }: LogTarget): Io {
  if (form === 'text') return io;
  const report: Io['report'] = (diagnostics) => {
    for (const diagnostic of diagnostics) log.note(diagnostic.severity, 'message', fieldsOf(diagnostic));
  };
  const note = (text: string): void => log.note('info', 'note', { message: printable(text) });
  return ioWith(io, { report, isQuiet: true, ...(io.note !== undefined && { note }) });
}

/**
 * Runs a service. With a JSON log, an error that ends the service is an event of the log.
 * @param read reads the command line and the files that it names
 * @param run runs until the service stops
 * @throws UsageError for an invalid command line; with a text log, any error
 */
export async function runService<S>(
  target: LogTarget,
  read: () => Promise<S>,
  run: (setup: S) => Promise<ExitCode>,
): Promise<ExitCode> {
  let setup: S;
  try {
    setup = await read();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return logFailure(error, target);
  }
  return loggingFailure(target, () => run(setup));
}

/** @throws with a text log, any error of the step */
export async function loggingFailure(target: LogTarget, step: () => Promise<ExitCode>): Promise<ExitCode> {
  return step().catch((error: unknown) => logFailure(error, target));
}

function logFailure(error: unknown, { log, form }: LogTarget): ExitCode {
  if (form === 'text') throw error;
  if (error instanceof CliError) log.note('error', 'failed', fieldsOf(diagnosticOf(error)));
  else {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.note('error', 'internal error', { message, code: 'ERR_INTERNAL' });
  }
  return error instanceof UsageError ? 2 : 1;
}
