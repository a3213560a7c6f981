/** The program with all commands, options and values declared. */

import { PassThrough, Readable } from 'node:stream';
import type { Command } from 'commander';
import { declareCommands } from '../../src/cli/commands.ts';

const io = {
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  programName: 'ironic-coreos',
};

const program = await declareCommands({
  io,
  args: 'unknown',
  finish: () => undefined,
  print: () => undefined,
  chosen: { level: 'usual', color: 'auto', ignored: [] },
});

export function wholeProgram(): Command {
  return program;
}
