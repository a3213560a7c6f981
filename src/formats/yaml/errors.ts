/** What is wrong with a YAML text, as sentences that end in line and column. */

import { YAMLException } from 'js-yaml';
import { type Excerpt, FormatError } from '../../core/errors.ts';
import { makeLocator } from './position.ts';

/** Runs a part of js-yaml. @throws FormatError for what it throws */
export function withYamlErrors<T>(text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    // js-yaml gives no word on what else it may throw.
    if (!(error instanceof YAMLException)) throw new FormatError('YAML cannot be read', { cause: error });
    throw yamlError(text, { message: sentence(error.reason), offset: error.mark?.position ?? 0 });
  }
}

/** `reason` is a clause. */
export function sentence(reason: string): string {
  return `YAML cannot be read: ${reason}`;
}

export interface YamlProblem {
  readonly message: string;
  /** In characters. */
  readonly offset: number;
  readonly hint?: string;
}

/** The error about one place of the text. */
export function yamlError(text: string, { message, offset, hint }: YamlProblem): FormatError {
  const position = makeLocator(text)(offset);
  return new FormatError(message, {
    offset,
    position,
    excerpt: excerptAt(text, offset, position.line),
    ...(hint !== undefined && { hint }),
  });
}

function excerptAt(text: string, offset: number, line: number): Excerpt {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const [shown = ''] = text.slice(start, start + MAX_LINE).split(/\r?\n/, 1);
  const at = Math.min(offset - start, shown.length);
  const visible = hideSecrets(shown);
  return {
    line,
    before: visible.slice(Math.max(0, at - SHOWN_BEFORE), at),
    marked: '',
    after: visible.slice(at, at + SHOWN_BEHIND),
  };
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
