/** Strings of JSON with the values that Go gives them, and the places of their parts. */

import { sequenceLength } from '../utf8.ts';
import { isUtf8 } from 'node:buffer';
import { locateWritten, type WrittenText, type ScalarNode } from '../documentTree.ts';

/**
 * The value of the string whose quotes are at `start` and `end - 1`. Like Go, every byte that is not UTF-8 and every lone
 * surrogate becomes U+FFFD; source: `encoding/json/decode.go`, `unquoteBytes`.
 */
export function readString(bytes: Buffer, start: number, end: number): string {
  const written = readUtf8(bytes, start, end);
  if (!written.includes('\\')) return written.slice(1, -1);
  const text: string = JSON.parse(written);
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** Platform decoders replace several bad bytes by one character; Go replaces each. */
function readUtf8(bytes: Buffer, start: number, end: number): string {
  if (isUtf8(bytes.subarray(start, end))) return bytes.toString('utf8', start, end);
  const characters: string[] = [];
  for (let at = start; at < end;) {
    const length = sequenceLength(bytes, at, end);
    characters.push(length === 0 ? '\ufffd' : bytes.toString('utf8', at, at + length));
    at += length || 1;
  }
  return characters.join('');
}

export function placedJsonText(bytes: Buffer, { start, end, style, text }: ScalarNode): WrittenText {
  const quote = style === 'plain' ? 0 : 1;
  const span = { start: start + quote, end: end - quote };
  if (text.length === span.end - span.start) {
    return { text, locate: (part) => ({ start: span.start + part.start, end: span.start + part.end }) };
  }
  const locate = locateWritten(span, (offset) => {
    if (bytes[offset] === BACKSLASH) {
      return { length: bytes[offset + 1] === LETTER_U ? UNICODE_ESCAPE : 2, units: 1 };
    }
    const length = sequenceLength(bytes, offset, span.end) || 1; // a byte that is not UTF-8 counts alone
    return { length, units: length === 4 ? 2 : 1 };
  });
  return { text, locate };
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Bytes of an escape such as `\\u0041`. */
const UNICODE_ESCAPE = 6;
