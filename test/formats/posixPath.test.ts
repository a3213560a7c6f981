import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanPath, joinPath, pathExtension } from '../../src/formats/goText.ts';

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
