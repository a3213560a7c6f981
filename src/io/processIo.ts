/** The streams, the environment and the folder of this process. */

import type { Io } from './io.ts';

/** @param program its name and, if it was started by a command line, its path */
export function processIo(program: Pick<Io, 'programName' | 'programPath'>): Io {
  const { stderr, stdout } = process;
  // The callback of a write gets its error: a message that cannot be written does not change how the program ends.
  for (const stream of [stderr, stdout]) stream.on('error', () => undefined);
  return {
    get stdin() {
      return process.stdin; // opening it takes time, and few commands read it
    },
    stdout,
    stderr,
    env: { ...process.env }, // a copy: each access to the original asks the system
    cwd: process.cwd(),
    ...program,
  };
}
