/** Headers of zstandard frames and blocks (RFC 8878, sections 3.1.1.1, 3.1.1.2 and 3.1.2). */

import type { ByteReader } from '../byteReader.ts';

export interface FrameHeader {
  /** Offset of the frame. */
  readonly start: number;
  readonly bytes: Uint8Array;
  /** How far back matches may reach, in bytes. */
  readonly windowSize: number;
  /** Bytes that it unpacks to, where it says so. */
  readonly contentSize: number | undefined;
  readonly hasChecksum: boolean;
}

export const MAGIC_SIZE = 4;
/** Bytes of the number behind the magic number of a skippable frame. */
const SKIPPED_SIZE = 4;
const FRAME_MAGIC = 0xfd2f_b528;
const SKIPPABLE_MAGIC = 0x184d_2a50;

/** Bits of the frame header descriptor. */
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const HAS_CHECKSUM = 0x04;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** The largest window that zstd, and the kernel for an initramfs, decode by default. */
const MAX_WINDOW = 128 * 1024 * 1024;

/** Whether a frame or a skippable frame starts here. */
export function isZstd(bytes: Uint8Array): boolean {
  if (bytes.length < MAGIC_SIZE) return false;
  const magic = uint(bytes, 0, MAGIC_SIZE);
  return magic === FRAME_MAGIC || isSkippable(magic);
}

/** Moves to the first block. A skippable frame is passed over. */
export async function readFrameHeader(reader: ByteReader): Promise<FrameHeader | 'skippable'> {
  if (!(await reader.has(MAGIC_SIZE))) throw reader.truncated();
  const magic = uint(reader.bytes, 0, MAGIC_SIZE);
  if (isSkippable(magic)) {
    const header = await reader.take(MAGIC_SIZE + SKIPPED_SIZE);
    if (!(await reader.skip(uint(header, MAGIC_SIZE, SKIPPED_SIZE)))) throw reader.truncated();
    return 'skippable';
  }
  if (magic !== FRAME_MAGIC) throw reader.error('lacks the magic number');
  if (!(await reader.has(MAGIC_SIZE + 1))) throw reader.truncated();
  const { offset: start } = reader;
  const descriptor = reader.bytes[MAGIC_SIZE]!;
  if ((descriptor & RESERVED) !== 0) {
    throw reader.error('has unknown flags in a frame header', start + MAGIC_SIZE);
  }
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  const windowStart = MAGIC_SIZE + 1;
  const dictionaryStart = windowStart + (isSingleSegment ? 0 : 1);
  const sizeStart = dictionaryStart + DICTIONARY_ID_BYTES[descriptor & 3]!;
  const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6]! || (isSingleSegment ? 1 : 0);
  const bytes = Uint8Array.from(await reader.take(sizeStart + sizeBytes));
  if (uint(bytes, dictionaryStart, sizeStart - dictionaryStart) !== 0) {
    throw reader.error('requires a dictionary, which is not supported,', start + MAGIC_SIZE);
  }
  // The size in two bytes starts where that in one byte ends.
  const size = uint(bytes, sizeStart, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  const windowSize = isSingleSegment ? size : windowOf(bytes[windowStart]!);
  if (windowSize > MAX_WINDOW) {
    throw reader.error('requires a window that is too large', start + windowStart);
  }
  const contentSize = sizeBytes === 0 ? undefined : size;
  const hasChecksum = (descriptor & HAS_CHECKSUM) !== 0;
  return { start, bytes, windowSize, contentSize, hasChecksum };
}

/** A little-endian number of up to eight bytes; past 2^53 it is inexact. */
function uint(bytes: Uint8Array, offset: number, length: number): number {
  return bytes.subarray(offset, offset + length).reduceRight((value, byte) => value * 256 + byte, 0);
}

function isSkippable(magic: number): boolean {
  return (magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC;
}

function windowOf(code: number): number {
  const base = 2 ** (10 + (code >> 3));
  return base + (base / 8) * (code & 7);
}

// The header of a block of zstandard data (RFC 8878, section 3.1.1.2).

export interface BlockHeader {
  readonly kind: 'raw' | 'repeated' | 'compressed';
  /** Bytes that follow the header. */
  readonly length: number;
  /** Bytes of the content, or of the packed content of a compressed block. */
  readonly size: number;
  readonly isLast: boolean;
}

export const BLOCK_HEADER_SIZE = 3;
const MAX_BLOCK = 128 * 1024;

const KINDS = ['raw', 'repeated', 'compressed'] as const;

/** Bytes that a block of a frame has at most, packed and unpacked. */
export function maxBlockOf({ windowSize }: FrameHeader): number {
  return Math.min(windowSize, MAX_BLOCK);
}

/** The three bytes of the header as a number; undefined for a kind that is reserved. */
export function parseBlockHeader(header: number): BlockHeader | undefined {
  const kind = KINDS[(header >> 1) & 3];
  const size = header >> 3;
  return kind && { kind, length: kind === 'repeated' ? 1 : size, size, isLast: (header & 1) === 1 };
}

/** Bytes of the checksum behind the blocks. */
export const CHECKSUM_SIZE = 4;

/** Compressed literals with a table of their own, and the bytes of their header by its size format (section 3.1.1.3.1.1). */
const LITERALS_WITH_TABLE = 2;
const LITERALS_HEADER_SIZES = [3, 3, 4, 5];

/**
 * Whether the weights of the Huffman table are coded by a table that gives all of the probability to one weight (sections
 * 4.1.1 and 4.2.1.2). Such a block is invalid: its weights take no bits, and fzstd reads them for ever.
 */
export function hasEndlessWeights(block: Uint8Array): boolean {
  const [first = 0] = block;
  const start = LITERALS_HEADER_SIZES[(first >> 2) & 3]!;
  if ((first & 3) !== LITERALS_WITH_TABLE || block[start]! >= 128) return false;
  let at = (start + 1) * 8;
  const take = (bits: number): number => {
    const byte = at >> 3;
    const value = ((block[byte] ?? 0) | ((block[byte + 1] ?? 0) << 8)) >> (at & 7);
    at += bits;
    return value & ((1 << bits) - 1);
  };
  const accuracy = take(4) + 5;
  if (accuracy > 6) return false;
  for (;;) {
    const number = take(accuracy + 1);
    if (number === (2 << accuracy) - 1) return true;
    at--; // all smaller numbers that matter take one bit less
    if ((number & ((1 << accuracy) - 1)) !== 1) return false;
    while (take(2) === 3); // a probability of 0, and how many more follow
  }
}
