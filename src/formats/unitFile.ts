/** systemd unit files, in two ways: as Ignition reads them, and as systemd itself does. */

import { trimEndOf, trimOf } from '../core/trimming.ts';
import { quoteGo, spaces, trimSpace } from './goText.ts';

// systemd unit files as the Go package go-systemd reads them, which is what Ignition does with every unit and drop-in.
// systemd itself is stricter in some places and laxer in others; nothing here knows which sections or options exist.

interface UnitOption {
  readonly name: string;
  /** Without blanks around it; continued lines keep their backslash and line feed. */
  readonly value: string;
}

interface UnitSection {
  readonly name: string;
  readonly options: UnitOption[];
}

/** Reads a unit file up to its end, or up to what the Go package cannot read; `error` is the error of that package. */
export function parseUnit(text: string): {
  readonly sections: readonly UnitSection[];
  readonly error?: string;
} {
  const reader = new UnitReader(text);
  const sections: UnitSection[] = [];
  try {
    for (let step = skipToStep(reader, false); step !== 'end'; step = skipToStep(reader, true)) {
      if (step === 'section') sections.push({ name: readSectionName(reader), options: [] });
      else sections.at(-1)?.options.push(readOption(reader));
    }
    return { sections };
  } catch (error) {
    if (error instanceof UnitSyntaxError) return { sections, error: error.message };
    throw error;
  }
}

class UnitSyntaxError extends Error {}

/** Before the first section everything but comments is skipped, a character at a time. */
function skipToStep(reader: UnitReader, isInSection: boolean): 'section' | 'option' | 'end' {
  for (;;) {
    reader.checkLine();
    const character = reader.peek();
    if (character === undefined) return 'end';
    const isComment = character === '#' || character === ';';
    if (isInSection && character !== '[' && !isComment && !spaces.has(character)) return 'option';
    reader.skipCharacter();
    if (character === '[') return 'section';
    if (isComment) {
      // A comment whose line ends in a backslash goes on in the next line.
      reader.checkLine();
      let line: string;
      do line = reader.line().text;
      while (line.replace(/ $/, '').endsWith('\\'));
    }
  }
}

function readSectionName(reader: UnitReader): string {
  reader.checkLine();
  const name = reader.through(']');
  if (!name.endsWith(']')) throw new UnitSyntaxError('unable to find end of section');
  reader.checkLine();
  const rest = trimSpace(reader.line().text);
  // The Go package means to name the section here, but the name is always empty.
  if (rest !== '') throw new UnitSyntaxError(`found garbage after section name : ${quoteGo(rest)}`);
  return name.slice(0, -1);
}

function readOption(reader: UnitReader): UnitOption {
  reader.checkLine();
  const name = reader.optionName();
  let value = '';
  let line: string;
  let isLast: boolean;
  do {
    reader.checkLine();
    ({ text: line, isLast } = reader.line());
    if (trimSpace(line) === '') break;
    value += line;
    if (line.endsWith('\\') && !isLast) value += '\n';
  } while (line.endsWith('\\'));
  return { name: trimSpace(name), value: trimSpace(value) + (value.endsWith('\n') ? '\n' : '') };
}

const BUFFER_SIZE = 4096;
const MAX_LINE_LENGTH = 2048;

/**
 * Reads as Go's `bufio.Reader` does. What is in its buffer matters: a line is only found to be too long while enough of
 * it is buffered, so some long lines pass.
 */
class UnitReader {
  /** One character for each byte of the UTF-8 text. */
  readonly #bytes: string;
  readonly #isAscii: boolean;
  readonly #hasReturns: boolean;
  #position = 0;
  /** Where the buffer ends; it is always filled from the position on. */
  #bufferEnd = 0;
  /** The next carriage return or line feed that was found last. */
  #lineEnd = -1;

  constructor(text: string) {
    this.#isAscii = Buffer.byteLength(text) === text.length;
    this.#bytes = this.#isAscii ? text : Buffer.from(text).toString('latin1');
    this.#hasReturns = text.includes('\r');
  }

  /** To be called before every step that go-systemd takes. */
  checkLine(): void {
    if (this.#bufferEnd - this.#position < MAX_LINE_LENGTH) return;
    if (this.#lineEnd < this.#position) this.#lineEnd = this.#findLineEnd();
    if (this.#lineEnd - this.#position >= MAX_LINE_LENGTH) {
      throw new UnitSyntaxError(`line too long (max ${MAX_LINE_LENGTH} bytes)`);
    }
  }

  /** The next character, or undefined at the end; it is not consumed. */
  peek(): string | undefined {
    const start = this.#position;
    const length = characterLength(this.#bytes.charCodeAt(start));
    if (start + length > this.#bufferEnd) this.#fill();
    return length === 0 ? undefined : this.#textOf(start, start + length);
  }

  /** Consumes the character of `peek`. */
  skipCharacter(): void {
    this.#position += characterLength(this.#bytes.charCodeAt(this.#position));
  }

  /** Up to and with the next `delimiter`, or all the rest. */
  through(delimiter: string): string {
    const start = this.#position;
    const found = this.#bytes.indexOf(delimiter, start);
    const stop = found === -1 ? this.#bytes.length : found + 1;
    while (this.#bufferEnd < stop) {
      if (this.#bufferEnd - this.#position >= BUFFER_SIZE) this.#position = this.#bufferEnd;
      this.#fill();
    }
    this.#position = stop;
    return this.#textOf(start, stop);
  }

  /** The rest of the line without its end; `isLast` where the text ends without a line feed. */
  line(): { readonly text: string; readonly isLast: boolean } {
    const text = this.through('\n');
    if (text.endsWith('\n')) return { text: text.slice(0, -1), isLast: false };
    return { text: text.endsWith('\r') ? text.slice(0, -1) : text, isLast: true };
  }

  /** The text before the next equals sign, which is consumed. */
  optionName(): string {
    const start = this.#position;
    const equals = this.#bytes.indexOf('=', start);
    const lineEnd = this.#findLineEnd();
    if (lineEnd < this.#bytes.length && (equals === -1 || lineEnd < equals)) {
      throw new UnitSyntaxError('unexpected newline encountered while parsing option name');
    }
    if (equals === -1) throw new UnitSyntaxError('EOF');
    while (this.#bufferEnd <= equals) {
      this.#position = this.#bufferEnd;
      // A character that the buffer has only a part of is read again with the next one.
      while (isContinuation(this.#bytes.charCodeAt(this.#position))) this.#position -= 1;
      this.#fill();
    }
    this.#position = equals + 1;
    return this.#textOf(start, equals);
  }

  #fill(): void {
    this.#bufferEnd = Math.min(this.#position + BUFFER_SIZE, this.#bytes.length);
  }

  /** Position of the next carriage return or line feed, or the end of the text. */
  #findLineEnd(): number {
    if (!this.#hasReturns) {
      const lineFeed = this.#bytes.indexOf('\n', this.#position);
      return lineFeed === -1 ? this.#bytes.length : lineFeed;
    }
    let index = this.#position;
    while (index < this.#bytes.length && !'\r\n'.includes(this.#bytes.charAt(index))) index += 1;
    return index;
  }

  #textOf(start: number, end: number): string {
    const bytes = this.#bytes.slice(start, end);
    return this.#isAscii ? bytes : Buffer.from(bytes, 'latin1').toString();
  }
}

/** The bytes of the UTF-8 character with this first byte; 0 at the end of the text, where the byte is NaN. */
function characterLength(first: number): number {
  if (Number.isNaN(first)) return 0;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

// systemd unit files as systemd itself reads them: the lines of `config_parse()` in its `conf-parser.c`, systemd.syntax(7).
// Unlike go-systemd's reader above, it accepts lines outside of a section. Left out: what values mean.

/** One line that systemd does not skip; several, where a backslash joins them. */
export type SystemdLine = SystemdText & {
  /** The first of the joined lines; counts from 1. */
  readonly line: number;
};

type SystemdText =
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: string }
  /** Text that is neither, such as a line without an equals sign. */
  | { readonly kind: 'other'; readonly text: string };

/** Every header and assignment in order of appearance, without blanks around names and values. */
export function readSystemdLines(text: string): SystemdLine[] {
  const lines: SystemdLine[] = [];
  let begun = '';
  let start = 0;
  let number = 0;
  // Most texts have one kind of line end, with which they are split much faster.
  const ends = text.includes('\r') || text.includes('\0') ? /\r\n|\n\r|[\n\r\0]/ : '\n';
  for (const line of text.replace(/^\uFEFF/, '').split(ends)) {
    number += 1;
    const stripped = strip(line);
    // Comments are skipped, also between the lines that a backslash joins.
    if (stripped.startsWith('#') || stripped.startsWith(';')) continue;
    const isContinued = line.endsWith('\\') && (line.length - trimEndOf(line, '\\').length) % 2 === 1;
    if (begun === '') start = number;
    if (isContinued) {
      begun += `${line.slice(0, -1)} `;
    } else {
      addLine(lines, begun === '' ? stripped : strip(begun + line), start);
      begun = '';
    }
  }
  addLine(lines, strip(begun), start);
  return lines;
}

/** `line` has no blanks around it. */
function addLine(lines: SystemdLine[], text: string, line: number): void {
  if (text !== '') lines.push({ ...readLine(text), line });
}

function readLine(line: string): SystemdText {
  if (line.startsWith('[')) {
    return line.endsWith(']') ? { kind: 'section', name: line.slice(1, -1) } : { kind: 'other', text: line };
  }
  const equals = line.indexOf('=');
  if (equals <= 0) return { kind: 'other', text: line };
  return {
    kind: 'assignment',
    name: strip(line.slice(0, equals)),
    value: strip(line.slice(equals + 1)),
  };
}

/** Only these are blanks to systemd. */
function strip(text: string): string {
  const isStripped = text.charCodeAt(0) > BLANK && text.charCodeAt(text.length - 1) > BLANK;
  return isStripped ? text : trimOf(text, ' \t\n\r');
}

/** Only control characters have lower codes. */
const BLANK = 0x20;
