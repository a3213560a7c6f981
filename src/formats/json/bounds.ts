/**
 * How much a JSON text of strangers would become: looked at before it is parsed, as a few megabytes of brackets grow to
 * a hundred times their size, and what is deep cannot be written again without recursion. Whether it is JSON at all is
 * left to the parser.
 */

export interface JsonBounds {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** Values and keys, of all levels together. */
  readonly values: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Whether the text, if it is JSON, keeps to the bounds. Reads the bytes once. */
export function isWithinBounds(bytes: Uint8Array, bounds: JsonBounds): boolean {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at + 1);
    else if (byte === comma || byte === colon) values += 1;
    else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      values += 1;
    }
    if (depth > bounds.depth || values > bounds.values) return false;
  }
  return true;
}

/** Of its closing quote. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
