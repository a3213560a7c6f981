/** Lines to standard output while a trial runs, one after the other, however fast they come. */

import type { Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';

export interface EventOutput {
  /** Without a line break. */
  readonly write: (line: string) => void;
  /** Resolves when all is written. Throws CliError where that was not possible. */
  readonly close: () => Promise<void>;
}

export function createEventOutput(io: Pick<Io, 'stdout'>): EventOutput {
  let written: Promise<void> = Promise.resolve();
  return {
    write: (line) => {
      written = written.then(() => writeStdout(io, [Buffer.from(`${line}\n`)]));
      written.catch(() => undefined); // told when it is closed
    },
    close: () => written,
  };
}
