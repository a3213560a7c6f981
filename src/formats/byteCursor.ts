/** Reads the fields of a binary format one after the other; every read is checked against the end of the bytes. */

import { FormatError } from '../core/errors.ts';

export class ByteCursor {
  readonly bytes: Uint8Array;
  /** Where the next read starts. */
  offset: number;
  readonly #format: string;

  /** `format` is what errors call the data, e.g. `xz`. */
  constructor(bytes: Uint8Array, offset: number, format: string) {
    this.bytes = bytes;
    this.offset = offset;
    this.#format = format;
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    if (length > this.bytes.length - this.offset) {
      throw this.error('is cut off', this.bytes.length);
    }
    const start = this.offset;
    this.offset += length;
    return this.bytes.subarray(start, this.offset);
  }

  /** The next byte, which stays the next one. */
  peek(): number {
    const byte = this.uint8();
    this.offset--;
    return byte;
  }

  uint8(): number {
    return this.uint(1);
  }

  uint16(): number {
    return this.uint(2);
  }

  uint32(): number {
    return this.uint(4);
  }

  /** Two bytes, big-endian. */
  uint16BigEndian(): number {
    return this.uint8() * 256 + this.uint8();
  }

  /** A little-endian number of up to eight bytes; past 2^53 it is inexact. */
  uint(length: number): number {
    let value = 0;
    for (const [index, byte] of this.take(length).entries()) {
      value += byte * 256 ** index;
    }
    return value;
  }

  /** The error `The FORMAT data PROBLEM at byte OFFSET`; the offset is where the next read would start unless given. */
  error(problem: string, offset = this.offset): FormatError {
    return new FormatError(`The ${this.#format} data ${problem} at byte ${offset}`, { offset });
  }
}
