/** Headers of zstandard frames (RFC 8878, sections 3.1.1.1 and 3.1.2). */

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
/** Bytes of the checksum behind the blocks. */
export const CHECKSUM_SIZE = 4;
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
