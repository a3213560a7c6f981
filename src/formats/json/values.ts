/**
 * Strings and integers of a JSON text, with the values that Go gives them. The text is known to be valid
 * (`syntax.ts`); floating point numbers are not needed.
 */

import { isAscii, isUtf8 } from 'node:buffer';

/**
 * The string between the quotes at `start` and `end - 1`. Like Go, every byte that is not UTF-8 and every lone
 * surrogate becomes U+FFFD; source: `encoding/json/decode.go`, `unquoteBytes`.
 */
export function readString(bytes: Buffer, start: number, end: number): string {
  const { escaped, ascii } = inspect(bytes, start + 1, end - 1);
  if (ascii && !escaped) return bytes.toString('latin1', start + 1, end - 1);
  const body = ascii ? bytes.toString('latin1', start, end) : readUtf8(bytes, start, end);
  if (!escaped) return body.slice(1, -1);
  const text: string = JSON.parse(body);
  return replaceLoneSurrogates(text);
}

/**
 * The integer from `start` to `end`, as a bigint only where a number would lose digits; undefined if it has a fraction
 * or an exponent, or does not fit in 64 bits with sign.
 */
export function readInteger(bytes: Buffer, start: number, end: number): number | bigint | undefined {
  if (end - start > longestInteger) return undefined;
  const text = bytes.toString('latin1', start, end);
  if (!/^-?\d+$/.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}

/** Nineteen digits and a sign; JSON has no leading zeros. */
const longestInteger = 20;

function inspect(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly escaped: boolean; readonly ascii: boolean } {
  if (end - start > searchFrom) {
    const view = bytes.subarray(start, end);
    return { escaped: view.includes(0x5c), ascii: isAscii(view) };
  }
  let escaped = false;
  let bits = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    bits |= byte;
    if (byte === 0x5c) escaped = true;
  }
  return { escaped, ascii: bits < 0x80 };
}

/** Bytes after which looking natively is faster. */
const searchFrom = 64;

/** Platform decoders replace several bad bytes by one character; Go replaces each. */
function readUtf8(bytes: Buffer, start: number, end: number): string {
  return isUtf8(bytes.subarray(start, end))
    ? bytes.toString('utf8', start, end)
    : readBrokenUtf8(bytes, start, end);
}

/** Goes by way of a small buffer, so that a document full of bad bytes does not need many times its size. */
function readBrokenUtf8(bytes: Buffer, start: number, end: number): string {
  const parts: string[] = [];
  const repaired = Buffer.alloc(repairedSize);
  let filled = 0;
  for (let at = start; at < end;) {
    if (filled > repairedSize - longestCharacter) {
      parts.push(repaired.toString('utf8', 0, filled));
      filled = 0;
    }
    const length = sequenceLength(bytes, at, end);
    if (length === 0) repaired.writeUIntBE(replacement, filled, 3);
    else bytes.copy(repaired, filled, at, at + length);
    filled += length || 3;
    at += length || 1;
  }
  parts.push(repaired.toString('utf8', 0, filled));
  return parts.join('');
}

/** U+FFFD in UTF-8. */
const replacement = 0xefbfbd;
const repairedSize = 1 << 16;
const longestCharacter = 4;

/** Bytes of the character at `at`; 0 if there is none (Unicode 3.9, table 3-7). */
function sequenceLength(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length === 0 || at + length > end) return 0;
  const second = bytes[at + 1] ?? 0;
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let index = at + 2; index < at + length; index += 1) {
    if (((bytes[index] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

function replaceLoneSurrogates(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}
