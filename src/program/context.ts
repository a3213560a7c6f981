/** What the declaration of a command needs besides the program. */

import type { ExitCode, Io } from '../io/io.ts';

export interface Context {
  /** Streams and surroundings to hand on to the command. */
  readonly io: Io;
  /** The arguments of what is declared; where they are not known, all is declared. */
  readonly args: readonly string[] | 'unknown';
  /** Takes the exit code of the command that ran. */
  finish(code: ExitCode): void;
}
