/**
 * The line of a document that a finding refers to, with the place underlined. Of data URLs, only the first characters of the
 * data are shown, because the data may contain secrets.
 */

import type { Span } from '../../core/spans.ts';
import { lineSpans } from '../../formats/lineColumns.ts';
import type { Excerpt } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';

export interface FrameSource {
  readonly bytes: Uint8Array;
  /** By number. */
  readonly lines: ReadonlyMap<number, Span>;
  /** Hidden ranges, in order. */
  readonly hidden: readonly Span[];
}

/** Prepares frames for all these findings, in one pass. */
export function prepareFrames(bytes: Uint8Array, findings: readonly Finding[]): FrameSource {
  const numbers = findings.flatMap(({ position }) => position?.line ?? []);
  const hidden = numbers.length === 0 ? [] : findUrlData(bytes);
  return { bytes, lines: lineSpans(bytes, numbers), hidden };
}

/** Characters of a data URL's data that are shown: enough to see what kind of data it is. */
const SHOWN_DATA = 6;

const DATA_PREFIX = '"data:';

function findUrlData(bytes: Uint8Array): readonly Span[] {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const spans: Span[] = [];
  let at = document.indexOf(DATA_PREFIX);
  while (at !== -1) {
    const end = closingQuote(document, at);
    const comma = document.indexOf(',', at);
    const span = { start: comma + 1 + SHOWN_DATA, end };
    if (comma !== -1 && span.start < span.end) spans.push(span);
    at = document.indexOf(DATA_PREFIX, end);
  }
  return spans;
}

/** Without one, the string goes to the end of the document. */
function closingQuote(document: Buffer, openingQuote: number): number {
  for (let at = openingQuote + 1; at < document.length; at += 1) {
    if (document[at] === QUOTE) return at;
    if (document[at] === BACKSLASH) at += 1;
  }
  return document.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The line of the finding; undefined if the finding has no position, and for a line with NUL, which is no text. */
export function excerptOf(finding: Finding, source: FrameSource): Excerpt | undefined {
  const { position } = finding;
  const { bytes, lines } = source;
  const line = position && lines.get(position.line);
  if (position === undefined || line === undefined || bytes.length === 0) return undefined;
  if (bytes.subarray(line.start, line.end).includes(0)) return undefined;
  const mark = findMark(finding, bytes, line, line.start + position.column - 1);
  return { line: position.line, ...cutLine(source, line, mark) };
}

/** Bytes shown before and after the position; more does not fit on a terminal line. */
const BYTES_BEFORE = 40;
const BYTES_FROM_MARK = 60;

/**
 * Positions point to the start of a scalar or key, to the byte after an opening bracket, or, for errors about the whole
 * document, to the byte after the error.
 */
function findMark({ rule, path }: Finding, bytes: Uint8Array, line: Span, offset: number): Span {
  const before = { start: Math.max(line.start, offset - 1), end: Math.max(line.start + 1, offset) };
  if (rule === 'json-syntax') return before;
  const ending = tokenEndingAt(bytes, line, offset);
  if (path.length === 0 && ending !== undefined) return ending;
  const token = tokenAt(bytes, line, offset);
  const bracket = offset === line.start ? undefined : bytes[offset - 1];
  if (bracket !== 0x5b && bracket !== 0x7b) return token ?? { start: offset, end: offset + 1 };
  if (token === undefined) return before;
  // The position may mean the token after the bracket, as a list item or a key.
  const step = path.at(-1);
  const isToken =
    typeof step === 'number' ? bracket === 0x5b : decodeUtf8(bytes, token) === JSON.stringify(step);
  return isToken ? token : before;
}

/** A string, or a number, `true`, `false` or `null`, or what hides one. It may be longer than what is shown. */
function tokenAt(bytes: Uint8Array, line: Span, start: number): Span | undefined {
  const text = decodeLatin1(bytes, { start, end: Math.min(line.end, start + BYTES_FROM_MARK) });
  const [token] = /^(?:"(?:[^"\\]|\\.?)*"?|[\w.+*-]+)/s.exec(text) ?? [];
  return token === undefined ? undefined : { start, end: start + token.length };
}

/** In YAML, positions point to the start of the value, which follows a blank. */
function tokenEndingAt(bytes: Uint8Array, line: Span, end: number): Span | undefined {
  const text = decodeLatin1(bytes, { start: Math.max(line.start, end - BYTES_BEFORE), end });
  const [token] = /(?:(?:(?<!\\)"|^)(?:[^"]|(?<=\\)")*"|[\w.+*-]+|[^ ])$/s.exec(text) ?? [];
  return token === undefined ? undefined : { start: end - token.length, end };
}

function decodeLatin1(bytes: Uint8Array, { start, end }: Span): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1');
}

function cutLine(source: FrameSource, line: Span, mark: Span): Omit<Excerpt, 'line'> {
  const { bytes } = source;
  const start = characterStart(bytes, Math.max(line.start, mark.start - BYTES_BEFORE), line.start);
  const end = characterStart(bytes, Math.min(line.end, mark.start + BYTES_FROM_MARK), line.start);
  const markEnd = Math.max(mark.start, Math.min(mark.end, end));
  const before = showBytes(source, { start, end: mark.start });
  const after = showBytes(source, { start: markEnd, end });
  return {
    before: start > line.start && !before.startsWith('…') ? `…${before}` : before,
    marked: showBytes(source, { start: mark.start, end: markEnd }),
    after: end < line.end && !after.endsWith('…') ? `${after}…` : after,
  };
}

/** Steps back from the middle of a UTF-8 sequence to its start, where there is one. */
function characterStart(bytes: Uint8Array, offset: number, lowest: number): number {
  let start = offset;
  while (start > lowest && offset - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}

function showBytes({ bytes, hidden }: FrameSource, { start, end }: Span): string {
  let text = '';
  let at = start;
  for (const part of hidden.filter((one) => one.end > start && one.start < end)) {
    text += `${decodeUtf8(bytes, { start: at, end: Math.max(at, part.start) })}…`;
    at = Math.min(end, part.end);
  }
  text += decodeUtf8(bytes, { start: at, end });
  return printable(text.replaceAll('\r', '').replaceAll('\t', '    '));
}

function decodeUtf8(bytes: Uint8Array, { start, end }: Span): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
}
