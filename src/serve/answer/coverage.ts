/**
 * Which bytes of an image a client has received, whatever ranges it asked for in whatever order. Most clients leave a few
 * stretches at a time, which are remembered exactly. Of one that leaves many, whole blocks are remembered and so many
 * scraps: memory is bounded, and what is said may be too little then, but never too much.
 */

import type { ByteRange } from '../../image/overlay.ts';

/** Plain data, as there is one for each image that was fetched. */
export interface Coverage {
  readonly size: number;
  /** Exact as long as there are no blocks. */
  stretches: readonly Stretch[];
  blocks: Blocks | undefined;
}

/** Bits of whole blocks, and pieces of others. */
interface Blocks {
  readonly blockSize: number;
  readonly bits: Uint8Array;
  /** In whole blocks. */
  bytes: number;
  /** By block. The one that something was added to last stands last. */
  readonly scraps: Map<number, readonly Stretch[]>;
}

/** As many as two clients leave of which each fetches with sixteen connections. */
const mostStretches = 32;
/** Twice as many, as blocks cut stretches in two. */
const mostScraps = 64;
/** So that the bits of an image take half a KiB at most; the blocks of 1 GiB have 256 KiB. */
const mostBlocks = 4096;
const smallestBlock = 4096;

/** Of an image of `size` bytes, none of them received. */
export function createCoverage(size: number): Coverage {
  return { size, stretches: [], blocks: undefined };
}

/** Ranges may overlap. What is not within the image does not count. */
export function addReceived(coverage: Coverage, { offset, length }: ByteRange): void {
  const start = Math.max(0, offset);
  const end = Math.min(coverage.size, offset + length);
  if (start >= end) return;
  if (coverage.blocks !== undefined) return addToBlocks(coverage.blocks, coverage.size, { start, end });
  coverage.stretches = addStretch(coverage.stretches, { start, end });
  if (coverage.stretches.length > mostStretches) turnIntoBlocks(coverage);
}

/** How many different bytes were received. */
export function receivedBytes({ stretches, blocks }: Coverage): number {
  if (blocks === undefined) return countBytes(stretches);
  return blocks.bytes + [...blocks.scraps.values()].reduce((sum, pieces) => sum + countBytes(pieces), 0);
}

/** Whether that is all of them. */
export function isComplete(coverage: Coverage): boolean {
  return receivedBytes(coverage) === coverage.size;
}

function turnIntoBlocks(coverage: Coverage): void {
  const blocks = createBlocks(coverage.size);
  for (const stretch of coverage.stretches) addToBlocks(blocks, coverage.size, stretch);
  coverage.stretches = [];
  coverage.blocks = blocks;
}

function createBlocks(size: number): Blocks {
  let blockSize = smallestBlock;
  while (blockSize * mostBlocks < size) blockSize *= 2;
  const bits = new Uint8Array(Math.ceil(size / blockSize / 8));
  return { blockSize, bits, bytes: 0, scraps: new Map() };
}

function addToBlocks(blocks: Blocks, size: number, { start, end }: Stretch): void {
  const { blockSize } = blocks;
  for (let block = Math.floor(start / blockSize); block * blockSize < end; block++) {
    const extent = { start: block * blockSize, end: Math.min(size, (block + 1) * blockSize) };
    const piece = { start: Math.max(start, extent.start), end: Math.min(end, extent.end) };
    addToBlock(blocks, { block, extent }, piece);
  }
}

interface Block {
  readonly block: number;
  readonly extent: Stretch;
}

function addToBlock(blocks: Blocks, { block, extent }: Block, piece: Stretch): void {
  const { bits, scraps } = blocks;
  const byte = bits[block >> 3] ?? 0;
  const bit = 1 << (block & 7);
  if ((byte & bit) !== 0) return;
  const pieces = addStretch(scraps.get(block) ?? [], piece);
  scraps.delete(block);
  if (countBytes(pieces) === extent.end - extent.start) {
    bits[block >> 3] = byte | bit;
    blocks.bytes += extent.end - extent.start;
  } else {
    scraps.set(block, pieces);
    dropOldScraps(scraps);
  }
}

function dropOldScraps(scraps: Blocks['scraps']): void {
  let count = [...scraps.values()].reduce((sum, pieces) => sum + pieces.length, 0);
  for (const [block, pieces] of scraps) {
    if (count <= mostScraps) break;
    scraps.delete(block);
    count -= pieces.length;
  }
}

/** `end` is the first byte behind it. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The list with one more, joined with those that it overlaps or touches. */
function addStretch(stretches: readonly Stretch[], added: Stretch): Stretch[] {
  const isApart = ({ start, end }: Stretch): boolean => end < added.start || start > added.end;
  let { start, end } = added;
  for (const stretch of stretches) {
    if (isApart(stretch)) continue;
    start = Math.min(start, stretch.start);
    end = Math.max(end, stretch.end);
  }
  return [...stretches.filter(isApart), { start, end }];
}

function countBytes(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { start, end }) => sum + end - start, 0);
}
