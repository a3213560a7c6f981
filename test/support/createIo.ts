import { imageEnv } from './agentImage.ts';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../src/io/io.ts';

/** An `Io` for tests: without input and environment, its output is discarded. */
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
