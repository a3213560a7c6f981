/**
 * Patterns for names. Matching never goes back further than to the last star, so no pattern takes long. Each program writes
 * patterns in another way, so their readers are elsewhere.
 */

export type GlobToken =
  | { readonly kind: 'text'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [first: string, last: string];

export interface ReadToken {
  readonly token: GlobToken;
  /** In characters of the pattern. */
  readonly length: number;
}

/** @param read reads the token at `index` */
export function readTokens(
  pattern: string,
  read: (characters: readonly string[], index: number) => ReadToken,
): GlobToken[] {
  const characters = Array.from(pattern);
  const tokens: GlobToken[] = [];
  for (let index = 0; index < characters.length;) {
    const { token, length } = read(characters, index);
    tokens.push(token);
    index += length;
  }
  return tokens;
}

/**
 * Reads the class that the bracket at `start` opens; undefined if it is never closed. A closing bracket that comes
 * first in a class belongs to it.
 * @param negations characters that turn a class round where they come first
 */
export function readGlobClass(
  characters: readonly string[],
  start: number,
  negations: string,
): ReadToken | undefined {
  const sign = characters[start + 1];
  const negated = sign !== undefined && negations.includes(sign);
  const first = start + (negated ? 2 : 1);
  const end = characters.indexOf(']', first + 1);
  if (end === -1) return undefined;
  const ranges: Range[] = [];
  for (let index = first; index < end;) {
    const from = characters[index] ?? '';
    const isRange = characters[index + 1] === '-' && index + 2 < end;
    ranges.push([from, (isRange ? characters[index + 2] : from) ?? from]);
    index += isRange ? 3 : 1;
  }
  return { token: { kind: 'class', negated, ranges }, length: end + 1 - start };
}

/** Whether the whole of a text matches; both come in characters, not in UTF-16 units. */
export function matchesGlob(text: readonly string[], pattern: readonly GlobToken[]): boolean {
  let at = 0;
  let index = 0;
  let star: { readonly index: number; at: number } | undefined;
  while (at < text.length) {
    const token = pattern[index];
    if (token?.kind === 'star') {
      star = { index, at };
      index += 1;
    } else if (token !== undefined && matchesToken(text[at] ?? '', token)) {
      at += 1;
      index += 1;
    } else if (star !== undefined) {
      star.at += 1;
      at = star.at;
      index = star.index + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(index).every(({ kind }) => kind === 'star');
}

function matchesToken(character: string, token: GlobToken): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'text') return token.character === character;
  if (token.kind !== 'class') return false;
  return token.ranges.some(([first, last]) => first <= character && character <= last) !== token.negated;
}
