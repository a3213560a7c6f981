import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startXxh64 } from '../../../src/formats/zstd/fallback/frame.ts';

const digest = (...pieces: readonly Uint8Array[]): string => {
  const hash = startXxh64();
  for (const piece of pieces) hash.update(piece);
  return hash.digest().toString(16).padStart(8, '0');
};

describe('the lower half of XXH64', () => {
  it.each([
    ['nothing', '', '51d8e999'],
    ['one byte', 'a', 'a98c6e5b'],
    ['three bytes', 'abc', 'ad770999'],
  ])('of %s', (_title, text, expected) => {
    expect(digest(Buffer.from(text))).toBe(expected);
  });

  it('does not depend on the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 8 }), (pieces) => {
        expect(digest(...pieces)).toBe(digest(Buffer.concat(pieces)));
      }),
    );
  });
});
