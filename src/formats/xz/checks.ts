/** The integrity checks of .xz blocks (xz file format, section 2.1.1.2). */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type Check = 'none' | 'crc32' | 'crc64' | 'sha256';

/** The number that stands for a check in the stream header. */
export const CHECK_IDS: Readonly<Record<Check, number>> = { none: 0, crc32: 1, crc64: 4, sha256: 10 };

/** The check with that number, or undefined for one that the format reserves. */
export function checkOfId(id: number): Check | undefined {
  return (['none', 'crc32', 'crc64', 'sha256'] as const).find((check) => CHECK_IDS[check] === id);
}

/** The check of a block's uncompressed data, as the bytes that stand behind the block. */
export function checkBytes(check: Check, data: Uint8Array): Uint8Array {
  return CHECKSUMS[check](data);
}

const CHECKSUMS: Readonly<Record<Check, (data: Uint8Array) => Uint8Array>> = {
  none: () => new Uint8Array(0),
  crc32: crc32Bytes,
  crc64: crc64Bytes,
  sha256: (data) => createHash('sha256').update(data).digest(),
};

/** Also guards the headers of the container. */
export function crc32Bytes(data: Uint8Array): Uint8Array {
  return uint32Bytes(crc32(data));
}

/** Little-endian. */
export function uint32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

/** CRC-64 of ECMA-182, reflected, in two halves of 32 bits. */
function crc64Bytes(data: Uint8Array): Uint8Array {
  crc64Table ??= makeCrc64Table();
  const { low, high } = crc64Table;
  let crcLow = -1;
  let crcHigh = -1;
  for (const byte of data) {
    const index = (crcLow ^ byte) & 0xff;
    crcLow = ((crcLow >>> 8) | (crcHigh << 24)) ^ low[index]!;
    crcHigh = (crcHigh >>> 8) ^ high[index]!;
  }
  return Buffer.concat([uint32Bytes(~crcLow), uint32Bytes(~crcHigh)]);
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
