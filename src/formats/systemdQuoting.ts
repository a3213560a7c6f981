/**
 * Words of systemd unit files: quoting, escapes, `%` specifiers and `$` variables, by systemd.syntax(7), the section
 * "COMMAND LINES" of systemd.service(5), and what extract_first_word() and replace_env_argv() of systemd do.
 * Left out: specifiers are not resolved, and prefixes of the program such as `-` and `@` stay part of the first word.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError } from '../core/errors.ts';

/**
 * A word for `ExecStart=` and the like that arrives at the program as exactly this value. Not for the program itself,
 * in which variables are not replaced. Throws FormatError for NUL and lone surrogates, which no argument can have.
 */
export function formatExecArgument(value: string): string {
  checkExpressible(value, 'An argument of a command');
  return quoteWord(value.replaceAll('$', '$$$$'));
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * An assignment for `Environment=`, in which `$` means itself. Throws FormatError for a name that systemd ignores and for
 * values with control characters other than tabs and line feeds.
 */
export function formatEnvironment(name: string, value: string): string {
  if (!VARIABLE_NAME.test(name)) {
    throw new FormatError(`${quoteText(name)} is not a valid environment variable name`, {
      hint: 'use letters, digits and underscores, and do not start with a digit',
    });
  }
  checkExpressible(value, `The environment variable ${name}`);
  if (/(?![\t\n])\p{Cc}/u.test(value)) {
    throw new FormatError(`The environment variable ${name} contains a control character`, {
      hint: 'remove control characters other than tabs and line feeds',
    });
  }
  return quoteWord(`${name}=${value}`);
}

function checkExpressible(value: string, what: string): void {
  if (/[\0\p{Surrogate}]/u.test(value)) {
    throw new FormatError(`${what} cannot contain a NUL or a lone surrogate`);
  }
}

// In a unit these stay as they are anywhere in a word; a lone semicolon is the exception.
const PLAIN_WORD = /^(?!;$)[^\s\p{Cc}"'\\]+$/u;

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

function quoteWord(text: string): string {
  const literal = text.replaceAll('%', '%%');
  if (PLAIN_WORD.test(literal)) return literal;
  const escaped = literal.replaceAll(
    /["\\\p{Cc}]/gu,
    (character) => escapes[character] ?? hexEscape(character),
  );
  return `"${escaped}"`;
}

/** Escapes each byte, because `\x80` and above mean single bytes. */
function hexEscape(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}

export interface ExecWord {
  /** What the program gets; specifiers and variables are still in it as written. */
  readonly text: string;
  /** There is a specifier or variable in it, so the text depends on the host. */
  readonly expands: boolean;
}

/**
 * The commands of an `ExecStart=` value, joined lines included: more than one where a lone `;` separates them. Escapes
 * that systemd does not know stay as they are, as there. Throws FormatError for a quote that is not closed.
 */
export function splitExecLine(line: string): readonly (readonly ExecWord[])[] {
  const commands: ExecWord[][] = [[]];
  for (const { written, text } of readWords(line)) {
    if (written === ';') commands.push([]);
    else if (written === '\\;') commands.at(-1)?.push({ text: ';', expands: false });
    else commands.at(-1)?.push(expandVariables(text));
  }
  return commands.filter((command) => command.length > 0);
}

/** The assignments of an `Environment=` value, each `NAME=value`. */
export function splitEnvironmentLine(line: string): readonly ExecWord[] {
  return readWords(line).map(({ text }) => expandSpecifiers(text));
}

interface Word {
  readonly written: string;
  readonly text: string;
}

const SEPARATORS = ' \t\n\r';

/** Works on bytes, one byte per character, because escapes may be a part of a UTF-8 sequence. */
function readWords(line: string): Word[] {
  const bytes = Buffer.from(line).toString('latin1');
  const words: Word[] = [];
  for (let offset = 0; offset < bytes.length;) {
    if (SEPARATORS.includes(bytes.charAt(offset))) {
      offset++;
      continue;
    }
    const { end, text } = readWord(bytes, offset);
    words.push({ written: bytes.slice(offset, end), text: Buffer.from(text, 'latin1').toString() });
    offset = end;
  }
  return words;
}

function readWord(bytes: string, start: number): { readonly end: number; readonly text: string } {
  let text = '';
  let quote = '';
  let offset = start;
  for (; offset < bytes.length; offset++) {
    const byte = bytes.charAt(offset);
    if (byte === quote) quote = '';
    else if (quote === '' && SEPARATORS.includes(byte)) break;
    else if (quote === '' && (byte === '"' || byte === "'")) quote = byte;
    else if (byte === '\\') {
      const { decoded, length } = readEscape(bytes, offset + 1);
      text += decoded;
      offset += length;
    } else text += byte;
  }
  if (quote !== '') throw new FormatError('A quote is not closed', { offset: start });
  return { end: offset, text };
}

const simpleEscapes = new Map<string, string>();
for (const pair of ['a\u0007', 'b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v', '\\\\', '""', "''", 's ']) {
  simpleEscapes.set(pair.charAt(0), pair.charAt(1));
}

/** `offset` is behind the backslash; `decoded` are bytes. Without a known escape, the backslash is one of them. */
function readEscape(bytes: string, offset: number): { readonly decoded: string; readonly length: number } {
  const simple = simpleEscapes.get(bytes.charAt(offset));
  if (simple !== undefined) return { decoded: simple, length: 1 };
  NUMERIC_ESCAPE.lastIndex = offset;
  const [written = '', hex, octal, short, long] = NUMERIC_ESCAPE.exec(bytes) ?? [];
  const unicode = short ?? long;
  if (unicode !== undefined) {
    const codePoint = Number.parseInt(unicode, 16);
    const isCharacter =
      codePoint > 0 && codePoint <= 0x10_ff_ff && (codePoint < 0xd8_00 || codePoint > 0xdf_ff);
    const utf8 = isCharacter ? Buffer.from(String.fromCodePoint(codePoint)).toString('latin1') : '';
    if (isCharacter) return { decoded: utf8, length: written.length };
  }
  const byte = hex === undefined ? Number.parseInt(octal ?? '0', 8) : Number.parseInt(hex, 16);
  if (byte > 0 && byte < 256) return { decoded: String.fromCodePoint(byte), length: written.length };
  return { decoded: '\\', length: 0 };
}

const NUMERIC_ESCAPE = /x([0-9A-Fa-f]{2})|([0-7]{3})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})/y;

/** `%%` is a percent sign; other specifiers stay. */
function expandSpecifiers(text: string): ExecWord {
  if (!text.includes('%')) return { text, expands: false };
  let expands = false;
  const expanded = text.replaceAll(/%([%a-zA-Z])/g, (specifier, letter) => {
    if (letter === '%') return '%';
    expands = true;
    return specifier;
  });
  return { text: expanded, expands };
}

/**
 * After specifiers: `$$` is a dollar sign, `${NAME}` anywhere is a variable, and so is a whole word that starts with `$`,
 * which goes away where no variable has the name.
 */
function expandVariables(text: string): ExecWord {
  const word = expandSpecifiers(text);
  if (!word.text.includes('$')) return word;
  if (/^\$(?![{$])/.test(word.text)) return { ...word, expands: true };
  let { expands } = word;
  // A search for the end of each `${` behind the last brace would take quadratic time.
  const braced = word.text.slice(0, word.text.lastIndexOf('}') + 1);
  const expanded = braced.replaceAll(/\$(\$|\{[^}]*\})/g, (match, what) => {
    if (what === '$') return '$';
    expands = true;
    return match;
  });
  return { text: expanded + word.text.slice(braced.length).replaceAll('$$', '$'), expands };
}
