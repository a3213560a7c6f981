/** The streams, the environment and the folder of this process. */

import type { Io } from './io.ts';
import { openOutput } from './stdout.ts';

/** @param program its name and, if it was started by a command line, its path */
export function processIo(program: Pick<Io, 'programName' | 'programPath'>): Io {
  return {
    get stdin() {
      return process.stdin; // opening it takes time, and few commands read it
    },
    stdout: openOutput('stdout'),
    stderr: openOutput('stderr'),
    env: { ...process.env }, // a copy: each access to the original asks the system
    cwd: process.cwd(),
    ...program,
  };
}
