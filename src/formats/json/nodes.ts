/** The values of a JSON text with their places, in bytes. The text is known to be valid (`syntax.ts`). */

import { isUtf8 } from 'node:buffer';
import type { ScalarNode, Span, TextNode } from '../textNode.ts';
import {
  closeBrace,
  closeBracket,
  openBrace,
  openBracket,
  quote,
  skipString,
  skipToToken,
  skipValue,
} from './tokens.ts';
import { readString } from './values.ts';

/** The value of the whole text. All values of repeated keys are there, in the order in which they are written. */
export function readNodes(bytes: Buffer): TextNode {
  return nodeAt(bytes, skipToToken(bytes, 0));
}

function nodeAt(bytes: Buffer, start: number): TextNode {
  if (bytes[start] === openBrace) return { kind: 'object', entries: () => entriesAt(bytes, start) };
  if (bytes[start] === openBracket) return { kind: 'list', items: () => itemsAt(bytes, start) };
  return scalarAt(bytes, start);
}

function* entriesAt(bytes: Buffer, start: number): Iterable<readonly [string, TextNode]> {
  let at = skipToToken(bytes, start + 1);
  while (bytes[at] !== closeBrace) {
    const keyEnd = skipString(bytes, at);
    const key = readString(bytes, at, keyEnd);
    at = skipToToken(bytes, keyEnd);
    yield [key, nodeAt(bytes, at)];
    at = skipToToken(bytes, skipValue(bytes, at));
  }
}

function* itemsAt(bytes: Buffer, start: number): Iterable<TextNode> {
  let at = skipToToken(bytes, start + 1);
  while (bytes[at] !== closeBracket) {
    yield nodeAt(bytes, at);
    at = skipToToken(bytes, skipValue(bytes, at));
  }
}

function scalarAt(bytes: Buffer, start: number): ScalarNode {
  const end = skipValue(bytes, start);
  if (bytes[start] !== quote) {
    const text = bytes.toString('latin1', start, end);
    return { kind: 'scalar', span: { start, end }, text, locate: (part) => shift(part, start) };
  }
  const span = { start: start + 1, end: end - 1 };
  const text = readString(bytes, start, end);
  const isPlain = text.length === span.end - span.start;
  return {
    kind: 'scalar',
    span,
    text,
    locate: (part) => (isPlain ? shift(part, span.start) : locateEscaped(bytes, span, part)),
  };
}

function shift({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

function locateEscaped(bytes: Buffer, span: Span, part: Span): Span {
  const start = placeOf(bytes, { at: span.start, units: 0 }, part.start);
  const end = placeOf(bytes, start, part.end);
  return { start: start.at, end: Math.min(end.at, span.end) };
}

interface Reached {
  readonly at: number;
  /** UTF-16 code units of the decoded text that stand before it. */
  readonly units: number;
}

/** The first byte that stands for the code unit with this number. */
function placeOf(bytes: Buffer, { at: from, units: passed }: Reached, wanted: number): Reached {
  let at = from;
  let units = passed;
  while (units < wanted && at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === backslash) at += bytes[at + 1] === letterU ? unicodeEscape : 2;
    else {
      const length = sequenceLength(bytes, at);
      at += length;
      if (length === 4) units += 1; // two code units
    }
    units += 1;
  }
  return { at, units };
}

const backslash = 0x5c;
const letterU = 0x75;
/** Bytes of an escape such as `\\u0041`. */
const unicodeEscape = 6;

/** Bytes of the UTF-8 sequence at `at`; each byte that is not UTF-8 stands for itself. */
function sequenceLength(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  const length = byte < 0xc2 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 1;
  const sequence = bytes.subarray(at, at + length);
  return length > 1 && isUtf8(sequence) && sequence.length === length ? length : 1;
}
