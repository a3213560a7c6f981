/** Keeps what a command says, so that it can be said later, once, or for several hosts together. */

import { Writable } from 'node:stream';
import type { Io } from '../../io/io.ts';

/** The same `io`, except that standard error goes into `said`. */
export function collectTalk(io: Io): { readonly io: Io; readonly said: readonly string[] } {
  const said: string[] = [];
  const stderr = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      said.push(text);
      done();
    },
  });
  const { env, cwd, ignored = [], note, programName, stdout } = io;
  const quiet: Io = {
    get stdin() {
      return io.stdin; // opening it takes time
    },
    stderr,
    stdout,
    env,
    cwd,
    programName,
    note,
    ignored,
  };
  return { io: quiet, said };
}
