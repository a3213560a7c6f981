/** The integrity checks of .xz blocks (xz file format 1.2.1, section 2.1.1.2). */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Computes a check of data that comes in pieces. */
interface Checksum {
  update(piece: Uint8Array): unknown;
  /** The bytes after the block; no further updates are allowed. */
  digest(): Uint8Array;
}

export interface IntegrityCheck {
  readonly id: number;
  readonly name: string;
  readonly start: () => Checksum;
}

export const integrityChecks: readonly IntegrityCheck[] = [
  { id: 0, name: 'none', start: () => ({ update: () => undefined, digest: () => new Uint8Array(0) }) },
  { id: 1, name: 'crc32', start: () => new Crc32() },
  { id: 4, name: 'crc64', start: () => new Crc64() },
  { id: 10, name: 'sha256', start: () => createHash('sha256') },
];

/** Little-endian. */
export function uint32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

class Crc32 implements Checksum {
  #crc = 0;

  update(piece: Uint8Array): void {
    this.#crc = crc32(piece, this.#crc);
  }

  digest(): Uint8Array {
    return uint32Bytes(this.#crc);
  }
}

/** CRC-64 of ECMA-182, reflected, in two halves of 32 bits. */
class Crc64 implements Checksum {
  #low = -1;
  #high = -1;

  update(piece: Uint8Array): void {
    let low = this.#low;
    let high = this.#high;
    for (const byte of piece) {
      const index = (low ^ byte) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ lowTable[index]!;
      high = (high >>> 8) ^ highTable[index]!;
    }
    this.#low = low;
    this.#high = high;
  }

  digest(): Uint8Array {
    return Buffer.concat([uint32Bytes(~this.#low), uint32Bytes(~this.#high)]);
  }
}

const lowTable = new Int32Array(256);
const highTable = new Int32Array(256);
for (let index = 0; index < 256; index++) {
  let low = index;
  let high = 0;
  for (let bit = 0; bit < 8; bit++) {
    const carry = -(low & 1);
    low = ((low >>> 1) | (high << 31)) ^ (carry & 0xd787_0f42);
    high = (high >>> 1) ^ (carry & 0xc96c_5795);
  }
  lowTable[index] = low;
  highTable[index] = high;
}
