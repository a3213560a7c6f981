/**
 * Standard output and standard error. Data to standard output waits for the reader; a reader that has gone is an end, not
 * an error. Node's own streams are used for terminals only: for pipes they are sockets, and loading these takes longer than
 * most commands do. Anything else is written to directly, and waits as they would.
 */

import { fstatSync, statSync } from 'node:fs';
import { CliError } from '../core/errors.ts';
import { printable } from '../core/foreignText.ts';
import { errorCode, streamError } from './files/fileErrors.ts';
import { writeAllNow } from './files/handles.ts';
import type { Io, Output } from './io.ts';
import { EventEmitter } from 'node:events';

/** @throws CliError if standard output is a terminal */
export function refuseTerminal({ stdout }: Pick<Io, 'stdout'>): void {
  if (stdout.isTTY !== true) return;
  throw new CliError('Refusing to write binary data to terminal', {
    code: 'ERR_USAGE',
    hint: 'redirect standard output to a file or a pipe, or use -o FILE',
  });
}

/** A line with unchanged text for programs, and escaped text for terminals, because an archive may contain any names. */
export function lineForOutput(text: string, { stdout }: Pick<Io, 'stdout'>): Uint8Array {
  return Buffer.from(`${stdout.isTTY === true ? printable(text) : text}\n`);
}

/** A failed write is reported by its callback; without a listener it would also end the program as an uncaught error. */
const ignore = (): void => undefined;

/** Writes all chunks in order; ends early, and quietly, when the reader has gone. */
export async function writeStdout(io: Pick<Io, 'stdout'>, chunks: Chunks): Promise<void> {
  await writeToReader(io, chunks);
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The same for a program that ends with its reader. */
export async function writeToReader(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: Chunks,
): Promise<'written' | 'reader gone'> {
  stdout.on('error', ignore);
  try {
    for await (const chunk of chunks) {
      if ((await writeChunk(stdout, chunk)) === 'reader gone') return 'reader gone';
    }
    return 'written';
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

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * One of the two. The callback of a write gets its error, and nothing else does: `writeStdout` reports it for data, and a
 * message that cannot be written to standard error must not change how the program ends.
 */
export function openOutput(name: keyof typeof DESCRIPTORS): Output {
  const fd = DESCRIPTORS[name];
  // Node loads its socket code to detect terminals, so this check avoids it.
  const stats = fstatSync(fd);
  const mayBeTerminal =
    stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
  if (!mayBeTerminal) return directOutput(fd);
  const stream = process[name];
  stream.on('error', () => undefined);
  return stream;
}

/** What this program does with a stream that is no terminal: it is not one to pipe into. */
export function directOutput(fd: number): Output {
  const write = (chunk: string | Uint8Array, callback?: Callback): boolean => {
    let problem: unknown = null;
    try {
      writeAllNow(fd, typeof chunk === 'string' ? Buffer.from(chunk) : chunk, null);
    } catch (error) {
      problem = error;
    }
    if (callback !== undefined) process.nextTick(callback, problem);
    return true;
  };
  const output: unknown = Object.assign(new EventEmitter(), { fd, write });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of a stream is what takes time to load
  return output as Output;
}

type Callback = (error?: Error | null) => void;
