/** Strings of JSON with the values that Go gives them, and their places. */

import { sequenceLength } from '../utf8.ts';
import { isUtf8 } from 'node:buffer';
import type { ScalarNode, ScalarText } from '../documentTree.ts';

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

/** A text with characters of several bytes is not verbatim, like one with escapes. */
export function jsonScalarText({ start, end, style, text }: ScalarNode): ScalarText {
  const quote = style === 'plain' ? 0 : 1;
  const span = { start: start + quote, end: end - quote };
  return { text, span, isVerbatim: text.length === span.end - span.start };
}
