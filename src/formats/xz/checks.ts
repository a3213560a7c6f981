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
  { id: 1, name: 'crc32', start: startCrc32 },
  { id: 4, name: 'crc64', start: startCrc64 },
  { id: 10, name: 'sha256', start: () => createHash('sha256') },
];

/** Little-endian. */
export function uint32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

function startCrc32(): Checksum {
  let crc = 0;
  return {
    update: (piece) => {
      crc = crc32(piece, crc);
    },
    digest: () => uint32Bytes(crc),
  };
}

/** CRC-64 of ECMA-182, reflected, in two halves of 32 bits. */
function startCrc64(): Checksum {
  let low = -1;
  let high = -1;
  return {
    update: (piece) => {
      [low, high] = crc64(piece, low, high);
    },
    digest: () => Buffer.concat([uint32Bytes(~low), uint32Bytes(~high)]),
  };
}

function crc64(data: Uint8Array, low: number, high: number): [low: number, high: number] {
  crc64Table ??= makeCrc64Table();
  const { low: lowTable, high: highTable } = crc64Table;
  let crcLow = low;
  let crcHigh = high;
  for (let position = 0; position < data.length; position++) {
    const index = (crcLow ^ data[position]!) & 0xff;
    crcLow = ((crcLow >>> 8) | (crcHigh << 24)) ^ lowTable[index]!;
    crcHigh = (crcHigh >>> 8) ^ highTable[index]!;
  }
  return [crcLow, crcHigh];
}

interface Crc64Table {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** Made at the first use: most streams here have CRC32. */
let crc64Table: Crc64Table | undefined;

function makeCrc64Table(): Crc64Table {
  const table = { low: new Int32Array(256), high: new Int32Array(256) };
  for (let index = 0; index < 256; index++) {
    let low = index;
    let high = 0;
    for (let bit = 0; bit < 8; bit++) {
      const carry = -(low & 1);
      low = ((low >>> 1) | (high << 31)) ^ (carry & 0xd787_0f42);
      high = (high >>> 1) ^ (carry & 0xc96c_5795);
    }
    table.low[index] = low;
    table.high[index] = high;
  }
  return table;
}
