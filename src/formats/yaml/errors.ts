/** Errors about a YAML text, with line and column. */

import { YAMLException } from 'js-yaml';
import { FormatError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import type { Position } from '../../core/finding.ts';

/** The FormatError for an error of js-yaml, which does not document what it throws besides its own exceptions. */
export function explainedError(text: string, error: unknown): FormatError {
  if (!(error instanceof YAMLException)) return new FormatError('Invalid YAML', { cause: error });
  const { mark, reason } = error;
  const position = mark?.position ?? 0;
  const hint = reason.startsWith('duplicated mapping key')
    ? `remove one of the two keys ${quoteText(keyAt(text, position))}`
    : fixes.find(([start]) => reason.startsWith(start))?.[1];
  return yamlError(text, sentence(reason), position, hint);
}

const ESCAPE = 'use single quotes, in which a backslash has no meaning';

/** How to fix common errors, by the start of the reason that js-yaml gives. */
const fixes: readonly (readonly [reason: string, hint: string])[] = [
  ['tab characters', 'indent with spaces'],
  [
    'bad indentation',
    'indent all entries equally, write a space after each colon, and put values with special characters in quotes',
  ],
  ['deficient indentation', 'add the missing bracket or quote above, or indent the line'],
  ['missed comma', 'add a comma between the entries'],
  ['unexpected end of the stream within a flow', 'add the missing bracket'],
  ['unexpected end of the stream within a', 'add the missing quote'],
  ['unknown escape sequence', ESCAPE],
  ['expected hexadecimal character', ESCAPE],
  ['a whitespace character is expected', 'add a space after the colon'],
  ['can not read a block mapping entry', 'write each entry as "KEY: VALUE"'],
  ['end of the stream or a document separator', 'write each entry as "KEY: VALUE"'],
];

/** The key as it is written, without quotes; its opening quote is before the position. */
function keyAt(text: string, position: number): string {
  return text.slice(position, position + MAX_LINE).split(/["'\r\n]|\s*:(?:\s|$)/, 1)[0] ?? '';
}

/** `reason` is a clause. */
export function sentence(reason: string): string {
  return `Invalid YAML: ${reason}`;
}

/** The error about one place of the text; `offset` counts characters. */
export function yamlError(text: string, message: string, offset: number, hint?: string): FormatError {
  const position = makeLocator(text)(offset);
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const [shown = ''] = text.slice(start, start + MAX_LINE).split(/\r?\n/, 1);
  const at = Math.min(offset - start, shown.length);
  const visible = hideSecrets(shown);
  return new FormatError(message, {
    offset,
    position,
    excerpt: {
      line: position.line,
      before: visible.slice(Math.max(0, at - SHOWN_BEFORE), at),
      marked: '',
      after: visible.slice(at, at + SHOWN_BEHIND),
    },
    hint,
  });
}

/** Characters that are shown before and behind the place. */
const SHOWN_BEFORE = 40;
const SHOWN_BEHIND = 60;

/** Characters of a line that are looked at. */
const MAX_LINE = 400;

/** The key of the line, and its value unless that may be a secret; text without a key may be the rest of one. */
function hideSecrets(line: string): string {
  const [, start = '', key = ''] =
    /^([ \t]*(?:- +)*(["']?[A-Za-z][\w.-]*["']?:(?=[ \t]|$))?)/.exec(line) ?? [];
  const value = line.slice(start.length);
  const isShown = key !== '' && !SECRET_KEY.test(key) && !/:\/\/[^\s/]*@/.test(value);
  return isShown ? line : start + value.replaceAll(/\S/g, '*');
}

const SECRET_KEY = /pass|psk|secret|token|auth|key|hash|cred|conf|content/i;

// Lines and columns of a text that may be long, or one long line, and may be asked for often.

/**
 * From offsets in characters to lines and columns, which count bytes of UTF-8. What is to be known of the text is found
 * out when it is first needed.
 */
export function makeLocator(text: string): (offset: number) => Position {
  let known: { readonly lines: readonly number[]; readonly marks: readonly number[] } | undefined;
  return (offset) => {
    known ??= lookThrough(text);
    const { lines, marks } = known;
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

/** Characters between two marks: JSON can be a single line of many megabytes. */
const MARK_DISTANCE = 1024;

/** Where each line starts, and how many bytes are before each mark. */
function lookThrough(text: string): { readonly lines: number[]; readonly marks: number[] } {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  const marks = [0];
  let bytes = 0;
  for (let at = MARK_DISTANCE; at <= text.length; at += MARK_DISTANCE) {
    bytes += countBytes(text, at - MARK_DISTANCE, at);
    marks.push(bytes);
  }
  return { lines, marks };
}

function bytesBefore(text: string, offset: number, marks: readonly number[]): number {
  const mark = Math.floor(offset / MARK_DISTANCE);
  return (marks[mark] ?? 0) + countBytes(text, mark * MARK_DISTANCE, offset);
}

/** In UTF-8, where a surrogate pair has four bytes. */
function countBytes(text: string, start: number, end: number): number {
  let bytes = end - start;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) bytes += code >= 0x800 && !(code >= 0xd800 && code < 0xe000) ? 2 : 1;
  }
  return bytes;
}
