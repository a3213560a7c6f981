import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGlob, parseGlob } from '../../../src/io/files/inputFiles.ts';

const matches = (pattern: string, name: string): boolean => parseGlob(pattern.split('/')).test(name);

describe('parseGlob', () => {
  it.each<[pattern: string, yes: readonly string[], no: readonly string[]]>([
    ['a.ign', ['a.ign'], ['b.ign', 'a.ignx', 'xa.ign', 'aXign']],
    ['*.ign', ['a.ign', 'a.b.ign'], ['a.json', 'ign', '.hidden.ign']],
    ['.*', ['.hidden'], ['a']],
    ['a*b*c', ['abc', 'aXbXc', 'abbcc', 'abcbc'], ['ab', 'ac', 'abcd']],
    ['?.ign', ['a.ign', 'ä.ign', '😀.ign'], ['.ign', 'ab.ign']],
    ['[ab].ign', ['a.ign', 'b.ign'], ['c.ign', 'ab.ign']],
    ['[a-c]1', ['a1', 'c1'], ['d1', '-1']],
    ['[!a-c]1', ['d1', '-1'], ['a1']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[a', ['[a'], ['a']],
    ['[!]', ['[!]'], ['a']],
    ['[c-a😀-z]', [], ['a', 'b', 'c', 'z']],
    ['[!c-a]', ['a'], []],
    ['\\*', ['*'], ['a']],
    ['**a', ['a', 'xa'], ['ab']],
    ['', [''], ['a']],
    ['a/*/c', ['a/b/c'], ['a/c', 'a/b/b/c', 'a/.b/c']],
    ['a/**/c', ['a/c', 'a/b/c', 'a/b/b/c'], ['a/.b/c', 'ac']],
    ['[!a]*', ['b'], ['a/b', '/']],
  ])('%s', (pattern, yes, no) => {
    expect(yes.filter((name) => !matches(pattern, name))).toEqual([]);
    expect(no.filter((name) => matches(pattern, name))).toEqual([]);
  });

  it('takes any name for a star, and nothing else for a text without signs', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'ä', ' ', '😀'), minLength: 1 });
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect([matches('*', a), matches(a, a), matches(`${a}*${b}`, a + b)]).toEqual([true, true, true]);
        expect(matches(a, b)).toBe(a === b);
      }),
    );
  });
});

describe('isGlob', () => {
  it.each([
    ['a.ign', false],
    ['a/*.ign', true],
    ['a?', true],
    ['[a]', true],
    ['{a,b}', false],
  ])('%s: %s', (path, expected) => {
    expect(isGlob(path)).toBe(expected);
  });
});
