/**
 * Reads bytes as one JSON text, as Go's encoding/json does: RFC 8259 to the letter, no byte order mark, errors in Go's words.
 * Bytes that are not UTF-8 are replaced, not refused. Source: Go's `encoding/json/scanner.go`.
 */

import { FormatError, ifWellFormed } from '../../core/errors.ts';
import type { DocumentNode, MappingEntry, ScalarNode } from '../documentTree.ts';
import { quoteGoCharacter } from '../goText.ts';
import { readString } from './strings.ts';

export interface JsonTree {
  readonly root: DocumentNode;
  /** Whether some number is beyond the range of a float64, like `1e999`. It is JSON, but cannot be read as a number. */
  readonly overflows: boolean;
}

export interface JsonLimits {
  /** Objects and lists within each other. */
  readonly depth: number;
  /** Of all levels together, without keys. */
  readonly values: number;
}

/** The depth of Go. Real configs have some thousands of values; each takes a few hundred bytes of memory. */
export const JSON_LIMITS: JsonLimits = { depth: 10_000, values: 500_000 };

/** The text may be JSON, but exceeds a limit. Only too many levels are an error in Go, and have an offset. */
export class JsonLimitError extends FormatError {}

/** @throws FormatError whose offset counts the bytes read, the offending one included */
export function readJsonTree(bytes: Buffer, limits = JSON_LIMITS): JsonTree {
  const reader = new Reader(bytes, limits);
  const root = reader.readDocument();
  return { root, overflows: reader.overflows };
}

/** Whether Go would decode a text into `any`: every number must fit into a float64. */
export function isGoJsonText(text: string): boolean {
  return ifWellFormed(() => readJsonTree(Buffer.from(text)))?.overflows === false;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;
const BLANK = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const DIGIT0 = 0x30;
const DIGIT9 = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const TOO_DEEP = 'exceeded max depth';

/** The letters and signs behind a backslash: b f n r t / \ " */
const escapable = new Set([0x62, 0x66, 0x6e, 0x72, 0x74, 0x2f, BACKSLASH, QUOTE]);

const words: ReadonlyMap<number | undefined, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** Digits that a number may have without a closer look: fewer than the 309 of the greatest float64. */
const HARMLESS_DIGITS = 300;

/** Digits of an integer that fits into no float64; converting millions of digits would take long. */
const HUGE_DIGITS = 400;

/** An object or list whose end is read last. */
type Collection = { end: number } & (
  | { kind: 'mapping'; start: number; style: 'flow'; entries: MappingEntry[] }
  | { kind: 'sequence'; start: number; style: 'flow'; items: DocumentNode[] }
);

class Reader {
  overflows = false;
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  /** It has no recursion, because hostile texts have as many levels as the limit allows. */
  readDocument(): DocumentNode {
    const open: Collection[] = [];
    /** The key of the next value, for each object that is open. */
    const keys: ScalarNode[] = [];
    for (;;) {
      let node = this.#readStart(open.length);
      if (node.kind !== 'scalar' && !this.#reachesEnd(node)) {
        open.push(node);
        if (node.kind === 'mapping') keys[open.length] = this.#readKey();
        continue;
      }
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) {
          if (this.#next() !== undefined) this.#fail('after top-level value');
          return node;
        }
        if (parent.kind === 'sequence') parent.items.push(node);
        else parent.entries.push({ key: keys[open.length]!, value: node });
        if (this.#next() === COMMA) {
          this.#at += 1;
          if (parent.kind === 'mapping') keys[open.length] = this.#readKey();
          break;
        }
        if (!this.#reachesEnd(parent)) {
          this.#fail(parent.kind === 'mapping' ? 'after object key:value pair' : 'after array element');
        }
        open.pop();
        node = parent;
      }
    }
  }

  /** Moves to the next byte that is not blank; undefined at the end. */
  #next(): number | undefined {
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at];
      if (byte !== BLANK && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return byte;
    }
    return undefined;
  }

  /** Reads a scalar, or the opening bracket of an object or list. */
  #readStart(depth: number): Collection | ScalarNode {
    const byte = this.#next();
    const start = this.#at;
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      throw new JsonLimitError(`the JSON text has more than ${this.#limits.values} values`);
    }
    if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) {
      if (byte === QUOTE) return this.#readString();
      if (byte === MINUS || isDigit(byte)) this.#readNumber();
      else this.#readWord(byte);
      const text = this.#bytes.toString('latin1', start, this.#at);
      return { kind: 'scalar', start, end: this.#at, text, style: 'plain' };
    }
    if (depth === this.#limits.depth) this.#fail(TOO_DEEP);
    this.#at += 1;
    return byte === OPEN_BRACE
      ? { kind: 'mapping', start, end: 0, style: 'flow', entries: [] }
      : { kind: 'sequence', start, end: 0, style: 'flow', items: [] };
  }

  #reachesEnd(node: Collection): boolean {
    if (this.#next() !== (node.kind === 'mapping' ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
    this.#at += 1;
    node.end = this.#at;
    return true;
  }

  #readKey(): ScalarNode {
    if (this.#next() !== QUOTE) this.#fail('looking for beginning of object key string');
    const key = this.#readString();
    if (this.#next() !== COLON) this.#fail('after object key');
    this.#at += 1;
    return key;
  }

  #readString(): ScalarNode {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start + 1;
    let bits = 0;
    let isEscaped = false;
    for (;;) {
      if (at >= bytes.length) this.#failAtEnd();
      const byte = bytes[at]!;
      at += 1;
      if (byte === QUOTE) break;
      bits |= byte;
      if (byte === BACKSLASH) {
        isEscaped = true;
        at = this.#skipEscape(at);
      } else if (byte < BLANK) this.#fail('in string literal', at - 1);
    }
    this.#at = at;
    const text = readString(bytes, start, at, isEscaped, bits < 0x80);
    return { kind: 'scalar', start, end: at, text, style: 'double-quoted' };
  }

  #skipEscape(at: number): number {
    const byte = this.#byteAt(at);
    if (escapable.has(byte)) return at + 1;
    if (byte !== LOWER_U) this.#fail('in string escape code', at);
    for (let index = at + 1; index <= at + 4; index += 1) {
      if (!isHexDigit(this.#byteAt(index))) this.#fail('in \\u hexadecimal character escape', index);
    }
    return at + 5;
  }

  #readWord(first: number | undefined): void {
    const word = words.get(first);
    if (word === undefined) this.#fail('looking for beginning of value');
    for (let index = 1; index < word.length; index += 1) {
      if (this.#byteAt(this.#at + index) !== word.charCodeAt(index)) {
        this.#fail(`in literal ${word} (expecting '${word.charAt(index)}')`, this.#at + index);
      }
    }
    this.#at += word.length;
  }

  #readNumber(): void {
    const start = this.#at;
    let at = this.#byteAt(start) === MINUS ? start + 1 : start;
    at = this.#byteAt(at) === DIGIT0 ? at + 1 : this.#skipDigits(at, 'in numeric literal');
    const isHuge = at - start > HUGE_DIGITS;
    if (this.#byteAt(at) === DOT) at = this.#skipDigits(at + 1, 'after decimal point in numeric literal');
    const hasExponent = this.#byteAt(at) === LOWER_E || this.#byteAt(at) === UPPER_E;
    if (hasExponent) {
      const sign = this.#byteAt(at + 1);
      at = this.#skipDigits(at + (sign === PLUS || sign === MINUS ? 2 : 1), 'in exponent of numeric literal');
    }
    if (hasExponent || at - start > HARMLESS_DIGITS) {
      const isBeyond = (): boolean => !Number.isFinite(Number(this.#bytes.toString('latin1', start, at)));
      this.overflows ||= (isHuge && !hasExponent) || isBeyond();
    }
    this.#at = at;
  }

  /** At least one. */
  #skipDigits(start: number, context: string): number {
    if (!isDigit(this.#byteAt(start))) this.#fail(context, start);
    let at = start + 1;
    while (isDigit(this.#bytes[at])) at += 1;
    return at;
  }

  /** Within a token, Go lets a blank behind the end decide whether what was read is complete. */
  #byteAt(at: number): number {
    return this.#bytes[at] ?? BLANK;
  }

  /** @param within the offset in a token; by default the problem is that another token is expected */
  #fail(context: string, within?: number): never {
    const { length } = this.#bytes;
    if (within === undefined && this.#at >= length) this.#failAtEnd();
    const at = within ?? this.#at;
    const message = `invalid character ${quoteByte(this.#byteAt(at))} ${context}`;
    const Kind = context === TOO_DEEP ? JsonLimitError : FormatError;
    throw new Kind(message, { offset: Math.min(at + 1, length) });
  }

  #failAtEnd(): never {
    throw new FormatError('unexpected end of JSON input', { offset: this.#bytes.length });
  }
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT0 && byte <= DIGIT9;
}

/** A byte as Go quotes it: taken for a character of Latin-1. */
function quoteByte(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === "'") return String.raw`'\''`;
  return byte === QUOTE ? `'"'` : `'${quoteGoCharacter(character)}'`;
}
