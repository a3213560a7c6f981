import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPath, joinPath, pathExtension } from '../../src/formats/goPath.ts';
import { quoteGo, trimSpace } from '../../src/formats/goText.ts';

describe('quoteGo', () => {
  it.each([
    ['plain text', 'a b', '"a b"'],
    ['quotes and backslashes', `"\\'`, `"\\"\\\\'"`],
    ['controls with a letter', '\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['other controls', '\0\x1b\x7f', '"\\x00\\x1b\\x7f"'],
    ['C1 controls and spaces other than the blank', '\u0085\u00a0\u3000', '"\\u0085\\u00a0\\u3000"'],
    ['letters, marks and symbols', 'é日😀\u0301', '"é日😀\u0301"'],
    ['what cannot be seen', '\u00ad\u200b\ufeff', '"\\u00ad\\u200b\\ufeff"'],
    ['what is not assigned', '\u0378\u{10ffff}', '"\\u0378\\U0010ffff"'],
    ['half of a surrogate pair', '\ud800', '"\ufffd"'],
  ])('%s', (_title, text, quoted) => {
    expect(quoteGo(text)).toBe(quoted);
  });
});

describe('cleanPath', () => {
  it.each([
    ['', '.'],
    ['.', '.'],
    ['/', '/'],
    ['//', '/'],
    ['/a/', '/a'],
    ['/a//b', '/a/b'],
    ['/a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/..', '/'],
    ['/../a', '/a'],
    ['a/..', '.'],
    ['../a', '../a'],
    ['../../a/..', '../..'],
    ['/...', '/...'],
    ['/a.b/c..', '/a.b/c..'],
  ])('%j becomes %j', (path, clean) => {
    expect(cleanPath(path)).toBe(clean);
  });

  it('leaves a clean path alone', () => {
    const element = fc.constantFrom('/', '.', '..', 'a', 'b.c', '');
    fc.assert(
      fc.property(fc.array(element), (elements) => {
        const clean = cleanPath(elements.join(''));
        expect(cleanPath(clean)).toBe(clean);
      }),
    );
  });
});

describe('joinPath', () => {
  it.each([
    ['', '', ''],
    ['/a', '', '/a'],
    ['', 'b', 'b'],
    ['/a', 'b', '/a/b'],
    ['/a', '../b', '/b'],
    ['/a', '/b', '/a/b'],
  ])('%j and %j give %j', (first, second, joined) => {
    expect(joinPath(first, second)).toBe(joined);
  });
});

describe('pathExtension', () => {
  it.each([
    ['a.service', '.service'],
    ['a.b.c', '.c'],
    ['.conf', '.conf'],
    ['a', ''],
    ['a.d/b', ''],
    ['a.', '.'],
    ['', ''],
  ])('of %j is %j', (path, extension) => {
    expect(pathExtension(path)).toBe(extension);
  });
});

describe('trimSpace', () => {
  it.each([
    [' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000a ', 'a'],
    ['\ufeffa\ufeff', '\ufeffa\ufeff'],
    ['\0a\0', '\0a\0'],
    ['\u200ba', '\u200ba'],
    [' \u0085 ', ''],
    ['a b', 'a b'],
  ])('%j', (text, expected) => {
    expect(trimSpace(text)).toBe(expected);
  });

  it('does not slow down with long blanks', () => {
    expect(trimSpace(`a${' '.repeat(2_000_000)}b`)).toHaveLength(2_000_002);
  });
});
