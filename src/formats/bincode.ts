/**
 * Fields of bincode 1 (a Rust serialisation) with variable-length numbers, little endian: all that `miniso.dat` is made of.
 * Leaves out numbers of 128 bits, signed ones, floats, options and enums, which nothing here has. A number in a longer
 * form than it needs is accepted, as bincode does.
 */

import type { ByteCursor } from './byteCursor.ts';

/** First bytes that announce a number of so many bytes; smaller ones are the number. */
const WIDTHS: ReadonlyMap<number, number> = new Map([
  [251, 2],
  [252, 4],
  [253, 8],
]);
const SMALL = 251;

/**
 * A number of up to 64 bits.
 * @throws FormatError for one that is larger than `max`, and for a first byte that announces no such number
 */
export function readBincodeNumber(cursor: ByteCursor, { max }: { readonly max: number }): number {
  const start = cursor.offset;
  const first = cursor.uint8();
  if (first < SMALL) return checked(first);
  const width = WIDTHS.get(first);
  if (width === undefined) throw cursor.error('has a malformed number', start);
  return checked(cursor.uint(width));

  function checked(value: number): number {
    if (value > max) throw cursor.error('has a number that is too large', start);
    return value;
  }
}

/**
 * A length and that many bytes, as a view: a text in UTF-8, or a list of bytes.
 * @throws FormatError where fewer bytes are left
 */
export function readBincodeBytes(cursor: ByteCursor): Uint8Array {
  return cursor.take(readBincodeNumber(cursor, { max: Number.MAX_SAFE_INTEGER }));
}

/** A number from 0 up to 2^53 in its shortest form. */
export function bincodeNumber(value: number): Uint8Array {
  if (value < SMALL) return Uint8Array.of(value);
  const bytes = Buffer.alloc(9);
  bytes.writeBigUInt64LE(BigInt(value), 1);
  const [first, width] = [...WIDTHS].find(([, size]) => value < 256 ** size) ?? [253, 8];
  bytes[0] = first;
  return bytes.subarray(0, 1 + width);
}

/** The length, then the bytes. */
export function bincodeBytes(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bincodeNumber(bytes.length), bytes]);
}
