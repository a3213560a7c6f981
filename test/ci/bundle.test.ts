/** The chunks of the program. If a module moves and its pattern does not, it ends in a chunk that other commands load, too. */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programChunks } from '../../scripts/bundle/program.js';

const root = resolve(import.meta.dirname, '../..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map(
  (path) => `src/${path.replaceAll('\\', '/')}`,
);

/** `a(?:b|c)` as `ab` and `ac`, for groups without quantifiers. */
function alternatives(pattern: string): readonly string[] {
  let position = 0;
  const readChoice = (): string[] => {
    const choices = readSequence();
    while (pattern[position] === '|') {
      position++;
      choices.push(...readSequence());
    }
    return choices;
  };
  const readSequence = (): string[] => {
    let texts = [''];
    while (position < pattern.length && !'|)'.includes(pattern[position] ?? '')) {
      const parts = readPart();
      texts = texts.flatMap((text) => parts.map((part) => text + part));
    }
    return texts;
  };
  const readPart = (): string[] => {
    if (pattern.startsWith('(?:', position)) {
      position += '(?:'.length;
      const parts = readChoice();
      position++;
      return parts;
    }
    const length = pattern[position] === '\\' ? 2 : 1;
    position += length;
    return [pattern.slice(position - length, position)];
  };
  return readChoice();
}

function matchesModule(pattern: string): boolean {
  const [, packageName] = /^node_modules\\\/([\w-]+)\\\/$/.exec(pattern) ?? [];
  if (packageName !== undefined) return existsSync(join(root, 'node_modules', packageName));
  return sources.some((path) => new RegExp(pattern).test(path));
}

describe('the patterns of the chunks of the program', () => {
  it.each(programChunks)('$name: each alternative matches a module', ({ test }) => {
    const ofRolldown = String.raw`rolldown\/runtime`; // written by rolldown itself
    const unmatched = alternatives(test.source).filter(
      (pattern) => pattern !== ofRolldown && !matchesModule(pattern),
    );
    expect(unmatched).toEqual([]);
  });

  it.each([
    ['a moved file', String.raw`src\/(?:cli\/main|serve\/serve)\.ts$`, String.raw`src\/serve\/serve\.ts$`],
    [
      'a package that is gone',
      String.raw`node_modules\/(?:chalk|kleur)\/`,
      String.raw`node_modules\/kleur\/`,
    ],
  ])('%s is noticed', (_, pattern, unmatched) => {
    expect(alternatives(pattern).filter((part) => !matchesModule(part))).toEqual([unmatched]);
  });
});
