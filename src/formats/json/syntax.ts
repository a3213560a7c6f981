/**
 * Checks that bytes are one JSON text, as Go's encoding/json does before it decodes: RFC 8259 to the letter, no byte
 * order mark, at most 10000 levels, the error in Go's words. It builds nothing, so memory does not depend on the input;
 * bytes that are not UTF-8 pass, because Go replaces them later.
 */

import { quoteGoCharacter } from '../goText.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './tokens.ts';

/** What Go says about text that is not JSON. `offset` counts the bytes read, the offending one included. */
export interface SyntaxProblem {
  readonly message: string;
  readonly offset: number;
}

export interface SyntaxCheck {
  readonly problem: SyntaxProblem | undefined;
  /** Whether some number is beyond the range of a float64, like `1e999`. It is JSON, but cannot be read as a number. */
  readonly overflows: boolean;
}

/** Reads the bytes once; source: Go's `encoding/json/scanner.go`. */
export function checkSyntax(bytes: Uint8Array): SyntaxCheck {
  const scan: Scan = { bytes, problem: undefined, overflows: false };
  scanDocument(scan);
  const { problem, overflows } = scan;
  return { problem, overflows };
}

/** Whether Go's `encoding/json` would decode a text into `any`: every number must fit into a float64. */
export function isGoJsonText(text: string): boolean {
  const { problem, overflows } = checkSyntax(Buffer.from(text));
  return problem === undefined && !overflows;
}

const MAX_DEPTH = 10_000;

const BLANK = 0x20;
const MINUS = 0x2d;
const PLUS = 0x2b;
const DOT = 0x2e;
const DIGIT0 = 0x30;
const DIGIT9 = 0x39;
const LOWER_U = 0x75;

/** Digits that a number may have without a closer look: fewer than the 309 of the greatest float64. */
const HARMLESS_DIGITS = 300;

/** Digits of an integer that fits into no float64; converting millions of digits would take long. */
const HUGE_DIGITS = 400;

interface Scan {
  readonly bytes: Uint8Array;
  problem: SyntaxProblem | undefined;
  overflows: boolean;
}

/** Scanning stopped at a problem. */
const FAILED = -1;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'next';

function scanDocument(scan: Scan): void {
  const { bytes } = scan;
  const inObject = new Uint8Array(MAX_DEPTH + 1);
  let depth = 0;
  let expected: Expected = 'value';
  for (let at = skipBlanks(bytes, 0); at < bytes.length; at = skipBlanks(bytes, at)) {
    const byte = bytes[at] ?? BLANK;
    if (expected === 'next') {
      if (depth === 0) return void fail(scan, at, 'after top-level value');
      if (byte === COMMA) expected = inObject[depth] === 1 ? 'key' : 'value';
      else if (byte === (inObject[depth] === 1 ? CLOSE_BRACE : CLOSE_BRACKET)) depth -= 1;
      else
        return void fail(
          scan,
          at,
          inObject[depth] === 1 ? 'after object key:value pair' : 'after array element',
        );
      at += 1;
    } else if (expected === ':') {
      if (byte !== COLON) return void fail(scan, at, 'after object key');
      expected = 'value';
      at += 1;
    } else if (
      (expected === 'key or }' && byte === CLOSE_BRACE) ||
      (expected === 'value or ]' && byte === CLOSE_BRACKET)
    ) {
      depth -= 1;
      expected = 'next';
      at += 1;
    } else if (expected === 'key or }' || expected === 'key') {
      if (byte !== QUOTE) return void fail(scan, at, 'looking for beginning of object key string');
      at = scanString(scan, at);
      expected = ':';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === MAX_DEPTH) return void fail(scan, at, 'exceeded max depth');
      depth += 1;
      inObject[depth] = byte === OPEN_BRACE ? 1 : 0;
      expected = byte === OPEN_BRACE ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      at = scanScalar(scan, at);
      expected = 'next';
    }
    if (at === FAILED) return;
  }
  if (expected !== 'next' || depth > 0) scan.problem = unexpectedEnd(bytes);
}

function skipBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte !== BLANK && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

function scanScalar(scan: Scan, start: number): number {
  const byte = scan.bytes[start] ?? BLANK;
  if (byte === QUOTE) return scanString(scan, start);
  if (byte === MINUS || isDigit(byte)) return scanNumber(scan, start);
  const word = words.get(byte);
  if (word === undefined) return fail(scan, start, 'looking for beginning of value');
  for (let index = 1; index < word.length; index += 1) {
    if ((scan.bytes[start + index] ?? BLANK) !== word.charCodeAt(index)) {
      return fail(scan, start + index, `in literal ${word} (expecting '${word.charAt(index)}')`);
    }
  }
  return start + word.length;
}

const words: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

function scanString(scan: Scan, start: number): number {
  const { bytes } = scan;
  let at = start + 1;
  while (at < bytes.length) {
    const byte = bytes[at] ?? BLANK;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) {
      at = scanEscape(scan, at + 1);
      if (at === FAILED) return FAILED;
    } else {
      if (byte < BLANK) return fail(scan, at, 'in string literal');
      at += 1;
    }
  }
  scan.problem = unexpectedEnd(bytes);
  return FAILED;
}

const escapable = new Set([0x62, 0x66, 0x6e, 0x72, 0x74, 0x2f, BACKSLASH, QUOTE]); // b f n r t / \ "

function scanEscape(scan: Scan, at: number): number {
  const byte = scan.bytes[at] ?? BLANK;
  if (escapable.has(byte)) return at + 1;
  if (byte !== LOWER_U) return fail(scan, at, 'in string escape code');
  for (let index = at + 1; index <= at + 4; index += 1) {
    if (!isHexDigit(scan.bytes[index] ?? BLANK)) {
      return fail(scan, index, 'in \\u hexadecimal character escape');
    }
  }
  return at + 5;
}

function scanNumber(scan: Scan, start: number): number {
  const { bytes } = scan;
  let at = bytes[start] === MINUS ? start + 1 : start;
  const first = bytes[at] ?? BLANK;
  if (!isDigit(first)) return fail(scan, at, 'in numeric literal');
  at = first === DIGIT0 ? at + 1 : skipDigits(bytes, at);
  const isHuge = at - start > HUGE_DIGITS;
  if (bytes[at] === DOT) {
    if (!isDigit(bytes[at + 1] ?? BLANK)) return fail(scan, at + 1, 'after decimal point in numeric literal');
    at = skipDigits(bytes, at + 1);
  }
  const hasExponent = bytes[at] === 0x65 || bytes[at] === 0x45;
  if (hasExponent) {
    at += bytes[at + 1] === PLUS || bytes[at + 1] === MINUS ? 2 : 1;
    if (!isDigit(bytes[at] ?? BLANK)) return fail(scan, at, 'in exponent of numeric literal');
    at = skipDigits(bytes, at);
  }
  if (hasExponent || at - start > HARMLESS_DIGITS) {
    scan.overflows ||= (isHuge && !hasExponent) || isBeyondFloat(bytes, start, at);
  }
  return at;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? BLANK)) at += 1;
  return at;
}

function isBeyondFloat(bytes: Uint8Array, start: number, end: number): boolean {
  return !Number.isFinite(Number(Buffer.from(bytes.subarray(start, end)).toString('latin1')));
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT0 && byte <= DIGIT9;
}

/** At the end of input Go lets a virtual blank decide whether what was read is complete. */
function fail(scan: Scan, at: number, context: string): typeof FAILED {
  const byte = scan.bytes[at] ?? BLANK;
  scan.problem = {
    message: `invalid character ${quoteByte(byte)} ${context}`,
    offset: Math.min(at + 1, scan.bytes.length),
  };
  return FAILED;
}

function unexpectedEnd(bytes: Uint8Array): SyntaxProblem {
  return { message: 'unexpected end of JSON input', offset: bytes.length };
}

/** A byte as Go quotes it: taken for a character of Latin-1. */
function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return String.raw`'\''`;
  return byte === QUOTE ? `'"'` : `'${quoteGoCharacter(character)}'`;
}
