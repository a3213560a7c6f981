/**
 * Reads bytes as one JSON text, as Go's encoding/json does: RFC 8259 to the letter, no byte order mark, errors in Go's words.
 * Bytes that are not UTF-8 are replaced, not refused. Source: Go's `encoding/json/scanner.go`.
 */

import { FormatError, ifWellFormed } from '../../core/errors.ts';
import type { DocumentNode, MappingEntry, ScalarNode } from '../documentTree.ts';
import { quoteGoCharacter } from '../goText.ts';
import { formatSizeInWords } from '../messageText.ts';
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

/** JavaScript has no text of twice as many bytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The text may be JSON, but exceeds a limit. Only too many levels are an error in Go, and have an offset. */
export class JsonLimitError extends FormatError {}

/** @throws FormatError whose offset counts the bytes read, the offending one included */
export function readJsonTree(bytes: Buffer, limits = JSON_LIMITS): JsonTree {
  if (bytes.length > MAX_BYTES)
    throw new JsonLimitError(`the JSON text has more than ${formatSizeInWords(MAX_BYTES)}`);
  const reader = new Reader(bytes, limits);
  const root = reader.readDocument();
  return { root, overflows: reader.overflows };
}

/** Whether Go would decode a text into `any`: every number must fit into a float64. */
export function isGoJsonText(text: string): boolean {
  return ifWellFormed(() => readJsonTree(Buffer.from(text)))?.overflows === false;
}

const TOO_DEEP = 'exceeded max depth';

const words: ReadonlyMap<string, string> = new Map([
  ['t', 'true'],
  ['f', 'false'],
  ['n', 'null'],
]);

/** An object or list whose end is read last. */
type Collection = { end: number } & (
  | { kind: 'mapping'; start: number; style: 'flow'; entries: MappingEntry[] }
  | { kind: 'sequence'; start: number; style: 'flow'; items: DocumentNode[] }
);

class Reader {
  overflows = false;
  readonly #bytes: Buffer;
  /** One character for each byte. */
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#text = bytes.toString('latin1');
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
          if (this.#next() !== '') this.#fail('after top-level value');
          return node;
        }
        if (parent.kind === 'sequence') parent.items.push(node);
        else parent.entries.push({ key: keys[open.length]!, value: node });
        if (this.#next() === ',') {
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

  /** Moves to the next character that is not blank; empty at the end. */
  #next(): string {
    for (;;) {
      const character = this.#text.charAt(this.#at);
      if (character === '' || !' \n\r\t'.includes(character)) return character;
      this.#at += 1;
    }
  }

  /** Reads a scalar, or the opening bracket of an object or list. */
  #readStart(depth: number): Collection | ScalarNode {
    const first = this.#next();
    const start = this.#at;
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      throw new JsonLimitError(`the JSON text has more than ${this.#limits.values} values`);
    }
    if (first === '"') return this.#readString();
    if (first !== '{' && first !== '[') {
      if (first === '-' || isDigit(first)) this.#readNumber();
      else this.#readWord(first);
      const text = this.#text.slice(start, this.#at);
      return { kind: 'scalar', start, end: this.#at, text, style: 'plain' };
    }
    if (depth === this.#limits.depth) this.#fail(TOO_DEEP);
    this.#at += 1;
    return first === '{'
      ? { kind: 'mapping', start, end: 0, style: 'flow', entries: [] }
      : { kind: 'sequence', start, end: 0, style: 'flow', items: [] };
  }

  #reachesEnd(node: Collection): boolean {
    if (this.#next() !== (node.kind === 'mapping' ? '}' : ']')) return false;
    this.#at += 1;
    node.end = this.#at;
    return true;
  }

  #readKey(): ScalarNode {
    if (this.#next() !== '"') this.#fail('looking for beginning of object key string');
    const key = this.#readString();
    if (this.#next() !== ':') this.#fail('after object key');
    this.#at += 1;
    return key;
  }

  #readString(): ScalarNode {
    const start = this.#at;
    for (let at = start + 1; ;) {
      STRING_STOP.lastIndex = at;
      const stop = STRING_STOP.exec(this.#text);
      if (stop === null) this.#failAtEnd();
      at = stop.index + 1;
      if (stop[0] === '"') {
        this.#at = at;
        const text = readString(this.#bytes, start, at);
        return { kind: 'scalar', start, end: at, text, style: 'double-quoted' };
      }
      if (stop[0] !== '\\') this.#fail('in string literal', at - 1);
      at = this.#skipEscape(at);
    }
  }

  #skipEscape(at: number): number {
    const letter = this.#charAt(at);
    if ('bfnrt/\\"'.includes(letter)) return at + 1;
    if (letter !== 'u') this.#fail('in string escape code', at);
    for (let index = at + 1; index <= at + 4; index += 1) {
      if (!/[0-9a-f]/i.test(this.#charAt(index))) this.#fail('in \\u hexadecimal character escape', index);
    }
    return at + 5;
  }

  #readWord(first: string): void {
    const word = words.get(first);
    if (word === undefined) this.#fail('looking for beginning of value');
    for (let index = 1; index < word.length; index += 1) {
      if (this.#charAt(this.#at + index) !== word.charAt(index)) {
        this.#fail(`in literal ${word} (expecting '${word.charAt(index)}')`, this.#at + index);
      }
    }
    this.#at += word.length;
  }

  #readNumber(): void {
    const start = this.#at;
    let at = this.#charAt(start) === '-' ? start + 1 : start;
    at = this.#charAt(at) === '0' ? at + 1 : this.#skipDigits(at, 'in numeric literal');
    if (this.#charAt(at) === '.') at = this.#skipDigits(at + 1, 'after decimal point in numeric literal');
    if ('eE'.includes(this.#charAt(at))) {
      const signed = '+-'.includes(this.#charAt(at + 1));
      at = this.#skipDigits(at + (signed ? 2 : 1), 'in exponent of numeric literal');
    }
    this.overflows ||= !Number.isFinite(Number(this.#text.slice(start, at)));
    this.#at = at;
  }

  /** At least one. */
  #skipDigits(start: number, context: string): number {
    if (!isDigit(this.#charAt(start))) this.#fail(context, start);
    let at = start + 1;
    while (isDigit(this.#charAt(at))) at += 1;
    return at;
  }

  /** Within a token, Go lets a blank behind the end decide whether what was read is complete. */
  #charAt(at: number): string {
    return this.#text.charAt(at) || ' ';
  }

  /** @param within the offset in a token; by default the problem is that another token is expected */
  #fail(context: string, within?: number): never {
    const { length } = this.#text;
    if (within === undefined && this.#at >= length) this.#failAtEnd();
    const at = within ?? this.#at;
    const message = `invalid character ${quoteByte(this.#charAt(at))} ${context}`;
    const Kind = context === TOO_DEEP ? JsonLimitError : FormatError;
    throw new Kind(message, { offset: Math.min(at + 1, length) });
  }

  #failAtEnd(): never {
    throw new FormatError('unexpected end of JSON input', { offset: this.#text.length });
  }
}

/** What ends a string, or does not belong to its plain text. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const STRING_STOP = /["\\\0-\x1f]/g;

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

/** A byte as Go quotes it: taken for a character of Latin-1. */
function quoteByte(character: string): string {
  if (character === "'") return String.raw`'\''`;
  return character === '"' ? `'"'` : `'${quoteGoCharacter(character)}'`;
}
