/**
 * Texts as Go's standard library treats them, because Ignition prints and compares its results. Its messages are only equal to
 * the letter if the same characters are escaped. Unquoting is in `dataUrl.ts`, the one place that has a use for it.
 */

import { trimOf } from '../core/trimming.ts';

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

// Go knows the characters of Unicode 15.0. Newer ones, as far as Unicode 17.0, are not printable to it; ranges may span
// code points that no version has assigned.
const NEWER_CHARACTERS =
  '88f-897 c5c cdc 1acf-1aeb 1b4e-1b4f 1b7f 1c89-1c8a 20c1 2427-2429 2b96 2ffc-2fff 31e4-31ef a7cb-a7cf a7d2 a7d4 ' +
  'a7da-a7f1 fbc3-fbd2 fd90-fd91 fdc8-fdce 105c0-105f3 10940-10959 10d40-10d8f 10ec2-10efc 11380-113e2 116d0-116e3 ' +
  '11b60-11bf9 11db0-11de9 11f5a 13460-143fa 16100-16139 16d40-16d79 16ea0-16ed3 16ff2-16ff6 187f8-187ff 18cff ' +
  '18d09-18df2 1cc00-1cef0 1e5d0-1e6ff 1f6d8 1f777-1f77a 1f8b2-1f8d8 1fa54-1fa57 1fa89-1fa8f 1fabe 1fac6-1facd ' +
  '1fadc-1fadf 1fae9-1faef 1fbcb-1fbef 1fbfa 2b73a-2b73f 2cea2-2cead 2ebf0-2ee5d 323b0-33479';

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
  patterns ??= {
    // Not a literal: that would be parsed whenever the program starts, and Unicode classes take a millisecond.
    printable: new RegExp(String.raw`^[\p{L}\p{M}\p{N}\p{P}\p{S}]$`, 'u'),
    newer: codePointRanges(NEWER_CHARACTERS),
  };
  return patterns.printable.test(character) && !patterns.newer.test(character);
}

let patterns: { readonly printable: RegExp; readonly newer: RegExp } | undefined;

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

function codePointRanges(list: string): RegExp {
  const ranges = list.replaceAll(/[0-9a-f]+/g, String.raw`\u{$&}`).replaceAll(' ', '');
  return new RegExp(`^[${ranges}]$`, 'u');
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
