import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GlobToken, matchesGlob, parseInitrdGlobs, readGlobClass } from '../../src/formats/glob.ts';

const letters = ['a', 'b', '/'];
const token = fc.oneof(
  fc.constantFrom(...letters).map((character): GlobToken => ({ kind: 'text', character })),
  fc.constant<GlobToken>({ kind: 'any' }),
  fc.constant<GlobToken>({ kind: 'star' }),
  fc.boolean().map((negated): GlobToken => ({ kind: 'class', negated, ranges: [['a', 'b']] })),
);
/** Steps of patterns, with `folders` between some of them as a reader puts it: behind a slash. */
const pattern = fc
  .array(fc.tuple(fc.array(token, { maxLength: 4 }), fc.boolean()), { maxLength: 3 })
  .map((steps) =>
    steps.flatMap(([tokens, hasFolders]): GlobToken[] => [
      ...tokens,
      ...(hasFolders ? ([{ kind: 'text', character: '/' }, { kind: 'folders' }] as const) : []),
    ]),
  );

/** The same pattern in another language, whose matcher tries everything. */
function toRegExp(tokens: readonly GlobToken[]): RegExp {
  const parts = tokens.map((item) => {
    if (item.kind === 'text') return item.character;
    if (item.kind === 'class') return item.negated ? '[^ab]' : '[ab]';
    return { any: '.', star: '.*', folders: '(?:|.*/|.*$)' }[item.kind];
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

describe('parseInitrdGlobs', () => {
  it.each<[patterns: readonly string[], yes: readonly string[], no: readonly string[]]>([
    [[], ['a', '.b/c', ''], []],
    [['config.ign'], ['config.ign'], ['./config.ign', 'a/config.ign', 'configXign']],
    [['etc/*'], ['etc/a', 'etc/a/b', 'etc/.a', 'etc/'], ['etc', 'xetc/a']],
    [['*.conf'], ['a.conf', 'etc/a.conf', '.conf'], ['a.conf.d']],
    [['e?c'], ['etc', 'e/c', 'eäc', 'e😀c'], ['ec', 'eXXc']],
    [['[a-c]'], ['a', 'c'], ['d', '']],
    [['[!a-c]'], ['d', '/'], ['a']],
    [['[^a]'], ['^', 'a'], ['b']],
    [['[[]'], ['['], ['[[]']],
    [['\\*'], ['\\', '\\a'], ['*']],
    [['**'], ['a', 'a/b', ''], []],
    [['**/x'], ['x', 'a/x', 'a/b/x'], ['ax', 'a/xx']],
    [['a/**/x'], ['a/x', 'a/b/x', 'a/b/c/x'], ['ax', 'a/bx']],
    [['a/**'], ['a/', 'a/b', 'a/b/c'], ['a', 'ab']],
    [['**/**/x'], ['x', 'a/x'], ['ax']],
    [
      ['a', 'b*'],
      ['a', 'b', 'bc'],
      ['c', 'ab'],
    ],
    [[''], [''], ['a']],
  ])('%j', (patterns, yes, no) => {
    const matches = parseInitrdGlobs(patterns);
    expect(yes.filter((path) => !matches(path))).toEqual([]);
    expect(no.filter((path) => matches(path))).toEqual([]);
  });

  const recursive = 'recursive wildcards must form a single path component';
  it.each([
    ['[a', 0, 'invalid range pattern'],
    ['a[]', 1, 'invalid range pattern'],
    ['[!]', 0, 'invalid range pattern'],
    ['***', 2, 'wildcards are either regular `*` or recursive `**`'],
    ['**a', 2, recursive],
    ['a**', 3, recursive],
    ['x/**y', 4, recursive],
  ])('refuses %s', (written, position, problem) => {
    expect(() => parseInitrdGlobs(['ok', written])).toThrow(
      `parsing glob patterns: "${written}": Pattern syntax error near position ${position}: ${problem}`,
    );
  });

  it('never takes long', () => {
    const matches = parseInitrdGlobs(['*a'.repeat(100), '**/a*/'.repeat(100)]);
    for (let round = 0; round < 50; round++) expect(matches(`${'a/'.repeat(1000)}b`)).toBe(false);
  });
});
