import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf16Columns } from '../../../src/io/report/annotations.ts';
import { codePoint } from '../../support/arbitraryText.ts';

describe('utf16Columns', () => {
  it.each<[string, string, readonly [line: number, column: number][], readonly number[]]>([
    [
      'ASCII',
      'abc\ndef',
      [
        [1, 1],
        [2, 3],
      ],
      [1, 3],
    ],
    [
      'two, three and four bytes',
      'é漢😀x',
      [
        [1, 3],
        [1, 6],
        [1, 10],
      ],
      [2, 3, 5],
    ],
    [
      'in any order, and twice',
      'éé\nx',
      [
        [1, 5],
        [2, 1],
        [1, 3],
        [1, 5],
      ],
      [3, 1, 2, 3],
    ],
    [
      'behind the end',
      'é',
      [
        [1, 9],
        [7, 3],
      ],
      [2, 1],
    ],
  ])('%s', (_title, text, places, columns) => {
    const positions = places.map(([line, column]) => ({ line, column }));
    expect(utf16Columns(Buffer.from(text), positions)).toEqual(columns);
  });

  it('agrees with the length of the text in front', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (before, after) => {
        const line = Buffer.from(before).toString().replaceAll('\n', ' ');
        const bytes = Buffer.from(`first\n${line}${after}`);
        const [column] = utf16Columns(bytes, [{ line: 2, column: Buffer.byteLength(line) + 1 }]);
        expect(column).toBe(line.length + 1);
      }),
    );
  });
});
