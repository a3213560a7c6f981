/** An `Io` for functions that tests call directly. */

import { Readable, Writable } from 'node:stream';
import type { Io } from '../../src/io/io.ts';
import { imageEnv } from './agentImage.ts';

/** Without input, and with nothing but the image of the agent in its environment; its output is discarded. */
export function createIo(changes: Partial<Io> = {}): Io {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    env: imageEnv,
    cwd: process.cwd(),
    programName: 'ironic-coreos',
    ...changes,
  };
}
