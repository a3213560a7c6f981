/**
 * Reads small files of the user as a whole. This file imports only what reading requires, because program start takes a large
 * part of the time of a check.
 */

import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import { closeSync, createReadStream, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { emptyPathError, fileError, stdinChunks } from './fileErrors.ts';
import type { Io } from '../io.ts';
import { sayIfTyped } from '../waiting.ts';
import { openPipe } from './handles.ts';

/** The name of the input in messages, and its size limit. */
export interface Expected {
  /** Begins a sentence, e.g. `Ignition config`. */
  readonly what: string;
  readonly maxBytes: number;
}

/** A whole file; pipes such as `<(…)` work too. `-` is a file name like any other here. */
export async function readUserFile(
  path: string,
  io: Pick<Io, 'cwd' | 'note' | 'inputs' | 'signal'>,
  expected: Expected,
): Promise<Uint8Array> {
  if (path === '') throw emptyPathError(`${expected.what}: the path is empty`);
  const place = resolve(io.cwd, path);
  const limits = { what: path, maxBytes: expected.maxBytes };
  try {
    // Synchronous for files, because other threads take several times as long; but a service has to answer meanwhile.
    const bytes =
      io.signal === undefined && statSync(place).isFile()
        ? readRegularFile(place, limits, io)
        : await readLimited(await openStream(place, io.signal), limits);
    io.note?.(`read ${path} (${formatCount(bytes.length, 'byte')})`);
    return bytes;
  } catch (error) {
    io.signal?.throwIfAborted();
    throw fileError(error, { path, what: expected.what, action: 'read' });
  }
}

/** The name of an input for messages: standard input is `-`. */
export function inputName(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/** The bytes of a file, or of standard input for `-`. @throws CliError */
export function readInput(file: string, io: Io, expected: Expected): Promise<Uint8Array> {
  return file === '-' ? readStdin(io, expected) : readUserFile(file, io, expected);
}

export async function readStdin(
  io: Pick<Io, 'stderr' | 'stdin' | 'note'>,
  expected: Expected,
): Promise<Uint8Array> {
  const limits = { ...expected, what: `${expected.what} on standard input` };
  const bytes = await sayIfTyped(io, expected.what, readLimited(stdinChunks(io.stdin), limits));
  io.note?.(`read standard input (${formatCount(bytes.length, 'byte')})`);
  return bytes;
}

async function openStream(place: string, signal: AbortSignal | undefined): Promise<AsyncIterable<unknown>> {
  const isPipe = (await stat(place)).isFIFO();
  return isPipe ? openPipe(place, signal) : createReadStream(place, { signal });
}

function readRegularFile(place: string, limits: Expected, { inputs }: Pick<Io, 'inputs'>): Uint8Array {
  const file = openSync(place, 'r');
  try {
    inputs?.add(file);
    if (fstatSync(file).size > limits.maxBytes) throw tooLargeError(limits);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * All bytes of a stream. They are copied to one buffer, because chunks may be valid only until the next read, and a sender may
 * make a chunk of each byte.
 * @param tooLarge creates the error for more than `maxBytes`
 */
export async function readAll(
  stream: AsyncIterable<unknown>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of stream) {
    const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
    const needed = size + bytes.length;
    if (needed > maxBytes) throw tooLarge();
    if (needed > buffer.length)
      buffer = Buffer.concat([buffer.subarray(0, size)], Math.max(needed, 2 * size));
    buffer.set(bytes, size);
    size = needed;
  }
  return buffer.subarray(0, size);
}

function readLimited(stream: AsyncIterable<unknown>, limits: Expected): Promise<Uint8Array> {
  return readAll(stream, limits.maxBytes, () => tooLargeError(limits));
}

export function tooLargeError({ what, maxBytes }: Expected): CliError {
  const limit = formatSizeInWords(maxBytes);
  return new CliError(`${what} is too large: more than ${limit}`, {
    code: 'ERR_TOO_LARGE',
    hint: `pass a file of at most ${limit}`,
  });
}
