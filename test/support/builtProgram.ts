/** The program as a process of its own, for tests that kill it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { program } from './packageFolder.ts';

export interface BuiltProgram {
  /** What starts it, before its arguments. */
  readonly command: readonly string[];
  readonly start: (args: readonly string[], cwd: string) => ChildProcess;
  readonly remove: () => Promise<void>;
}

export async function buildProgram(): Promise<BuiltProgram> {
  return {
    command: [process.execPath, program],
    start: (args, cwd) =>
      spawn(process.execPath, [program, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] }),
    remove: async () => {},
  };
}
