/** What the declaration of a command needs besides the program. */

import type { ExitCode, Io } from '../io/io.ts';

export interface Context {
  /** Streams and surroundings to hand on to the command. */
  readonly io: Io;
  /** Takes the exit code of the command that ran. */
  finish(code: ExitCode): void;
}
