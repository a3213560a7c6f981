/** Keeps what a command says, so that it can be said later, once, or for several hosts together. */

import { Writable } from 'node:stream';
import { type Io, ioWith } from '../../io/io.ts';

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
  return { io: ioWith(io, { stderr }), said };
}
