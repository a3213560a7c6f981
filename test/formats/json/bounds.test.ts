import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithinBounds } from '../../../src/formats/json/tokens.ts';

const bounds = { depth: 3, values: 8 };

describe('isWithinBounds', () => {
  it.each([
    ['nothing', '', true],
    ['a number', '1', true],
    ['as deep as may be', '[[[1]]]', true],
    ['deeper', '[[[[]]]]', false],
    ['deeper, and not closed', '[[[[', false],
    ['objects and arrays', '{"a":[{"b":[]}]}', false],
    ['brackets in a string', '["[[[[[[[[{{{{{{{{"]', true],
    ['commas and colons in a string', '",,,,,,,,,,::::::::::"', true],
    ['a quote in a string', String.raw`["\"[[[[[", 1]`, true],
    ['a backslash at the end of a string', String.raw`["\\",[[[[]]]]]`, false],
    ['a string that does not end', '["[[[[[[', true],
    ['as many values as may be', '[1,2,3,4,5,6,7]', true],
    ['one more', '[1,2,3,4,5,6,7,8]', false],
    ['keys', '{"a":1,"b":2,"c":3,"d":4}', false],
  ])('%s', (_title, text, expected) => {
    expect(isWithinBounds(Buffer.from(text), bounds)).toBe(expected);
  });

  it('agrees with what the parser makes of it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const { depth, values } = measure(JSON.parse(text));
        const fits = (limits: typeof bounds): boolean => isWithinBounds(Buffer.from(text), limits);
        // What is empty counts as if it had a value.
        expect(fits({ depth, values: 2 * values })).toBe(true);
        expect(fits({ depth: depth - 1, values: 2 * values })).toBe(false);
        expect(fits({ depth, values: values - 1 })).toBe(false);
      }),
    );
  });

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof isWithinBounds(bytes, bounds)).toBe('boolean');
      }),
    );
  });
});

/** Keys count, too. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  const inner = Object.values(value).map(measure);
  const keys = Array.isArray(value) ? 0 : inner.length;
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + keys + inner.reduce((sum, { values }) => sum + values, 0),
  };
}
