/**
 * Lines and columns of a document, which may have many megabytes and many findings. Lines end at a line feed. Both numbers
 * count from 1; columns count bytes of UTF-8.
 */

import type { Position } from '../core/errors.ts';
import type { Span } from '../core/spans.ts';

/** From offsets to positions; offsets count bytes, or UTF-16 code units of a string. */
export function lineColumns(document: Uint8Array | string): (offset: number) => Position {
  const marks: Mark[] = [{ offset: 0, line: 1, column: 1 }];
  return (offset) => {
    const index = Math.floor(Math.min(offset, document.length) / MARK_DISTANCE);
    for (let last = marks.length - 1; last < index; last += 1) {
      marks.push(advance(document, marks[last]!, characterStart(document, (last + 1) * MARK_DISTANCE)));
    }
    const { line, column } = advance(document, marks[index]!, offset);
    return { line, column };
  };
}

/** A known position. */
interface Mark extends Position {
  readonly offset: number;
}

const MARK_DISTANCE = 4096;

/** A text is not encoded for it: that of an inventory, for each host, would take more memory than its hosts. */
function advance(document: Uint8Array | string, from: Mark, offset: number): Mark {
  const part =
    typeof document === 'string'
      ? document.slice(from.offset, offset)
      : document.subarray(from.offset, offset);
  const feedFrom = (start: number): number =>
    typeof part === 'string' ? part.indexOf('\n', start) : part.indexOf(LINE_FEED, start);
  let { line, column } = from;
  let counted = 0;
  for (let end = feedFrom(0); end !== -1; end = feedFrom(counted)) {
    line += 1;
    column = 1;
    counted = end + 1;
  }
  const rest = typeof part === 'string' ? Buffer.byteLength(part.slice(counted)) : part.length - counted;
  return { offset, line, column: column + rest };
}

const LINE_FEED = 0x0a;

/** A surrogate pair would have more bytes if it were cut in two. */
function characterStart(document: Uint8Array | string, offset: number): number {
  return typeof document === 'string' && /^[\udc00-\udfff]/.test(document.charAt(offset))
    ? offset + 1
    : offset;
}

/** Where the lines with these numbers are, without their line feeds. Lines behind the last one are empty. */
export function lineSpans(bytes: Uint8Array, numbers: readonly number[]): ReadonlyMap<number, Span> {
  const lines = new Map<number, Span>();
  let line = 1;
  let start = 0;
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    for (; line < number; line += 1) start = endOfLine(bytes, start) + 1;
    lines.set(number, { start, end: endOfLine(bytes, start) });
  }
  return lines;
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(LINE_FEED, start);
  return end === -1 ? bytes.length : end;
}
