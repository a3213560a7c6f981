/**
 * Tokens of JSON bytes that are known to be valid (`syntax.ts`): moving over them, and the values of strings and integers.
 * All offsets count bytes; the skip functions take the offset of a token's first byte and return the one behind its last.
 */

import { isAscii, isUtf8 } from 'node:buffer';

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const BACKSLASH = 0x5c;

/** Skips blanks and the separators `,` and `:`, which carry no meaning once the text is known to be valid. */
export function skipToToken(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== COMMA && byte !== COLON && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
      return at;
    at += 1;
  }
}

/** Skips a value of any kind and depth, without recursion. */
export function skipValue(bytes: Uint8Array, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const byte = bytes[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      at += 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      at += 1;
    } else {
      at = byte === QUOTE ? skipString(bytes, at) : skipWord(bytes, at);
    }
    if (depth > 0) at = skipToToken(bytes, at);
  } while (depth > 0);
  return at;
}

/** Skips a string from quote to quote. */
export function skipString(bytes: Uint8Array, start: number): number {
  const searched = start + SEARCH_FROM;
  let at = start + 1;
  while (at < searched) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
  for (;;) {
    const end = bytes.indexOf(QUOTE, at);
    if (end === -1) return bytes.length;
    // An odd number of backslashes escapes the quote.
    let backslashes = 0;
    while (end - backslashes > at && bytes[end - backslashes - 1] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** Bytes after which searching natively is faster than looking at each. */
const SEARCH_FROM = 24;

/** Skips a number, `true`, `false` or `null`. */
export function skipWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= 0x20 || byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || byte === COLON)
      break;
  }
  return at;
}

/** A member of an object: its name, and where its key and its value start. */
export interface Member {
  readonly name: string;
  readonly keyStart: number;
  readonly valueStart: number;
}

/** The members of the object at `start`, in their order. */
export function* membersAt(bytes: Buffer, start: number): Iterable<Member> {
  let keyStart = skipToToken(bytes, start + 1);
  while (bytes[keyStart] !== CLOSE_BRACE) {
    const keyEnd = skipString(bytes, keyStart);
    const valueStart = skipToToken(bytes, keyEnd);
    yield { name: readString(bytes, keyStart, keyEnd), keyStart, valueStart };
    keyStart = skipToToken(bytes, skipValue(bytes, valueStart));
  }
}

/** Where the items of the list at `start` start. */
export function* itemsAt(bytes: Buffer, start: number): Iterable<number> {
  let at = skipToToken(bytes, start + 1);
  while (bytes[at] !== CLOSE_BRACKET) {
    yield at;
    at = skipToToken(bytes, skipValue(bytes, at));
  }
}

// How much a JSON text of strangers would become: looked at before it is parsed, as a few megabytes of brackets grow to
// a hundred times their size, and what is deep cannot be written again without recursion. Whether it is JSON at all is
// left to the parser.

interface JsonBounds {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** Values and keys, of all levels together. */
  readonly values: number;
}

/** Whether the text, if it is JSON, keeps to the bounds. Reads the bytes once. */
export function isWithinBounds(bytes: Uint8Array, bounds: JsonBounds): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === COMMA || byte === COLON) values += 1;
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1;
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1;
      values += 1;
    }
    if (depth > bounds.depth || values > bounds.values) return false;
  }
  return true;
}

// Strings and integers of a JSON text, with the values that Go gives them. The text is known to be valid
// (`syntax.ts`); floating point numbers are not needed.

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
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/**
 * The integer from `start` to `end`, as a bigint only where a number would lose digits; undefined if it has a fraction
 * or an exponent, or does not fit in 64 bits with sign.
 */
export function readInteger(bytes: Buffer, start: number, end: number): number | bigint | undefined {
  if (end - start > LONGEST_INTEGER) return undefined;
  const text = bytes.toString('latin1', start, end);
  if (!/^-?\d+$/.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? exact : undefined;
}

/** Nineteen digits and a sign; JSON has no leading zeros. */
const LONGEST_INTEGER = 20;

function inspect(
  bytes: Buffer,
  start: number,
  end: number,
): { readonly escaped: boolean; readonly ascii: boolean } {
  if (end - start > INSPECT_FROM) {
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

/** Bytes after which native functions inspect a string faster. */
const INSPECT_FROM = 64;

/** Platform decoders replace several bad bytes by one character; Go replaces each. */
function readUtf8(bytes: Buffer, start: number, end: number): string {
  return isUtf8(bytes.subarray(start, end))
    ? bytes.toString('utf8', start, end)
    : readBrokenUtf8(bytes, start, end);
}

/** Goes by way of a small buffer, so that a document full of bad bytes does not need many times its size. */
function readBrokenUtf8(bytes: Buffer, start: number, end: number): string {
  const parts: string[] = [];
  const repaired = Buffer.alloc(REPAIRED_SIZE);
  let filled = 0;
  for (let at = start; at < end;) {
    if (filled > REPAIRED_SIZE - LONGEST_CHARACTER) {
      parts.push(repaired.toString('utf8', 0, filled));
      filled = 0;
    }
    const length = sequenceLength(bytes, at, end);
    if (length === 0) repaired.writeUIntBE(REPLACEMENT, filled, 3);
    else bytes.copy(repaired, filled, at, at + length);
    filled += length || 3;
    at += length || 1;
  }
  parts.push(repaired.toString('utf8', 0, filled));
  return parts.join('');
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = 0xefbfbd;
const REPAIRED_SIZE = 1 << 16;
const LONGEST_CHARACTER = 4;

/** Length of the character at `at` in bytes; 0 for an invalid sequence (Unicode 3.9, table 3-7). */
export function sequenceLength(bytes: Buffer, at: number, end: number): number {
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
