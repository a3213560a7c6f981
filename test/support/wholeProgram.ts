/** The program with all commands, options and values declared. */

import { PassThrough, Readable } from 'node:stream';
import type { Command } from 'commander';
import { declareCommands } from '../../src/cli/commands.ts';

export function wholeProgram(): Command {
  const io = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
    cwd: '/',
    programName: 'ironic-coreos',
  };
  const chosen = { level: 'usual', color: 'auto', ignored: [] } as const;
  return declareCommands({
    io,
    args: 'unknown',
    finish: () => undefined,
    print: () => undefined,
    chosen: { ...chosen },
  });
}
