/**
 * What the .xz container is made of (xz file format 1.2.1, sections 2 to 4).
 * One filter only, LZMA2: initramfs archives and images use no other, and the others (BCJ, delta) are refused by name.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const STREAM_MAGIC = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00);
export const FOOTER_MAGIC = Uint8Array.of(0x59, 0x5a);
export const LZMA2_FILTER = 0x21;

/** Names of the filters that are not supported (sections 5.3.2 and 5.3.3). */
export const OTHER_FILTERS: Readonly<Record<number, string>> = {
  0x03: 'delta',
  0x04: 'BCJ x86',
  0x05: 'BCJ PowerPC',
  0x06: 'BCJ IA-64',
  0x07: 'BCJ ARM',
  0x08: 'BCJ ARM Thumb',
  0x09: 'BCJ SPARC',
  0x0a: 'BCJ ARM64',
  0x0b: 'BCJ RISC-V',
};

/** Sizes of a block as the index lists them, in bytes. */
export interface BlockRecord {
  /** Header, compressed data and check, without padding. */
  readonly unpaddedSize: number;
  readonly uncompressedSize: number;
}

/** Bytes that fill `size` up to a multiple of four. */
export function paddingOf(size: number): number {
  return -size & 3;
}

/** The stream flags (section 2.1.1.2). */
export function streamFlags(check: IntegrityCheck): Uint8Array {
  return Uint8Array.of(0, CHECKS[check].id);
}

/** What the CRC of the stream footer covers (section 2.1.2). */
export function footerContent(check: IntegrityCheck, indexSize: number): Uint8Array {
  return Buffer.concat([uint32Bytes(indexSize / 4 - 1), streamFlags(check)]);
}

/** Dictionary size in bytes for its code in a block header (section 5.3.1), 0 to 40. */
export function dictionarySize(code: number): number {
  return code === 40 ? 0xffff_ffff : (2 + (code & 1)) * 2 ** ((code >> 1) + 11);
}

// The integrity checks of .xz blocks (xz file format, section 2.1.1.2).

export type IntegrityCheck = 'none' | 'crc32' | 'crc64' | 'sha256';

/** The check with that ID, or undefined for one that the format reserves. */
export function checkOfId(id: number): IntegrityCheck | undefined {
  return (['none', 'crc32', 'crc64', 'sha256'] as const).find((check) => CHECKS[check].id === id);
}

/** Computes a check of data that comes in pieces. */
export interface Checksum {
  update(piece: Uint8Array): void;
  /** The bytes after the block; no further updates are allowed. */
  bytes(): Uint8Array;
}

export function startChecksum(check: IntegrityCheck): Checksum {
  return CHECKS[check].start();
}

/** Each check with its ID in the stream header. */
const CHECKS: Readonly<Record<IntegrityCheck, { readonly id: number; readonly start: () => Checksum }>> = {
  none: { id: 0, start: () => ({ update: () => undefined, bytes: () => new Uint8Array(0) }) },
  crc32: { id: 1, start: startCrc32 },
  crc64: { id: 4, start: startCrc64 },
  sha256: { id: 10, start: startSha256 },
};

/** Also guards the headers of the container. */
export function crc32Bytes(data: Uint8Array): Uint8Array {
  return uint32Bytes(crc32(data));
}

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
    bytes: () => uint32Bytes(crc),
  };
}

function startSha256(): Checksum {
  const hash = createHash('sha256');
  return {
    update: (piece) => {
      hash.update(piece);
    },
    bytes: () => hash.digest(),
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
    bytes: () => Buffer.concat([uint32Bytes(~low), uint32Bytes(~high)]),
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
