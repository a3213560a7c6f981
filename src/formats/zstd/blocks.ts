/** Blocks of zstandard frames: their headers (RFC 8878, section 3.1.1.2), and tables that would not come to an end. */

import type { FrameHeader } from './frames.ts';

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
