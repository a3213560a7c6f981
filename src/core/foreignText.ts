/**
 * Text from files, servers and machines in messages: it may be of any length, disguise what is printed, or be a secret,
 * because a file may be a link to another one.
 */

/** Escapes control characters, and characters that change the writing direction or are invisible, as `\u001b`. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  // Not a literal, because parsing Unicode classes on each start takes more than a millisecond. Control, format, surrogate and
  // private characters, line and paragraph separators.
  harmful ??= new RegExp(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]`, 'gu');
  return text.replace(harmful, (character) => named.get(character) ?? escape(character));
}

const PLAIN = /^[ -~]*$/;
let harmful: RegExp | undefined;

const named: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Characters of a quoted text: enough for names and most URLs. */
const LONGEST_QUOTE = 100;

/**
 * The text in double quotes, as messages show keys, values and names from outside: shortened, with what is invisible escaped
 * as in JSON, and without password hashes as in /etc/shadow.
 */
export function quoteText(text: string): string {
  return printable(JSON.stringify(shorten(text, LONGEST_QUOTE).replaceAll(PASSWORD_HASH, '$…')));
}

/** In the form of crypt(5). */
const PASSWORD_HASH = /\$[a-z0-9-]{1,10}\$[^\s:]+/gi;

/** The start of a text that is too long, with an ellipsis. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = text.slice(0, longest);
  return `${/[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start}…`;
}

/** Characters of a message. Longer ones quote something that should have been shortened. */
export const LONGEST_MESSAGE = 2000;
