/**
 * Data URLs as Ignition reads them, with the Go package dataurl: RFC 2397 with a closed list of media types, `base64` in
 * last place only, and no raw blanks in the data. Errors have that package's own words, because Ignition reports them.
 * Ignition parses the text as a URL first (`goUrl.ts`); what only that step refuses is not refused here.
 */

import { FormatError } from '../core/errors.ts';
import { BAD_ESCAPE, unescapeInPlace } from './percentEscapes.ts';

/** The error for an invalid data URL, as the Go package reports it, or undefined for a valid one. */
export function checkDataUrl(source: string): string | undefined {
  const layout = scanDataUrl(source);
  return typeof layout === 'string' ? layout : undefined;
}

/** @throws FormatError where {@link checkDataUrl} returns an error; the message does not repeat the data. */
export function decodeDataUrl(source: string): Uint8Array {
  const layout = scanDataUrl(source);
  if (typeof layout === 'string') {
    const hint = 'use data:,TEXT with the text percent-encoded, or data:;base64,DATA';
    throw new FormatError(`not a valid data URL: ${layout}`, { hint });
  }
  const encoded = source.slice(layout.dataStart);
  return layout.isBase64 ? Buffer.from(encoded, 'base64') : unescapeInPlace(Buffer.from(encoded, 'latin1'));
}

interface Layout {
  readonly isBase64: boolean;
  readonly dataStart: number;
}

/** Goes through the text in the order in which the Go package does; returns the error or the layout. */
function scanDataUrl(source: string): Layout | string {
  const prefix = 'data:';
  if (!source.startsWith(prefix)) return 'missing data prefix';
  const mediaEnd = scanMediaType(source, prefix.length);
  if (typeof mediaEnd === 'string') return mediaEnd;
  const parameters = scanParameters(source, mediaEnd);
  if (typeof parameters === 'string') return parameters;
  const { isBase64 } = parameters;
  const dataStart = parameters.end + 1;
  if (findNext(isBase64 ? NOT_BASE64 : NOT_PLAIN, source, dataStart) < source.length) {
    return 'invalid data character';
  }
  const offset = isBase64 ? badBase64Offset(source, dataStart) : undefined;
  if (offset !== undefined) return `illegal base64 data at input byte ${offset - dataStart}`;
  const problem = isBase64 ? undefined : unescapeProblem(source.slice(dataStart));
  return problem ?? { isBase64, dataStart };
}

const MEDIA_TYPES = /^(?:text|image|audio|video|application|message|multipart)/;

/** Returns the error, or the position of the semicolon or comma after the media type. */
function scanMediaType(source: string, start: number): number | string {
  const first = source.charAt(start);
  if (first === '') return 'missing comma before data';
  if (first === ';' || first === ',') return start;
  if (findNext(NOT_TOKEN, source, start) === start) return 'invalid character after data prefix';

  // After an x, the second character is taken before it is looked at.
  const startsWithX = first === 'x' || first === 'X';
  const [second = ''] = startsWithX ? source.slice(start + 1, start + 3) : '';
  const slash = findNext(NOT_TOKEN, source, start + first.length + second.length);
  if (slash >= source.length) return 'missing media type slash';
  if (source[slash] !== '/') return 'invalid character for media type';
  const type = source.slice(start, slash);
  if (!(startsWithX && second === '-') && !MEDIA_TYPES.test(type)) return 'invalid media type';

  const end = findNext(NOT_TOKEN, source, slash + 1);
  if (end >= source.length) return 'incomplete media type';
  if (source[end] !== ';' && source[end] !== ',') return 'invalid character for media subtype';
  return end;
}

/** Returns the error, or the position of the comma before the data; `start` is at a semicolon or a comma. */
function scanParameters(source: string, start: number): { isBase64: boolean; end: number } | string {
  let position = start;
  let unquoteNext = false;
  while (source[position] === ';') {
    const afterAttribute = findNext(NOT_TOKEN, source, position + 1);
    const attribute = source.slice(position + 1, afterAttribute);
    const next = source[afterAttribute];
    if (next !== undefined && next !== '=' && next !== ',')
      return 'invalid character for parameter attribute';
    if (next === undefined || attribute === '') return 'unterminated parameter sequence';
    if (next === ',') {
      return attribute === 'base64'
        ? { isBase64: true, end: afterAttribute }
        : `expected base64, got ${attribute}`;
    }

    const isQuoted = source[afterAttribute + 1] === '"';
    const value = afterAttribute + (isQuoted ? 2 : 1);
    const end = isQuoted ? skipQuoted(source, value) : findNext(NOT_TOKEN, source, value);
    const valueError = isQuoted ? quotedProblem(source, end) : tokenProblem(source, value, end);
    if (valueError !== undefined) return valueError;

    // An empty quoted value leaves the Go package waiting for something to unquote: it then forgets to unescape.
    unquoteNext = unquoteNext || isQuoted;
    const text = source.slice(value, end);
    const textError = unquoteNext ? unquoteProblem(text) : unescapeProblem(text);
    if (textError !== undefined) return textError;
    unquoteNext = unquoteNext && text === '';
    position = isQuoted ? end + 1 : end;
    if (position >= source.length) return 'missing comma before data';
    if (source[position] !== ';' && source[position] !== ',') return 'expected semicolon or comma';
  }
  return { isBase64: false, end: position };
}

function tokenProblem(source: string, start: number, end: number): string | undefined {
  if (end >= source.length) return 'missing comma before data';
  const isTerminated = end > start && (source[end] === ';' || source[end] === ',');
  return isTerminated ? undefined : 'invalid character for parameter value';
}

/** Where a quoted value ends: at its quote, at the end of the text, or at what it must not have. */
function skipQuoted(source: string, start: number): number {
  let position = start;
  while (position < source.length && source[position] !== '"' && source.charCodeAt(position) < 0x80) {
    if (source[position] !== '\\') position += 1;
    else if (source.charCodeAt(position + 1) >= 0x80) break;
    else position += 2;
  }
  return position;
}

function quotedProblem(source: string, end: number): string | undefined {
  if (end >= source.length) return 'unclosed quoted string';
  if (source[end] === '"') return undefined;
  return source[end] === '\\' ? 'invalid escaped character' : 'invalid character for parameter value';
}

const ESCAPE_SEQUENCE =
  /\\(?:[abfnrtv\\"]|x[0-9A-Fa-f]{2}|[0-3][0-7]{2}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/y;

/** Whether the inside of a quoted string is one in Go source code. */
function unquoteProblem(text: string): string | undefined {
  const problem = 'invalid syntax';
  if (text.includes('\n')) return problem;
  for (let index = text.indexOf('\\'); index !== -1; index = text.indexOf('\\', ESCAPE_SEQUENCE.lastIndex)) {
    ESCAPE_SEQUENCE.lastIndex = index;
    const match = ESCAPE_SEQUENCE.exec(text);
    if (match === null) return problem;
    const code = Number.parseInt(match[1] ?? match[2] ?? '0', 16);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return problem;
  }
  return undefined;
}

// Characters that end a token, plain data, base64, and line feeds. No expression repeats a class, which would require a
// deep stack.
const NOT_TOKEN = /[^!#$%&'*+\-.0-9A-Z^_`a-z{|}~]/g;
const NOT_PLAIN = /[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]/g;
const NOT_BASE64 = /[^A-Za-z0-9+/=\n]/g;
const NOT_LINE_FEED = /[^\n]/g;

/** The position of the first match, or the end. */
function findNext(pattern: RegExp, source: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.exec(source)?.index ?? source.length;
}

function unescapeProblem(text: string): string | undefined {
  const match = BAD_ESCAPE.exec(text);
  if (match === null) return undefined;
  const isCutOff = match.index + match[0].length === text.length;
  return `rfc2396: ${isCutOff ? 'unexpected end of' : 'invalid char 0x25 in'} unescape sequence`;
}

/**
 * Where Go's `base64.StdEncoding` gives up: padding is strict, line feeds may be anywhere, spare bits have any value. Every
 * character is already known to be of the alphabet, `=` or a line feed.
 */
function badBase64Offset(source: string, start: number): number | undefined {
  const firstPad = source.indexOf('=', start);
  const digitsEnd = firstPad === -1 ? source.length : firstPad;
  let count = digitsEnd - start;
  for (let at = source.indexOf('\n', start); at !== -1 && at < digitsEnd; at = source.indexOf('\n', at + 1)) {
    count -= 1;
  }
  const digits = count % 4;
  if (firstPad === -1) return digits === 0 ? undefined : source.length - digits;
  if (digits < 2) return firstPad;

  let end = firstPad + 1;
  if (digits === 2) {
    const second = findNext(NOT_LINE_FEED, source, end);
    if (second === source.length) return second;
    if (source[second] !== '=') return second - 1;
    end = second + 1;
  }
  end = findNext(NOT_LINE_FEED, source, end);
  return end < source.length ? end : undefined;
}
