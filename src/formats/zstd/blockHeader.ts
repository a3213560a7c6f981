/** The header of a block of zstandard data (RFC 8878, section 3.1.1.2). */

import type { ByteFeed } from '../byteFeed.ts';
import type { FrameHeader } from './frameHeader.ts';

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

/** Reads the header that is `ahead` bytes ahead; the next bytes stay the next ones. */
export function peekBlockHeader(feed: ByteFeed, maxBlock: number, ahead = 0): BlockHeader {
  feed.index += ahead;
  const header = feed.peek(BLOCK_HEADER_SIZE);
  const kind = KINDS[(header >> 1) & 3];
  const size = header >> 3;
  if (kind === undefined) throw feed.error('has an unknown kind of block');
  if (size > maxBlock) throw feed.error('has too large a block');
  feed.index -= ahead;
  return { kind, length: kind === 'repeated' ? 1 : size, size, isLast: (header & 1) === 1 };
}
