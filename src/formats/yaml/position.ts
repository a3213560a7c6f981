/** Lines and columns of a text that may be long, or one long line, and may be asked for often. */

import type { Position } from '../../core/finding.ts';

/**
 * From offsets in characters to lines and columns, which count bytes of UTF-8. What is to be known of the text is found
 * out when it is first needed.
 */
export function makeLocator(text: string): (offset: number) => Position {
  let lines: readonly number[] | undefined;
  let marks: readonly number[] | undefined;
  return (offset) => {
    lines ??= lineStarts(text);
    marks ??= byteMarks(text);
    let low = 0;
    let high = lines.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((lines[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    const lineStart = bytesBefore(text, lines[low] ?? 0, marks);
    return { line: low + 1, column: bytesBefore(text, offset, marks) - lineStart + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Characters between two marks: JSON can be a single line of many megabytes. */
const markDistance = 1024;

/** How many bytes are before each mark. */
function byteMarks(text: string): number[] {
  const marks = [0];
  let bytes = 0;
  for (let at = markDistance; at <= text.length; at += markDistance) {
    bytes += countBytes(text, at - markDistance, at);
    marks.push(bytes);
  }
  return marks;
}

function bytesBefore(text: string, offset: number, marks: readonly number[]): number {
  const mark = Math.floor(offset / markDistance);
  return (marks[mark] ?? 0) + countBytes(text, mark * markDistance, offset);
}

/** In UTF-8, where two characters that stand for one have four. */
function countBytes(text: string, start: number, end: number): number {
  let bytes = end - start;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) bytes += code >= 0x800 && !(code >= 0xd800 && code < 0xe000) ? 2 : 1;
  }
  return bytes;
}
