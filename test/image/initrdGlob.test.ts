import { describe, expect, it } from 'vitest';
import { parseInitrdGlobs } from '../../src/formats/glob.ts';

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
  ])('refuses %s', (pattern, position, problem) => {
    expect(() => parseInitrdGlobs(['ok', pattern])).toThrow(
      `parsing glob patterns: "${pattern}": Pattern syntax error near position ${position}: ${problem}`,
    );
  });

  it('never takes long', () => {
    const matches = parseInitrdGlobs(['*a'.repeat(100), '**/a*/'.repeat(100)]);
    for (let round = 0; round < 50; round++) expect(matches(`${'a/'.repeat(1000)}b`)).toBe(false);
  });
});
