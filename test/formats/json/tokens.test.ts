import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isWithinBounds,
  readInteger,
  readString,
  skipString,
  skipToToken,
  skipValue,
} from '../../../src/formats/json/tokens.ts';

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

function read(literal: Buffer): string {
  return readString(literal, 0, literal.length);
}

/** Each byte that begins no character of UTF-8 is replaced; what is one, the platform says. */
function asGoReads(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const lengths = [1, 2, 3, 4].filter((length) => at + length <= bytes.length);
    const found = lengths.find((length) => isCharacter(bytes.subarray(at, at + length)));
    text += found === undefined ? '\ufffd' : Buffer.from(bytes.subarray(at, at + found)).toString();
    at += found ?? 1;
  }
  return text;
}

/** What bytes are read as behind so many characters of two bytes, which are read as they are. */
function readBehind(length: number, bytes: Uint8Array): string {
  const before = 'é'.repeat(length);
  const text = read(Buffer.concat([Buffer.from(`"${before}`), bytes, Buffer.from('"')]));
  expect(text.startsWith(before)).toBe(true);
  return text.slice(length);
}

function isCharacter(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && Array.from(Buffer.from(bytes).toString()).length === 1;
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

  it('replaces a single byte, also without a character beside it', () => {
    expect(read(Buffer.from([0x22, 0x80, 0x22]))).toBe('\ufffd');
  });

  const edges = [0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff]; // prettier-ignore
  it('replaces the bytes that are no characters, and no others', () => {
    const bytes = fc.array(fc.constantFrom(...edges), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(bytes, fc.nat(40), (list, length) => {
        expect(readBehind(length, Buffer.from(list))).toBe(asGoReads(Buffer.from(list)));
      }),
      { numRuns: 1000 },
    );
    for (const first of edges) {
      for (const second of edges) {
        const body = Buffer.of(0xff, first, second, 0x80, 0x80, 0x41);
        expect(readBehind(0, body)).toBe(asGoReads(body));
      }
    }
  });

  it.each(Array.from({ length: 6 }, (_, index) => 32_764 + index))(
    'replaces bytes in and behind a string of %i characters',
    (length) => {
      const bytes = Buffer.of(0xff, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0x41, 0xe2, 0x82);
      expect(readBehind(length, bytes)).toBe(asGoReads(bytes));
    },
  );

  it.each([0, 63, 64, 65, 66, 200])('finds an escape behind %i characters', (length) => {
    for (const start of ['x', 'é'].map((character) => character.repeat(length))) {
      expect(read(Buffer.from(`"${start}\\n"`))).toBe(`${start}\n`);
      expect(read(Buffer.from(`"${start}é"`))).toBe(`${start}é`);
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
  it.each([
    ['a string without end', '"abc', 4],
    ['a long string without end', `"${'x'.repeat(100)}`, 101],
    ['a string that ends in an escape', '"abc\\"', 6],
    ['a word at the end', 'true', 4],
    ['a word before a colon', 'true:', 4],
  ])('goes to the end of %s', (_title, text, end) => {
    expect(skipValue(Buffer.from(text), 0)).toBe(end);
  });

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
