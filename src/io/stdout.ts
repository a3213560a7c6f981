/** Data to standard output: waits for the reader, and takes its going away for an end, not for an error. */

import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { CliError } from '../core/errors.ts';
import { errorCode } from './files/fileErrors.ts';
import { writeAllNow } from './files/handles.ts';
import type { Io, Output } from './io.ts';
import { streamError } from './files/streamErrors.ts';

/** @throws CliError where binary data would go to a terminal */
export function refuseTerminal({ stdout }: Pick<Io, 'stdout'>): void {
  if (stdout.isTTY !== true) return;
  throw new CliError('Refusing to write binary data to terminal', {
    hint: 'redirect standard output to a file or a pipe, or use -o FILE',
  });
}

/** A failed write is reported by its callback; without a listener it would also end the program as an uncaught error. */
const ignore = (): void => undefined;

/** Writes all chunks in order; ends early, and quietly, when the reader has gone. */
export async function writeStdout(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  stdout.on('error', ignore);
  try {
    for await (const chunk of chunks) {
      if ((await writeChunk(stdout, chunk)) === 'reader gone') return;
    }
  } finally {
    stdout.off('error', ignore);
  }
}

/**
 * The same for chunks that are only lent until the next one is asked for. What the system has taken is copied; a stream
 * inside this process may keep what it is given, and gets a copy.
 */
export async function writeLentToStdout(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await writeStdout({ stdout }, 'fd' in stdout ? chunks : copiesOf(chunks));
}

async function* copiesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** Standard output that has taken everything when `write` returns, without a turn of the event loop. */
export interface DirectStdout {
  /** @throws CliError for any failure but a reader that has gone */
  readonly write: (bytes: Uint8Array) => 'written' | 'reader gone';
  /** Bytes that are best written at once. */
  readonly blockSize: number;
  readonly close: () => void;
}

/** What a pipe holds on Linux: more would be written in several steps, and be out of the caches of the processor. */
const PIPE_SIZE = 64 * 1024;
const FILE_BLOCK = 1024 * 1024;

/**
 * Undefined where standard output is neither a file nor a pipe of the system. Node has told a pipe not to let anybody
 * wait, also those who share it; opened anew, it does.
 */
export function openDirectStdout({ stdout }: Pick<Io, 'stdout'>): DirectStdout | undefined {
  if (!('fd' in stdout) || typeof stdout.fd !== 'number' || stdout.writableLength > 0) return undefined;
  const { fd } = stdout;
  const stats = fstatSync(fd);
  if (stats.isFile() || stats.isBlockDevice()) {
    return { write: (bytes) => writeNow(fd, bytes), blockSize: FILE_BLOCK, close: () => undefined };
  }
  const pipe = stats.isFIFO() ? openAnew(fd) : undefined;
  if (pipe === undefined) return undefined;
  return { write: (bytes) => writeNow(pipe, bytes), blockSize: PIPE_SIZE, close: () => closeSync(pipe) };
}

/** Undefined where there is no such file system, or the pipe belongs to another user. */
function openAnew(fd: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY);
  } catch {
    return undefined;
  }
}

function writeNow(fd: number, bytes: Uint8Array): 'written' | 'reader gone' {
  try {
    writeAllNow(fd, bytes, null);
    return 'written';
  } catch (error) {
    if (isReaderGone(error)) return 'reader gone';
    throw toError(error);
  }
}

function writeChunk(stdout: Output, chunk: Uint8Array): Promise<'written' | 'reader gone'> {
  return new Promise((resolve, reject) => {
    stdout.write(chunk, (error) => {
      if (error === null || error === undefined) resolve('written');
      else if (isReaderGone(error)) resolve('reader gone');
      else reject(toError(error));
    });
  });
}

function isReaderGone(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(errorCode(error) ?? '');
}

function toError(error: unknown): Error {
  const described = streamError(error, 'write to standard output');
  return described instanceof Error ? described : new Error(String(described));
}
