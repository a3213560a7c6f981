/**
 * The command line: builds the command tree, runs one command, and is the only place that turns an error into text and
 * an exit code. Commands load what they need only when they run.
 */

import { CommanderError } from 'commander';
import { ComparisonError, UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { programNameOf } from '../io/files/platformPaths.ts';
import { openOutput } from '../io/processOutput.ts';
import { writeStdout } from '../io/stdout.ts';
import { adaptArguments } from './arguments.ts';
import { declareCommands } from './commands.ts';
import { createTalk, placeGlobalOptions, settleIgnored } from './globalOptions.ts';
import { namedCommand, usageLine } from './usage.ts';
import { describeError, type ErrorDetail } from '../io/report/errorText.ts';

/** Runs the program for `argv` as Node gives it (interpreter, script, arguments); never throws, never exits. */
export async function main(argv: readonly string[], streams: Io = processIo(argv)): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const { io, chosen, detail } = createTalk(streams);
  const { leading, rest, program } = placeGlobalOptions(argv.slice(2), (args) =>
    declareCommands({ io, args, finish, print, chosen }),
  );
  program.hook('preAction', () => settleIgnored(chosen));
  try {
    try {
      await program.parseAsync([...leading, ...adaptArguments(rest, program)], { from: 'user' });
    } finally {
      await writeStdout(
        io,
        printed.map((text) => Buffer.from(text)),
      );
    }
    return exitCode;
  } catch (error) {
    const usage = (): string => usageLine(namedCommand(program, rest));
    return reportError(error, { io, usage, detail: detail() });
  }
}

function processIo(argv: readonly string[]): Io {
  return {
    get stdin() {
      return process.stdin; // opening it takes time, and few commands read it
    },
    stdout: openOutput('stdout'),
    stderr: openOutput('stderr'),
    env: process.env,
    cwd: process.cwd(),
    programName: programNameOf(argv[1] ?? 'ironic-coreos'),
    programPath: argv[1],
  };
}

interface ErrorReport {
  readonly io: Io;
  /** The usage line of the command. */
  readonly usage: () => string;
  readonly detail: ErrorDetail;
}

function reportError(error: unknown, { io, usage, detail }: ErrorReport): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has already said it
  const isUsage = error instanceof UsageError;
  const text = describeError(error, detail);
  io.stderr.write(isUsage ? text + usage() : text);
  return isUsage || error instanceof ComparisonError ? 2 : 1;
}
