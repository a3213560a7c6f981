import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonTree } from '../../../src/formats/json/tree.ts';
import { jsonScalarText } from '../../../src/formats/json/strings.ts';

function read(literal: Buffer): string {
  const { root } = readJsonTree(literal);
  return root.kind === 'scalar' ? root.text : '';
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

describe('strings', () => {
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

describe('jsonScalarText', () => {
  it.each([
    ['"a token"', 'a token', true],
    ['12', '12', true],
    [String.raw`"a\ttoken"`, 'a\ttoken', false],
    ['"é"', 'é', false],
  ])('%s', (source, text, isVerbatim) => {
    const bytes = Buffer.from(source);
    const { root } = readJsonTree(bytes);
    if (root.kind !== 'scalar') throw new Error('not a scalar');
    const quote = source.startsWith('"') ? 1 : 0;
    const span = { start: quote, end: bytes.length - quote };
    expect(jsonScalarText(root)).toEqual({ text, span, isVerbatim });
  });
});
