/** What the declaration of a command needs besides the program. */

import type { OutputChoice } from '../report/logLevel.ts';
import type { ExitCode, Io } from '../io.ts';

export interface Context {
  /** Streams and surroundings to hand on to the command. */
  readonly io: Io;
  /** The arguments of what is declared; where they are not known, all is declared. */
  readonly args: readonly string[] | 'unknown';
  /** Takes what commander prints on standard output: help, and the version. It is written once the command line is read. */
  readonly print: (text: string) => void;
  /** Takes the exit code of the command that ran. */
  finish(code: ExitCode): void;
  /** Takes what the global options say; without, there are none. */
  readonly chosen?: OutputChoice;
}
