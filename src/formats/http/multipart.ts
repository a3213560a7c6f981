/** Several ranges in one answer: multipart/byteranges (RFC 9110, section 14.6). */

import { createHash } from 'node:crypto';
import type { Range } from './ranges.ts';

/** The whole that the ranges are of. */
export interface Whole {
  readonly contentType: string;
  readonly size: number;
  /** Made from the content. */
  readonly etag: string;
}

/** Text that frames a range: it goes before the bytes. */
export interface FramedRange {
  readonly head: Uint8Array;
  readonly range: Range;
}

export interface Multipart {
  readonly contentType: string;
  /** Bytes of all: text and ranges. */
  readonly size: number;
  readonly parts: readonly FramedRange[];
  readonly tail: Uint8Array;
}

export function frameRanges(whole: Whole, ranges: readonly Range[]): Multipart {
  const boundary = boundaryFor(whole);
  const parts = ranges.map((range, index) => {
    const lines = [
      ...(index === 0 ? [] : ['']),
      `--${boundary}`,
      `Content-Type: ${whole.contentType}`,
      `Content-Range: ${formatContentRange(range, whole.size)}`,
      '\r\n',
    ];
    return { head: Buffer.from(lines.join('\r\n')), range };
  });
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = parts.reduce((sum, { head, range }) => sum + head.length + range.length, tail.length);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, size, parts, tail };
}

/** The value of `Content-Range`; without a range, of the answer that there is none (416). */
export function formatContentRange(range: Range | undefined, size: number): string {
  return range === undefined
    ? `bytes */${size}`
    : `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
}

/**
 * Must not stand in the data. Whoever made the data cannot have put a digest of its digest there; and HEAD is answered
 * with the same one as GET.
 */
function boundaryFor({ etag }: Whole): string {
  return createHash('sha256').update(`multipart/byteranges ${etag}`).digest('hex').slice(0, 40);
}
