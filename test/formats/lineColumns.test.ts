import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineColumns, lineSpans } from '../../src/formats/lineColumns.ts';
import { codePoint } from '../support/arbitraryText.ts';

describe('lineColumns', () => {
  it.each([
    [0, 1, 1],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
    [6, 3, 3],
  ])('offset %i', (offset, line, column) => {
    expect(lineColumns(Buffer.from('ab\n\nxy'))(offset)).toEqual({ line, column });
    expect(lineColumns('ab\n\nxy')(offset)).toEqual({ line, column });
  });

  it('counts a carriage return as a column', () => {
    expect(lineColumns('a\r\nb')(2)).toEqual({ line: 1, column: 3 });
  });

  it('counts bytes of UTF-8 in a text of any length', () => {
    const part = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.constantFrom('\n', '😀'.repeat(2047), 'x'.repeat(5000)),
    );
    const texts = fc.array(part, { maxLength: 12 }).map((parts) => Buffer.from(parts.join('')).toString());
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { minLength: 1 }), (text, numbers) => {
        const bytes = Buffer.from(text);
        const [ofText, ofBytes] = [lineColumns(text), lineColumns(bytes)];
        const characters = Array.from(text);
        for (const number of numbers) {
          const before = characters.slice(0, number % (characters.length + 1)).join('');
          const last = before.split('\n').at(-1) ?? '';
          const position = { line: before.split('\n').length, column: Buffer.byteLength(last) + 1 };
          expect(ofText(before.length)).toEqual(position);
          expect(ofBytes(Buffer.byteLength(before))).toEqual(position);
        }
      }),
    );
  });
});

it('lineSpans finds lines in any order', () => {
  const spans = lineSpans(Buffer.from('ab\n\nxy'), [3, 1, 2, 9]);
  expect(spans.get(1)).toEqual({ start: 0, end: 2 });
  expect(spans.get(2)).toEqual({ start: 3, end: 3 });
  expect(spans.get(3)).toEqual({ start: 4, end: 6 });
  expect(spans.get(9)?.start).toBeGreaterThanOrEqual(6);
});
