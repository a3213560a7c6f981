/** Lists in sentences. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatWordList } from '../../src/formats/wordList.ts';

describe('a list in a sentence', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b, and c'],
  ])('of %j', (items, expected) => {
    expect(formatWordList(items)).toBe(expected);
  });

  it('is that of Intl', () => {
    const list = new Intl.ListFormat('en', { type: 'conjunction' });
    fc.assert(
      fc.property(fc.array(fc.string()), (items) => {
        expect(formatWordList(items)).toBe(list.format(items));
      }),
    );
  });
});
