/**
 * The entry point of the command line: declares the commands, runs one of them, and turns errors into text and an exit
 * code. Commands load their code only when they run.
 */

import { type Command, CommanderError } from 'commander';
import { ComparisonError, UsageError } from '../core/errors.ts';
import { type ExitCode, type Io, ioWith } from '../io/io.ts';
import { ReadFiles } from '../io/files/readFiles.ts';
import { programNameOf } from '../io/files/platform.ts';
import { ownProcess } from '../io/process.ts';
import { processIo } from '../io/processIo.ts';
import { writeStdout } from '../io/stdout.ts';
import { explainUsageError, usageLine } from './arguments.ts';
import { createProgram } from './commands.ts';
import type { OutputChoice } from '../io/report/outputChoice.ts';
import { paintFor } from '../io/report/colors.ts';
import { describeError } from '../io/report/report.ts';
import { printable } from '../core/foreignText.ts';

/** Runs the program for `argv` as Node gives it (interpreter, script, arguments); never throws, never exits. */
export async function main(argv: readonly string[], streams: Io = startProgram(argv[1])): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  let printed = '';
  const print = (text: string): void => void (printed += text);
  const chosen: OutputChoice = { level: 'usual', color: 'auto', ignored: [] };
  const io = ioWith(streams, { inputs: new ReadFiles() });
  const program = createProgram({ io, print, finish, chosen, enter: (command) => (entered = command) });
  let entered: Command = program;
  program.hook('preAction', async () => {
    if (chosen.ignored.length === 0) return;
    const { parseIgnoredRules } = await import('../io/report/ignored.ts');
    chosen.ignored = parseIgnoredRules(chosen.ignored);
  });
  try {
    try {
      await program.parseAsync(argv.slice(2), { from: 'user' });
    } finally {
      if (printed !== '') await writeStdout(io, [Buffer.from(printed)]);
    }
    return exitCode;
  } catch (error) {
    return await reportError(error, entered, chosen, streams);
  }
}

function startProgram(path: string | undefined): Io {
  ownProcess();
  return processIo({ programName: programNameOf(path ?? 'ironic-coreos'), programPath: path });
}

/** Prints the error and returns the exit code. `--quiet` does not suppress the usage line. */
async function reportError(
  error: unknown,
  command: Command,
  chosen: OutputChoice,
  { stderr, env }: Io,
): Promise<ExitCode> {
  const paint = paintFor(stderr, chosen, env);
  if (error instanceof CommanderError) {
    if (error.code.startsWith('commander.help') || error.exitCode === 0) return error.exitCode === 0 ? 0 : 2;
    const text = (await explainUsageError(error.message.replace(/^error: /, ''), command)).trimEnd();
    const lines = text.split('\n').map(printable); // they quote the command line
    stderr.write(`${paint('error', 'error')}: ${lines.join('\n')}\n${usageLine(command)}`);
    return 2;
  }
  const isUsage = error instanceof UsageError;
  stderr.write(describeError(error, chosen.level, paint) + (isUsage ? usageLine(command) : ''));
  return isUsage || error instanceof ComparisonError ? 2 : 1;
}
