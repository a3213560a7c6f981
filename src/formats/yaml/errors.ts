/** Errors about a YAML text, with line and column. */

import { YAMLException } from 'js-yaml';
import { FormatError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { lineColumns } from '../lineColumns.ts';

/** The FormatError for an error of js-yaml, which does not document what it throws besides its own exceptions. */
export function explainedError(text: string, error: unknown): FormatError {
  if (!(error instanceof YAMLException)) return new FormatError('Invalid YAML', { cause: error });
  const { mark, reason } = error;
  const offset = mark?.position ?? 0;
  const first = text[offset] ?? '';
  const [problem, hint] = RESERVED.test(first)
    ? [`a value cannot begin with ${quoteText(first)}`, 'put the value in single quotes']
    : [reason, fixes.find(([start]) => reason.startsWith(start))?.[1]];
  return yamlError(text, sentence(problem), offset, hint);
}

/** Reserved indicators, and the indicator of a directive (YAML 1.2.2, sections 5.3 and 7.3.3). */
const RESERVED = /^[@`%]$/;

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

/** `reason` is a clause. */
export function sentence(reason: string): string {
  return `Invalid YAML: ${reason}`;
}

/** The error about one place of the text; `offset` counts characters. */
export function yamlError(text: string, message: string, offset: number, hint?: string): FormatError {
  const position = lineColumns(text)(offset);
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
