/**
 * Patterns for members of an initramfs, in the language of coreos-installer (the crate `glob`): `*` and `?` take
 * slashes too, `[…]` is turned round by `!`, and `**` between slashes stands for any number of folders. There is
 * no escape: a bracket is written `[[]`.
 */

import { FormatError } from '../core/errors.ts';
import { type GlobToken, matchesGlob, type ReadToken, readGlobClass } from '../formats/glob.ts';

/**
 * Whether a path matches one of the patterns; every path does if there are none.
 * @throws FormatError that names the pattern and the place in it
 */
export function parseInitrdGlobs(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => true;
  const globs = patterns.map(parseGlob);
  return (path) => {
    const characters = Array.from(path);
    return globs.some((glob) => matchesGlob(characters, glob));
  };
}

function parseGlob(pattern: string): readonly GlobToken[] {
  const characters = Array.from(pattern);
  const tokens: GlobToken[] = [];
  for (let index = 0; index < characters.length;) {
    const { token, length } = readToken(characters, index, pattern);
    tokens.push(token);
    index += length;
  }
  return tokens;
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
    `parsing glob patterns: ${JSON.stringify(pattern)}: Pattern syntax error near position ${position}: ${problem}`,
    { offset: position, hint: 'write * and ? as [*] and [?], and a bracket as [[], to mean the character' },
  );
}
