/**
 * Checks that bytes are one JSON text, as Go's encoding/json does before it decodes: RFC 8259 to the letter, no byte
 * order mark, at most 10000 levels, the error in Go's words. It builds nothing, so memory does not depend on the input;
 * bytes that are not UTF-8 pass, because Go replaces them later.
 */

import { quoteGoCharacter } from '../goText.ts';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
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

const maxDepth = 10_000;

const blank = 0x20;
const minus = 0x2d;
const plus = 0x2b;
const dot = 0x2e;
const digit0 = 0x30;
const digit9 = 0x39;
const lowerU = 0x75;

/** Digits that a number may have without a closer look: fewer than the 309 of the greatest float64. */
const harmlessDigits = 300;

/** Digits of an integer that fits into no float64; converting millions of digits would take long. */
const hugeDigits = 400;

interface Scan {
  readonly bytes: Uint8Array;
  problem: SyntaxProblem | undefined;
  overflows: boolean;
}

/** Scanning stopped at a problem. */
const failed = -1;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'next';

function scanDocument(scan: Scan): void {
  const { bytes } = scan;
  const inObject = new Uint8Array(maxDepth + 1);
  let depth = 0;
  let expected: Expected = 'value';
  for (let at = skipBlanks(bytes, 0); at < bytes.length; at = skipBlanks(bytes, at)) {
    const byte = bytes[at] ?? blank;
    if (expected === 'next') {
      if (depth === 0) return void fail(scan, at, 'after top-level value');
      if (byte === comma) expected = inObject[depth] === 1 ? 'key' : 'value';
      else if (byte === (inObject[depth] === 1 ? closeBrace : closeBracket)) depth -= 1;
      else
        return void fail(
          scan,
          at,
          inObject[depth] === 1 ? 'after object key:value pair' : 'after array element',
        );
      at += 1;
    } else if (expected === ':') {
      if (byte !== colon) return void fail(scan, at, 'after object key');
      expected = 'value';
      at += 1;
    } else if (
      (expected === 'key or }' && byte === closeBrace) ||
      (expected === 'value or ]' && byte === closeBracket)
    ) {
      depth -= 1;
      expected = 'next';
      at += 1;
    } else if (expected === 'key or }' || expected === 'key') {
      if (byte !== quote) return void fail(scan, at, 'looking for beginning of object key string');
      at = scanString(scan, at);
      expected = ':';
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === maxDepth) return void fail(scan, at, 'exceeded max depth');
      depth += 1;
      inObject[depth] = byte === openBrace ? 1 : 0;
      expected = byte === openBrace ? 'key or }' : 'value or ]';
      at += 1;
    } else {
      at = scanScalar(scan, at);
      expected = 'next';
    }
    if (at === failed) return;
  }
  if (expected !== 'next' || depth > 0) scan.problem = unexpectedEnd(bytes);
}

function skipBlanks(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte !== blank && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

function scanScalar(scan: Scan, start: number): number {
  const byte = scan.bytes[start] ?? blank;
  if (byte === quote) return scanString(scan, start);
  if (byte === minus || isDigit(byte)) return scanNumber(scan, start);
  const word = words.get(byte);
  if (word === undefined) return fail(scan, start, 'looking for beginning of value');
  for (let index = 1; index < word.length; index += 1) {
    if ((scan.bytes[start + index] ?? blank) !== word.charCodeAt(index)) {
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
    const byte = bytes[at] ?? blank;
    if (byte === quote) return at + 1;
    if (byte === backslash) {
      at = scanEscape(scan, at + 1);
      if (at === failed) return failed;
    } else {
      if (byte < blank) return fail(scan, at, 'in string literal');
      at += 1;
    }
  }
  scan.problem = unexpectedEnd(bytes);
  return failed;
}

const escapable = new Set([0x62, 0x66, 0x6e, 0x72, 0x74, 0x2f, backslash, quote]); // b f n r t / \ "

function scanEscape(scan: Scan, at: number): number {
  const byte = scan.bytes[at] ?? blank;
  if (escapable.has(byte)) return at + 1;
  if (byte !== lowerU) return fail(scan, at, 'in string escape code');
  for (let index = at + 1; index <= at + 4; index += 1) {
    if (!isHexDigit(scan.bytes[index] ?? blank)) {
      return fail(scan, index, 'in \\u hexadecimal character escape');
    }
  }
  return at + 5;
}

function scanNumber(scan: Scan, start: number): number {
  const { bytes } = scan;
  let at = bytes[start] === minus ? start + 1 : start;
  const first = bytes[at] ?? blank;
  if (!isDigit(first)) return fail(scan, at, 'in numeric literal');
  at = first === digit0 ? at + 1 : skipDigits(bytes, at);
  const isHuge = at - start > hugeDigits;
  if (bytes[at] === dot) {
    if (!isDigit(bytes[at + 1] ?? blank)) return fail(scan, at + 1, 'after decimal point in numeric literal');
    at = skipDigits(bytes, at + 1);
  }
  const hasExponent = bytes[at] === 0x65 || bytes[at] === 0x45;
  if (hasExponent) {
    at += bytes[at + 1] === plus || bytes[at + 1] === minus ? 2 : 1;
    if (!isDigit(bytes[at] ?? blank)) return fail(scan, at, 'in exponent of numeric literal');
    at = skipDigits(bytes, at);
  }
  if (hasExponent || at - start > harmlessDigits) {
    scan.overflows ||= (isHuge && !hasExponent) || isBeyondFloat(bytes, start, at);
  }
  return at;
}

function skipDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? blank)) at += 1;
  return at;
}

function isBeyondFloat(bytes: Uint8Array, start: number, end: number): boolean {
  return !Number.isFinite(Number(Buffer.from(bytes.subarray(start, end)).toString('latin1')));
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= digit0 && byte <= digit9;
}

/** At the end of input Go lets a virtual blank decide whether what was read is complete. */
function fail(scan: Scan, at: number, context: string): typeof failed {
  const byte = scan.bytes[at] ?? blank;
  scan.problem = {
    message: `invalid character ${quoteByte(byte)} ${context}`,
    offset: Math.min(at + 1, scan.bytes.length),
  };
  return failed;
}

function unexpectedEnd(bytes: Uint8Array): SyntaxProblem {
  return { message: 'unexpected end of JSON input', offset: bytes.length };
}

/** A byte as Go quotes it: taken for a character of Latin-1. */
function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return String.raw`'\''`;
  return byte === quote ? `'"'` : `'${quoteGoCharacter(character)}'`;
}
