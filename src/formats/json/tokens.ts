/**
 * Moving over JSON bytes that are known to be valid (`syntax.ts`): nothing is checked again and nothing is built. All
 * offsets count bytes; every function takes the offset of a token's first byte and returns the one behind its last.
 */

export const quote = 0x22;
const comma = 0x2c;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
const backslash = 0x5c;

/** Skips blanks and the separators `,` and `:`, which carry no meaning once the text is known to be valid. */
export function skipToToken(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== comma && byte !== 0x3a && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)
      return at;
    at += 1;
  }
}

/** Skips a value of any kind and depth, without recursion. */
export function skipValue(bytes: Uint8Array, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const byte = bytes[at];
    if (byte === openBrace || byte === openBracket) {
      depth += 1;
      at += 1;
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      at += 1;
    } else {
      at = byte === quote ? skipString(bytes, at) : skipWord(bytes, at);
    }
    if (depth > 0) at = skipToToken(bytes, at);
  } while (depth > 0);
  return at;
}

/** Skips a string from quote to quote. */
export function skipString(bytes: Uint8Array, start: number): number {
  const searched = start + searchFrom;
  let at = start + 1;
  while (at < searched) {
    const byte = bytes[at];
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  for (;;) {
    const end = bytes.indexOf(quote, at);
    if (end === -1) return bytes.length;
    if (!isEscaped(bytes, { from: at, end })) return end + 1;
    at = end + 1;
  }
}

/** Bytes after which searching natively is faster than looking at each. */
const searchFrom = 24;

/** Whether an odd number of backslashes stands before `end`; `from` is not behind a backslash itself. */
function isEscaped(
  bytes: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): boolean {
  let at = end;
  while (at > from && bytes[at - 1] === backslash) at -= 1;
  return (end - at) % 2 === 1;
}

/** Skips a number, `true`, `false` or `null`. */
export function skipWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && !endsWord(bytes[at] ?? 0)) at += 1;
  return at;
}

function endsWord(byte: number): boolean {
  return byte <= 0x20 || byte === comma || byte === closeBracket || byte === closeBrace || byte === 0x3a;
}
