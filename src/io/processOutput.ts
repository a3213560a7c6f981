/**
 * Standard output and standard error. Those of Node are streams, and for pipes sockets: to load these takes longer than
 * most commands do. They are used for terminals only; anything else is written to directly, and waits as they would.
 */

import { EventEmitter } from 'node:events';
import { fstatSync, statSync, writeSync } from 'node:fs';
import { errorCode } from './files/fileErrors.ts';
import type { Output } from './io.ts';

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * One of the two. The callback of a write gets its error, and nothing else does: `writeStdout` reports it for data, and a
 * message that cannot be written to standard error must not change how the program ends.
 */
export function openOutput(name: keyof typeof DESCRIPTORS): Output {
  const fd = DESCRIPTORS[name];
  if (!mayBeTerminal(fd)) return directOutput(fd);
  const stream = process[name];
  stream.on('error', () => undefined);
  return stream;
}

/** What this program does with a stream that is no terminal: it is not one to pipe into. */
export function directOutput(fd: number): Output {
  const output: unknown = new DirectOutput(fd);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a stream is what takes time to load
  return output as Output;
}

/** For Node to tell what terminals are, it loads sockets. */
function mayBeTerminal(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

type Callback = (error?: Error | null) => void;

class DirectOutput extends EventEmitter {
  readonly fd: number;

  constructor(fd: number) {
    super();
    this.fd = fd;
  }

  write(chunk: string | Uint8Array, callback?: Callback): boolean {
    let problem: unknown = null;
    try {
      writeAll(this.fd, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    } catch (error) {
      problem = error;
    }
    if (callback !== undefined) process.nextTick(callback, problem);
    return true;
  }
}

/** A pipe that others have set not to block is full at times. */
function writeAll(fd: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MILLISECONDS);
    }
  }
}

const RETRY_MILLISECONDS = 2;
