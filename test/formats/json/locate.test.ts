import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locatePaths, positionsOf, readNodes } from '../../../src/formats/json/locate.ts';
import type { Path } from '../../../src/core/finding.ts';

function locate(text: string, path: Path): string {
  const bytes = Buffer.from(text);
  const [position] = positionsOf(bytes, locatePaths(bytes, [path]));
  return position === undefined ? 'none' : `${position.line}:${position.column}`;
}

describe('locatePaths', () => {
  it.each<[string, string, Path, string]>([
    ['the root object', '{"a":1}', [], '1:2'],
    ['a list', '{"a": [1]}', ['a'], '1:8'],
    ['a string at its quote', '{"a": "x"}', ['a'], '1:7'],
    ['a number', '{"a": -12}', ['a'], '1:7'],
    ['an item', '{"a": [1, 22]}', ['a', 1], '1:11'],
    ['null', '{"a": null}', ['a'], '1:7'],
    ['a scalar document', ' 5', ['a'], '1:2'],
    ['what is missing: the object around it', '{"a": {"b": 1}}', ['a', 'c', 'd'], '1:8'],
    ['an index behind the end: the list', '{"a": [1]}', ['a', 1], '1:8'],
    ['a name in a list: the list', '{"a": [1]}', ['a', 'b'], '1:8'],
    ['an index in an object: the object', '{"a": {"0": 1}}', ['a', 0], '1:8'],
    ['below a scalar: the scalar', '{"a": 1}', ['a', 'b'], '1:7'],
    ['a repeated key: the last', '{"a": {"b": 1},\n"a": {"b": 2}}', ['a', 'b'], '2:12'],
    ['a repeated key whose last value lacks the rest', '{"a": {"b": 1},\n"a": {}}', ['a', 'b'], '2:7'],
    ['a key in another case is another key', '{"A": 1}', ['a'], '1:2'],
    ['an escaped key', '{"\\u0061": 1}', ['a'], '1:12'],
    ['columns in bytes', '{"é": "ü", "a": 1}', ['a'], '1:19'],
    ['a carriage return is a column', '{\r\n"a": 1}', ['a'], '2:6'],
  ])('%s', (_title, text, path, position) => {
    expect(locate(text, path)).toBe(position);
  });

  it('finds many paths at once', () => {
    const bytes = Buffer.from('{"a":[{"b":1},{"b":2}],"c":3}');
    const paths: Path[] = [['a', 1, 'b'], ['c'], ['a', 0, 'b'], ['a', 0]];
    expect(locatePaths(bytes, paths)).toEqual([19, 27, 11, 7]);
  });

  it('finds every value of any document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (document) => {
        const bytes = Buffer.from(JSON.stringify(document, null, 1));
        const paths = Object.keys(document).map((key) => [key]);
        const offsets = locatePaths(bytes, paths);
        for (const [index, [key = '']] of paths.entries()) {
          const text = JSON.stringify(document[key], null, 1);
          const isNested = text.startsWith('{') || text.startsWith('[');
          const offset = offsets[index] ?? 0;
          expect(bytes.subarray(isNested ? offset - 1 : offset).toString()[0]).toBe(text[0]);
        }
      }),
    );
  });
});

describe('positionsOf', () => {
  it.each([
    [0, { line: 1, column: 1 }],
    [2, { line: 1, column: 3 }],
    [3, { line: 2, column: 1 }],
    [4, { line: 3, column: 1 }],
    [5, { line: 3, column: 2 }],
    [6, undefined],
    [99, undefined],
  ])('offset %i', (offset, position) => {
    expect(positionsOf(Buffer.from('ab\n\nxy'), [offset])).toEqual([position]);
  });

  it('keeps the order that is asked for', () => {
    const positions = positionsOf(Buffer.from('a\nb\nc'), [4, 0, 2, 4]);
    expect(positions.map((position) => position?.line)).toEqual([3, 1, 2, 3]);
  });
});

it('readNodes locates parts of a string with escapes in any order', () => {
  const spans = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', '\n', '\u0001'), maxLength: 20 });
  fc.assert(
    fc.property(text, spans, (decoded, numbers) => {
      const bytes = Buffer.from(JSON.stringify(decoded));
      const node = readNodes(bytes);
      if (node.kind !== 'scalar') throw new Error('not a scalar');
      const characters = Array.from(decoded);
      for (const pair of numbers) {
        const [from, to] = pair.map((number) => number % (characters.length + 1)).toSorted((a, b) => a - b);
        const before = characters.slice(0, from).join('');
        const part = characters.slice(from, to).join('');
        const { start, end } = node.locate({ start: before.length, end: before.length + part.length });
        expect(JSON.parse(`"${bytes.toString('utf8', start, end)}"`)).toBe(part);
      }
    }),
  );
});
