import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGoJsonText } from '../../../src/formats/json/syntax.ts';

describe('isGoJsonText', () => {
  it.each([
    ['an object', '{"a":[1,-2.5e3,null,true,"x"]}', true],
    ['a bare value between blanks', ' 1\n', true],
    ['no value', '', false],
    ['two values', '1 2', false],
    ['a trailing comma', '[1,]', false],
    ['a byte order mark', '\ufeff1', false],
    ['the largest float', '1.7976931348623157e308', true],
    ['a number beyond a float', '[0,1e999]', false],
    ['a negative number beyond a float', '{"a":-1e400}', false],
    ['such a number under a key that is repeated', '{"a":1e999,"a":1}', false],
    ['such a number in a string', '"1e999"', true],
    ['such a number behind an escaped quote', '"\\"1e999"', true],
    ['a number that is too small to tell from 0', '1e-999', true],
    ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000), true],
    ['10,001 levels', '['.repeat(10_001) + ']'.repeat(10_001), false],
    ['many brackets next to each other', `[${'[],'.repeat(20_000)}[]]`, true],
  ])('%s', (_title, text, isValid) => {
    expect(isGoJsonText(text)).toBe(isValid);
  });

  it('takes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isGoJsonText(JSON.stringify(value))).toBe(true);
      }),
    );
  });
});
