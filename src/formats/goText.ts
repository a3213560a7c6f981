/**
 * Texts as Go's standard library treats them, because Ignition prints and compares its results. Its messages are only equal to
 * the letter if the same characters are escaped. Unquoting is in `dataUrl.ts`, the one place that has a use for it.
 */

import { trimOf } from '../core/trimming.ts';

/** Whether Go's `base64.StdEncoding` decodes all of the text, which has no line breaks. */
export function isGoBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

const letters: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** `text` in double quotes, everything escaped that Go's `strconv.Quote` escapes. */
export function quoteGo(text: string): string {
  return `"${Array.from(text, quoteGoCharacter).join('')}"`;
}

/** One character as it is in double quotes. */
export function quoteGoCharacter(character: string): string {
  const letter = letters[character];
  if (letter !== undefined) return letter;
  if (isPrintable(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code < 0xe000) return '\ufffd';
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function isPrintable(character: string): boolean {
  if (character < '\u007f') return character >= ' ';
  // Not a literal: that would be parsed whenever the program starts, and Unicode classes take a millisecond. Go knows no characters
  // that are newer than Unicode 15.0.
  visible ??= new RegExp(String.raw`^[\p{L}\p{M}\p{N}\p{P}\p{S}]$`, 'u');
  return visible.test(character);
}

let visible: RegExp | undefined;

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** White space as Go and Rust have it. */
export const GO_SPACES =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Go's `strings.TrimSpace` and Rust's `str::trim`: unlike `trim()`, they remove U+0085 and keep U+FEFF. */
export function trimSpace(text: string): string {
  return trimOf(text, GO_SPACES);
}

/** `strings.Cut`: the text before and after the first separator; without one, the whole text and an empty one. */
export function cutText(text: string, separator: string): readonly [before: string, after: string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
