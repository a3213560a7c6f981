import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skipString, skipToToken, skipValue } from '../../../src/formats/json/tokens.ts';
import { readInteger, readString } from '../../../src/formats/json/values.ts';

function read(literal: Buffer): string {
  return readString(literal, 0, literal.length);
}

describe('readString', () => {
  it.each([
    ['plain', '"abc"', 'abc'],
    ['empty', '""', ''],
    ['escapes', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9"', '"\\/\b\f\n\r\té'],
    ['a pair of surrogates', '"\\ud83d\\ude00"', '😀'],
    ['a high surrogate alone', '"\\ud83dx"', '\ufffdx'],
    ['a low surrogate alone', '"\\ude00"', '\ufffd'],
    ['two high surrogates, then a low one', '"\\ud83d\\ud83d\\ude00"', '\ufffd😀'],
    ['surrogates the wrong way round', '"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['U+FFFD itself', '"\ufffd"', '\ufffd'],
    ['a byte order mark', '"\ufeffa"', '\ufeffa'],
    ['U+2028', '"\u2028"', '\u2028'],
  ])('%s', (_title, literal, value) => {
    expect(read(Buffer.from(literal))).toBe(value);
  });

  it.each([
    ['a byte that no character has', 'ff', 1],
    ['a sequence cut off', 'e282', 2],
    ['a sequence cut off before ASCII', 'e28261', 2],
    ['a surrogate', 'eda080', 3],
    ['an overlong form', 'c080', 2],
    ['an overlong form of three bytes', 'e08080', 3],
    ['beyond Unicode', 'f4908080', 4],
    ['four bytes cut off', 'f09f98', 3],
    ['a continuation without a start', '80', 1],
  ])('replaces every bad byte: %s', (_title, hex, replaced) => {
    for (const tail of ['', '\\n', 'é']) {
      const literal = Buffer.concat([Buffer.from('"é'), Buffer.from(hex, 'hex'), Buffer.from(`${tail}"`)]);
      const text = read(literal);
      expect(text.split('\ufffd')).toHaveLength(replaced + 1);
      expect(text.startsWith('é')).toBe(true);
    }
  });

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(read(Buffer.from(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});

describe('readInteger', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['420', 420],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', undefined],
    ['-9223372036854775809', undefined],
    ['99999999999999999999', undefined],
    ['1'.repeat(1_000_000), undefined],
    ['420.0', undefined],
    ['4.2e2', undefined],
    ['1e0', undefined],
    ['1E0', undefined],
  ])('%s', (text, value) => {
    const bytes = Buffer.from(text);
    const integer = readInteger(bytes, 0, bytes.length);
    expect(integer).toBe(value);
    expect(Object.is(integer, -0)).toBe(false);
  });
});

describe('skipping', () => {
  it('ends where a value ends', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom('', ' ', ',', ' }', ']'), (json, tail) => {
        const length = Buffer.byteLength(json);
        expect(skipValue(Buffer.from(json + tail), 0)).toBe(length);
      }),
    );
  });

  it.each([[0], [1], [22], [23], [24], [25], [500]])(
    'finds the end of a string with %i bytes before a quote',
    (count) => {
      for (const body of [
        'x'.repeat(count),
        `${'x'.repeat(count)}\\"y`,
        '\\\\'.repeat(count),
        '\\"'.repeat(count),
      ]) {
        const literal = `"${body}"`;
        expect(skipString(Buffer.from(`${literal},"next"`), 0)).toBe(literal.length);
      }
    },
  );

  it('skips 9999 levels without recursion', () => {
    const nested = '['.repeat(9999) + ']'.repeat(9999);
    expect(skipValue(Buffer.from(nested), 0)).toBe(nested.length);
  });

  it('passes over blanks and separators', () => {
    expect(skipToToken(Buffer.from(' ,\t:\r\n1'), 0)).toBe(6);
  });
});
