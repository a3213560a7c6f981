/**
 * Patterns for file names, for where no shell has expanded them: `*`, `?`, `[…]` with ranges and `!`, a backslash before
 * what is meant as it is, and `**` for folders of any depth. Left out: braces and extended patterns, which shells expand
 * before anything else. Matching never goes back further than to the last star, so no pattern takes long.
 */

/** A pattern for one step of a path. `folders` stands for any number of steps. */
export type StepPattern = 'folders' | readonly Token[];

type Token =
  | { readonly kind: 'text'; readonly character: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [first: string, last: string];

/** Whether a path has a character that makes it a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[]/.test(path);
}

/** Reads one step of a pattern, between slashes. */
export function parseStep(step: string): StepPattern {
  if (step === '**') return 'folders';
  const characters = Array.from(step);
  const tokens: Token[] = [];
  for (let index = 0; index < characters.length;) {
    const { token, length } = readToken(characters, index);
    tokens.push(token);
    index += length;
  }
  return tokens;
}

/** Whether a name matches. A dot in front has to be in the pattern, as in shells. */
export function matchesStep(name: string, pattern: readonly Token[]): boolean {
  const [first] = pattern;
  const isDotMeant = first?.kind === 'text' && first.character === '.';
  if (name.startsWith('.') && !isDotMeant) return false;
  return matchesTokens(Array.from(name), pattern);
}

interface ReadToken {
  readonly token: Token;
  /** In characters of the pattern. */
  readonly length: number;
}

function readToken(characters: readonly string[], index: number): ReadToken {
  const character = characters[index] ?? '';
  const next = characters[index + 1];
  if (character === '*') return { token: { kind: 'star' }, length: 1 };
  if (character === '?') return { token: { kind: 'any' }, length: 1 };
  if (character === '\\' && next !== undefined) {
    return { token: { kind: 'text', character: next }, length: 2 };
  }
  const text: ReadToken = { token: { kind: 'text', character }, length: 1 };
  return character === '[' ? (readClass(characters, index) ?? text) : text;
}

/** A bracket that is never closed stands for itself; one that comes first in a class belongs to it. */
function readClass(characters: readonly string[], start: number): ReadToken | undefined {
  const negated = characters[start + 1] === '!' || characters[start + 1] === '^';
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

function matchesTokens(name: readonly string[], pattern: readonly Token[]): boolean {
  let at = 0;
  let index = 0;
  let star: { readonly index: number; at: number } | undefined;
  while (at < name.length) {
    const token = pattern[index];
    if (token?.kind === 'star') {
      star = { index, at };
      index += 1;
    } else if (token !== undefined && matchesToken(name[at] ?? '', token)) {
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

function matchesToken(character: string, token: Token): boolean {
  if (token.kind === 'any') return true;
  if (token.kind === 'text') return token.character === character;
  if (token.kind === 'star') return false;
  return token.ranges.some(([first, last]) => first <= character && character <= last) !== token.negated;
}
