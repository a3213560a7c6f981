import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from '../../src/formats/messageText.ts';

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['path', 'path', 0],
    ['path', 'pth', 1],
    ['path', 'paths', 1],
    ['path', 'pach', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('of %j and %j is %d', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is the same both ways, 0 for equal texts only, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
        const distance = editDistance(one, other);
        expect(distance).toBe(editDistance(other, one));
        expect(distance === 0).toBe(one === other);
        expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
      }),
    );
  });
});

describe('nearestName', () => {
  const names = ['path', 'paths', 'filesystems', 'ab'];
  it.each([
    ['a name with a letter too many', 'pathh', 'path'],
    ['the nearest of several', 'patths', 'paths'],
    ['the first of two', 'patht', 'path'],
    ['a quarter of the letters', 'fileystm', 'filesystems'],
    ['more than a quarter', 'fileyst', undefined],
    ['two letters of a short name', 'xy', undefined],
    ['one letter of a short name', 'xb', 'ab'],
    ['a text that is far too long', 'path'.repeat(1_000_000), undefined],
  ])('%s', (_title, wanted, name) => expect(nearestName(wanted, names)).toBe(name));
});
