/**
 * Reads that may never end: of a pipe to which no program writes, or of a network file system that does not answer. Node reads
 * files in four threads, and a thread that waits for the system cannot be stopped.
 */

import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CliError } from '../../core/errors.ts';
import { formatCount } from '../../formats/messageText.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { limitTime } from '../clock.ts';
import type { Io } from '../io.ts';

/** Files that have not answered in time, as the user named them. */
const stuck = new Set<string>();

/** The other threads are for the files that are served. */
const MOST_STUCK = 2;

/**
 * The result of `read`, whose signal is aborted when the time of `io` is over, or its signal is aborted.
 * @throws CliError if the read has not ended then, or an earlier read of the same file still has not
 */
export async function inTime<T>(
  path: string,
  { readTime, signal }: Pick<Io, 'readTime' | 'signal'>,
  read: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (readTime === undefined) return read(signal);
  const before = stuck.has(path) ? path : stuck.size < MOST_STUCK ? undefined : [...stuck].join(' and ');
  if (before !== undefined) throw noAnswer(`${before}: an earlier read has not ended yet`, before);
  const limit = limitTime(readTime, { signal });
  const ended = new Promise<never>((_resolve, reject) => {
    limit.signal.addEventListener('abort', () => {
      stuck.add(path);
      const time = formatCount(Math.ceil(readTime / 1000), 'second');
      reject(signal?.aborted === true ? signal.reason : noAnswer(`${path}: not read after ${time}`, path));
    });
  });
  const reading = read(limit.signal);
  const release = (): void => {
    limit.release();
    stuck.delete(path);
  };
  reading.then(release, release);
  return Promise.race([ended, reading]);
}

function noAnswer(message: string, path: string): CliError {
  return new CliError(message, {
    code: 'ERR_FILE_READ',
    hint: `use a regular file on a file system that answers: timeout 5 wc -c ${quoteShellWord(path)}`,
  });
}

/** Whether a read that was given up still occupies a thread: the process cannot exit before it ends. */
export async function hasStuckReads(): Promise<boolean> {
  await nextTurn(); // what can be canceled has ended then
  return stuck.size > 0;
}

/** The bytes of a named pipe, or of one of the shell: `<(…)`. No thread waits for the program that writes to it. */
export function openPipe(path: string, signal?: AbortSignal): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false, ...(signal !== undefined && { signal }) });
}
