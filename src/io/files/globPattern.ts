/**
 * Patterns for file names, for where no shell has expanded them: `*`, `?`, `[…]` with ranges and `!`, a backslash before
 * what is meant as it is, and `**` for folders of any depth. Left out: braces and extended patterns, which shells expand
 * before anything else.
 */

import { type GlobToken, matchesGlob, type ReadToken, readGlobClass } from '../../formats/glob.ts';

/** A pattern for one step of a path. `folders` stands for any number of steps. */
export type StepPattern = 'folders' | readonly GlobToken[];

/** Whether a path has a character that makes it a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[]/.test(path);
}

/** Reads one step of a pattern, between slashes. */
export function parseStep(step: string): StepPattern {
  if (step === '**') return 'folders';
  const characters = Array.from(step);
  const tokens: GlobToken[] = [];
  for (let index = 0; index < characters.length;) {
    const { token, length } = readToken(characters, index);
    tokens.push(token);
    index += length;
  }
  return tokens;
}

/** Whether a name matches. A dot in front has to be in the pattern, as in shells. */
export function matchesStep(name: string, pattern: readonly GlobToken[]): boolean {
  const [first] = pattern;
  const isDotMeant = first?.kind === 'text' && first.character === '.';
  if (name.startsWith('.') && !isDotMeant) return false;
  return matchesGlob(Array.from(name), pattern);
}

/** A bracket that is never closed stands for itself. */
function readToken(characters: readonly string[], index: number): ReadToken {
  const character = characters[index] ?? '';
  const next = characters[index + 1];
  if (character === '*') return { token: { kind: 'star' }, length: 1 };
  if (character === '?') return { token: { kind: 'any' }, length: 1 };
  if (character === '\\' && next !== undefined) {
    return { token: { kind: 'text', character: next }, length: 2 };
  }
  const text: ReadToken = { token: { kind: 'text', character }, length: 1 };
  return character === '[' ? (readGlobClass(characters, index, '!^') ?? text) : text;
}
