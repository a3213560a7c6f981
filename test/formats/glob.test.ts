import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GlobToken, matchesGlob, readGlobClass } from '../../src/formats/glob.ts';

const letters = ['a', 'b', '/'];
const token = fc.oneof(
  fc.constantFrom(...letters).map((character): GlobToken => ({ kind: 'text', character })),
  fc.constant<GlobToken>({ kind: 'any' }),
  fc.constant<GlobToken>({ kind: 'star' }),
  fc.boolean().map((negated): GlobToken => ({ kind: 'class', negated, ranges: [['a', 'b']] })),
);
const pattern = fc.array(token, { maxLength: 12 });

/** The same pattern in another language, whose matcher tries everything. */
function toRegExp(tokens: readonly GlobToken[]): RegExp {
  const parts = tokens.map((item) => {
    if (item.kind === 'text') return item.character;
    if (item.kind === 'class') return item.negated ? '[^ab]' : '[ab]';
    return { any: '.', star: '.*' }[item.kind];
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

describe('matchesGlob', () => {
  it('says what a regular expression says', () => {
    const text = fc.array(fc.constantFrom(...letters), { maxLength: 10 });
    fc.assert(
      fc.property(pattern, text, (tokens, characters) => {
        expect(matchesGlob(characters, tokens)).toBe(toRegExp(tokens).test(characters.join('')));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('readGlobClass', () => {
  it.each<[text: string, length: number | undefined, yes: string, no: string]>([
    ['[ab]c', 4, 'ab', 'c]'],
    ['[]a]', 4, ']a', 'b'],
    ['[a-c-]', 6, 'abc-', 'd'],
    ['[-a]', 4, '-a', 'b'],
    ['[!ab]', 5, 'c!', 'ab'],
    ['[!]a]', 5, '!b', ']a'],
    ['[^a]', 4, '^a', 'b'],
    ['[c-a]', 5, '', 'abc'],
    ['[ab', undefined, '', ''],
    ['[]', undefined, '', ''],
    ['[!]', undefined, '', ''],
    ['[', undefined, '', ''],
  ])('%s', (text, length, yes, no) => {
    const found = readGlobClass(Array.from(text), 0, '!');
    expect(found?.length).toBe(length);
    const matches = (character: string): boolean =>
      found !== undefined && matchesGlob([character], [found.token]);
    expect(Array.from(yes).filter((character) => !matches(character))).toEqual([]);
    expect(Array.from(no).filter(matches)).toEqual([]);
  });
});
