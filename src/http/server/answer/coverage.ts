/**
 * The bytes of an image that a client has received, for ranges in any order: a bitmap of complete blocks, and the fragments of
 * incomplete blocks. The number of fragments is limited, which is enough for clients that receive a few contiguous extents. For
 * a client with many extents, the reported number of bytes may be too low, but never too high.
 */

import type { ByteRange } from '../../../image/overlay.ts';

/** Plain data, as one exists for each fetched image. */
export interface Coverage {
  readonly size: number;
  readonly blockSize: number;
  readonly bits: Uint8Array;
  /** Bytes in complete blocks. */
  bytes: number;
  /** By block number, the most recently changed block last. */
  readonly fragments: Map<number, readonly Extent[]>;
}

/** Enough for two clients with 16 connections each, as block borders split extents. */
const maxFragments = 64;
/** Limits the bitmap of an image to 512 bytes; an image of 1 GiB has blocks of 256 KiB. */
const maxBlocks = 4096;
const minBlockSize = 4096;

/** The coverage of an image of `size` bytes without any received bytes. */
export function createCoverage(size: number): Coverage {
  let blockSize = minBlockSize;
  while (blockSize * maxBlocks < size) blockSize *= 2;
  const bits = new Uint8Array(Math.ceil(size / blockSize / 8));
  return { size, blockSize, bits, bytes: 0, fragments: new Map() };
}

/** Ranges may overlap. Bytes outside of the image are ignored. */
export function addReceived(coverage: Coverage, { offset, length }: ByteRange): void {
  const { blockSize, size } = coverage;
  const start = Math.max(0, offset);
  const end = Math.min(size, offset + length);
  for (let block = Math.floor(start / blockSize); block * blockSize < end; block++) {
    const extent = { start: block * blockSize, end: Math.min(size, (block + 1) * blockSize) };
    const piece = { start: Math.max(start, extent.start), end: Math.min(end, extent.end) };
    if (piece.start < piece.end) addToBlock(coverage, block, extent, piece);
  }
}

/** The number of distinct bytes that were received. */
export function receivedBytes({ bytes, fragments }: Coverage): number {
  return bytes + [...fragments.values()].reduce((sum, pieces) => sum + countBytes(pieces), 0);
}

/** Whether all bytes were received. */
export function isComplete(coverage: Coverage): boolean {
  return receivedBytes(coverage) === coverage.size;
}

function addToBlock(coverage: Coverage, block: number, extent: Extent, piece: Extent): void {
  const { bits, fragments } = coverage;
  const byte = bits[block >> 3] ?? 0;
  const bit = 1 << (block & 7);
  if ((byte & bit) !== 0) return;
  const pieces = addExtent(fragments.get(block) ?? [], piece);
  fragments.delete(block);
  if (countBytes(pieces) === extent.end - extent.start) {
    bits[block >> 3] = byte | bit;
    coverage.bytes += extent.end - extent.start;
  } else {
    fragments.set(block, pieces);
    dropOldFragments(fragments);
  }
}

function dropOldFragments(fragments: Coverage['fragments']): void {
  let count = [...fragments.values()].reduce((sum, pieces) => sum + pieces.length, 0);
  for (const [block, pieces] of fragments) {
    if (count <= maxFragments) break;
    fragments.delete(block);
    count -= pieces.length;
  }
}

/** A contiguous part of an image; `end` is exclusive. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Adds an extent to the list and merges it with all extents that it overlaps or touches. */
function addExtent(extents: readonly Extent[], added: Extent): Extent[] {
  const isApart = ({ start, end }: Extent): boolean => end < added.start || start > added.end;
  let { start, end } = added;
  for (const extent of extents) {
    if (isApart(extent)) continue;
    start = Math.min(start, extent.start);
    end = Math.max(end, extent.end);
  }
  return [...extents.filter(isApart), { start, end }];
}

function countBytes(extents: readonly Extent[]): number {
  return extents.reduce((sum, { start, end }) => sum + end - start, 0);
}
