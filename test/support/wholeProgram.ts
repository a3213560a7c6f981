/** The program with all commands, options and values declared. */

import { PassThrough, Readable } from 'node:stream';
import type { Option } from 'commander';
import { createProgram } from '../../src/cli/commands.ts';
import { DeclaredOption, ProgramCommand } from '../../src/cli/program.ts';

const io = {
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  programName: 'ironic-coreos',
};

const program = createProgram({
  io,
  enter: () => undefined,
  finish: () => undefined,
  print: () => undefined,
  chosen: { level: 'usual', color: 'auto', ignored: [] },
});
await declareAll(program);

async function declareAll(command: ProgramCommand): Promise<void> {
  await command.declare();
  for (const child of command.commands) if (child instanceof ProgramCommand) await declareAll(child);
}

export function wholeProgram(): ProgramCommand {
  return program;
}

/** The command and all commands below it that are in the help. */
export function withDescendants(command: ProgramCommand): readonly ProgramCommand[] {
  return [command, ...command.children.flatMap(withDescendants)];
}

/** The options of a command that are in its full help. */
export function allOptions(command: ProgramCommand): readonly DeclaredOption[] {
  const options = command.printAll().createHelp().visibleOptions(command);
  return options.filter((option) => option instanceof DeclaredOption);
}

/** The values of an option with a fixed set of values. */
export function choicesOf(option: Option): readonly string[] | undefined {
  const completion = option instanceof DeclaredOption ? option.declared.value?.completion : undefined;
  return typeof completion === 'string' ? undefined : completion;
}
