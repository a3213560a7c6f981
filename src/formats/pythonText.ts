/**
 * Texts as Python reads them, for formats that Python's own functions define. JavaScript strips other blanks and takes
 * other numbers. Left out: complex numbers, digits of other scripts, and the base argument of `int()`.
 */

import { trimEndOf, trimOf, trimStartOf } from '../core/trimming.ts';

const BLANKS =
  '\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** `str.strip()`. */
export function stripPython(text: string): string {
  return trimOf(text, BLANKS);
}

/** `str.lstrip()`. */
export function stripPythonStart(text: string): string {
  return trimStartOf(text, BLANKS);
}

/** `str.rstrip()`. */
export function stripPythonEnd(text: string): string {
  return trimEndOf(text, BLANKS);
}

/** `int(text)`: decimal, with `_` between digits. Undefined where Python raises ValueError. */
export function parsePythonInteger(text: string): bigint | undefined {
  const digits = stripPython(text);
  if (!/^[+-]?[0-9](?:_?[0-9])*$/.test(digits)) return undefined;
  return BigInt(digits.replaceAll('_', '').replace('+', ''));
}

/** `float(text)`. Undefined where Python raises ValueError. */
export function parsePythonFloat(text: string): number | undefined {
  const number = stripPython(text).toLowerCase();
  const special = /^([+-]?)(inf|infinity|nan)$/.exec(number);
  if (special !== null) return special[2] === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity;
  const digits = '[0-9](?:_?[0-9])*';
  const grammar = new RegExp(`^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:e[+-]?${digits})?$`);
  return grammar.test(number) ? Number(number.replaceAll('_', '')) : undefined;
}

/** `urllib.parse.quote(text)`: slashes are not escaped. */
export function quotePythonUrl(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
