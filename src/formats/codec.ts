/** What the decoders of compressed data have in common: options, limits, results, and the use of node:zlib as a stream. */

import type { Transform } from 'node:stream';
import { FormatError } from '../core/errors.ts';

export interface DecodeOptions {
  /** Where the compressed data starts, in bytes; 0 unless given. What follows its end is not looked at. */
  readonly offset?: number;
  /** More unpacked bytes than this are an error, found before memory is spent on them. */
  readonly maxBytes: number;
}

/** For decoders of streams, whose output is handed on piece by piece. */
export interface UnpackOptions {
  readonly maxBytes: number;
  /**
   * Counts down members and frames: setting up their decoders takes time, however little is in them. A decoder that may
   * meet many of them does so.
   */
  readonly streams: { left: number };
}

export interface Decoded {
  readonly data: Uint8Array;
  /** Offset of the first byte after the compressed data. */
  readonly end: number;
}

/** The data exceed a limit of this program; they may be valid. */
export class LimitError extends FormatError {}

/** The error for data that decompresses to more than the limit; `offset` is the place of the data. */
export function tooLarge(format: string, maxBytes: number, offset: number): LimitError {
  return new LimitError(`The ${format} data decompresses to more than ${maxBytes} bytes`, {
    offset,
    hint: 'get a new copy of the file; this one is damaged or malicious',
  });
}

/** @throws FormatError once too many were counted; `offset` is where the next one starts */
export function countStream(streams: UnpackOptions['streams'], offset: number): void {
  if (streams.left-- > 0) return;
  throw new LimitError(`The compressed data contains too many streams at byte ${offset}`, {
    offset,
    hint: 'get a new copy of the file; this one is damaged or malicious',
  });
}

// Bytes through one of the transforms of node:zlib, which work beside this thread, in memory that does not grow.

/**
 * What the transform makes of the pieces. A piece is asked for when the one before it was used up.
 *
 * @throws what `pieces` throws, also where it does so later than the transform fails, so that the cause of an error does
 *   not depend on how far ahead is read; else what the transform throws.
 */
export async function* throughZlib(
  transform: Transform,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const failures: unknown[] = [];
  const feeding = writeAll(transform, pieces).catch((error: unknown) => {
    failures.push(error);
    transform.destroy();
  });
  try {
    for await (const piece of transform) yield toBytes(piece);
  } catch (error) {
    await feeding;
    throw failures.length > 0 ? failures[0] : error;
  } finally {
    transform.destroy();
    await feeding;
  }
  if (failures.length > 0) throw failures[0];
}

/** A transform that failed or was given up does not use up anything; the remaining pieces are asked for all the same. */
async function writeAll(transform: Transform, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    transform.once('close', resolve);
  });
  for await (const piece of pieces) {
    const written = new Promise<void>((resolve) => {
      transform.write(piece, () => resolve());
    });
    await Promise.race([written, closed]);
  }
  transform.end();
}

function toBytes(piece: unknown): Uint8Array {
  if (!(piece instanceof Uint8Array)) throw new TypeError('zlib gives bytes');
  return piece;
}
