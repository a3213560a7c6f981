/**
 * systemd unit files as the Go package go-systemd reads them, which is what Ignition does with every unit and drop-in. systemd
 * itself is stricter in some places and laxer in others; nothing here knows which sections or options exist.
 */

import { GO_SPACES, quoteGo, trimSpace } from './goText.ts';

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
    if (isInSection && character !== '[' && !isComment && !GO_SPACES.includes(character)) return 'option';
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
const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Reads as Go's `bufio.Reader` does. What is in its buffer matters: a line is only found to be too long while enough of
 * it is buffered, so some long lines pass.
 */
class UnitReader {
  readonly #bytes: Buffer;
  #position = 0;
  /** Where the buffer ends; it is always filled from the position on. */
  #bufferEnd = 0;

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
  }

  /** To be called before every step that go-systemd takes. */
  checkLine(): void {
    if (this.#bufferEnd - this.#position < MAX_LINE_LENGTH) return;
    if (hasLineEnd(this.#bytes.subarray(this.#position, this.#position + MAX_LINE_LENGTH))) return;
    throw new UnitSyntaxError(`line too long (max ${MAX_LINE_LENGTH} bytes)`);
  }

  /** The next character, or undefined at the end; it is not consumed. */
  peek(): string | undefined {
    const end = this.#position + characterLength(this.#bytes[this.#position]);
    if (end > this.#bufferEnd) this.#fill();
    return end === this.#position ? undefined : this.#bytes.toString('utf8', this.#position, end);
  }

  /** Consumes the character of `peek`. */
  skipCharacter(): void {
    this.#position += characterLength(this.#bytes[this.#position]);
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
    return this.#bytes.toString('utf8', start, stop);
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
    const name = this.#bytes.subarray(start, equals === -1 ? undefined : equals);
    if (hasLineEnd(name))
      throw new UnitSyntaxError('unexpected newline encountered while parsing option name');
    if (equals === -1) throw new UnitSyntaxError('EOF');
    while (this.#bufferEnd <= equals) {
      this.#position = this.#bufferEnd;
      // A character that the buffer has only a part of is read again with the next one.
      while ((this.#bytes[this.#position]! & 0xc0) === 0x80) this.#position -= 1;
      this.#fill();
    }
    this.#position = equals + 1;
    return name.toString();
  }

  #fill(): void {
    this.#bufferEnd = Math.min(this.#position + BUFFER_SIZE, this.#bytes.length);
  }
}

function hasLineEnd(bytes: Buffer): boolean {
  return bytes.includes(LINE_FEED) || bytes.includes(CARRIAGE_RETURN);
}

/** The bytes of the UTF-8 character with this first byte; 0 at the end of the text. */
function characterLength(first: number | undefined): number {
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}
