/**
 * Patterns for names. Matching never goes back further than to the last star, so no pattern takes long. Each program writes
 * patterns in another way; only those of coreos-installer are read here.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError } from '../core/errors.ts';

export type GlobToken =
  | { readonly kind: 'text'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  /** Any number of folders: nothing, the whole rest, or a path that ends in a slash. First in a pattern, or after a slash. */
  | { readonly kind: 'folders' }
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
  let star: { readonly index: number; readonly kind: 'star' | 'folders'; at: number } | undefined;
  while (at < text.length) {
    const token = pattern[index];
    if (token?.kind === 'star' || token?.kind === 'folders') {
      star = { index, kind: token.kind, at };
      index += 1;
    } else if (token !== undefined && matchesToken(text[at] ?? '', token)) {
      at += 1;
      index += 1;
    } else if (star !== undefined) {
      star.at = star.kind === 'star' ? star.at + 1 : afterNextSlash(text, star.at);
      at = star.at;
      index = star.index + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(index).every(({ kind }) => kind === 'star' || kind === 'folders');
}

/** What several folders may have taken: up to and with the next slash, or everything. */
function afterNextSlash(text: readonly string[], from: number): number {
  const slash = text.indexOf('/', from);
  return slash === -1 ? text.length : slash + 1;
}

function matchesToken(character: string, token: GlobToken): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'text') return token.character === character;
  if (token.kind !== 'class') return false;
  return token.ranges.some(([first, last]) => first <= character && character <= last) !== token.negated;
}

// Patterns for members of an initramfs, in the syntax of coreos-installer (the crate `glob`): `*` and `?` also match
// slashes, `!` negates `[…]`, and `**` between slashes matches any number of folders.
// There is no escape character: write a bracket as `[[]`.

/** Whether a path matches one of the patterns; an empty list matches every path. */
export function parseInitrdGlobs(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => true;
  const globs = patterns.map(parseGlob);
  return (path) => {
    const characters = Array.from(path);
    return globs.some((glob) => matchesGlob(characters, glob));
  };
}

function parseGlob(pattern: string): readonly GlobToken[] {
  return readTokens(pattern, (characters, index) => readToken(characters, index, pattern));
}

function readToken(characters: readonly string[], index: number, pattern: string): ReadToken {
  const character = characters[index] ?? '';
  switch (character) {
    case '?':
      return { token: { kind: 'any' }, length: 1 };
    case '*':
      return characters[index + 1] === '*'
        ? readFolders(characters, index, pattern)
        : { token: { kind: 'star' }, length: 1 };
    case '[': {
      const found = readGlobClass(characters, index, '!');
      if (found === undefined) throw globError(pattern, index, 'invalid range pattern');
      return found;
    }
    default:
      return { token: { kind: 'text', character }, length: 1 };
  }
}

/** The slash behind belongs to it, so that no folder at all is no slash either. */
function readFolders(characters: readonly string[], index: number, pattern: string): ReadToken {
  const next = characters[index + 2];
  if (next === '*') {
    throw globError(pattern, index + 2, 'wildcards are either regular `*` or recursive `**`');
  }
  const isStep = (index === 0 || characters[index - 1] === '/') && (next === undefined || next === '/');
  if (!isStep) {
    throw globError(pattern, index + 2, 'recursive wildcards must form a single path component');
  }
  return { token: { kind: 'folders' }, length: next === undefined ? 2 : 3 };
}

function globError(pattern: string, position: number, problem: string): FormatError {
  return new FormatError(
    `parsing glob patterns: ${quoteText(pattern)}: Pattern syntax error near position ${position}: ${problem}`,
    { offset: position, hint: 'escape * and ? as [*] and [?], and a bracket as [[]' },
  );
}
