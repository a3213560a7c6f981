import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Path } from '../../src/core/finding.ts';
import { deepestNode } from '../../src/formats/documentTree.ts';
import { readJsonTree } from '../../src/formats/json/tree.ts';

describe('deepestNode', () => {
  const many = Array.from({ length: 40 }, (_, index) => `"k${index}":0`).join(',');
  it.each<[string, string, Path, number]>([
    ['the root object', '{"a":1}', [], 0],
    ['a list', '{"a": [1]}', ['a'], 6],
    ['a string at its quote', '{"a": "x"}', ['a'], 6],
    ['an item', '{"a": [1, 22]}', ['a', 1], 10],
    ['null', '{"a": null}', ['a'], 6],
    ['a scalar document', ' 5', ['a'], 1],
    ['what is missing: the object around it', '{"a": {"b": 1}}', ['a', 'c', 'd'], 6],
    ['an index behind the end: the list', '{"a": [1]}', ['a', 1], 6],
    ['a name in a list: the list', '{"a": [1]}', ['a', 'b'], 6],
    ['an index in an object: the object', '{"a": {"0": 1}}', ['a', 0], 6],
    ['below a scalar: the scalar', '{"a": 1}', ['a', 'b'], 6],
    ['a repeated key: the last', '{"a": {"b": 1},"a": {"b": 2}}', ['a', 'b'], 26],
    ['a repeated key whose last value lacks the rest', '{"a": {"b": 1},"a": {}}', ['a', 'b'], 20],
    ['a repeated key among many', `{"a":1,"a":2,${many}}`, ['a'], 11],
    ['a missing key among many', `{"a":1,${many}}`, ['b'], 0],
    ['a key in another case is another key', '{"A": 1}', ['a'], 0],
    ['an escaped key', String.raw`{"\u0061": 1}`, ['a'], 11],
    ['offsets in bytes', '{"é": "ü", "a": 1}', ['a'], 18],
  ])('%s', (_title, text, path, start) => {
    expect(deepestNode(readJsonTree(Buffer.from(text)).root, path).start).toBe(start);
  });

  it('finds every value of any document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (document) => {
        const bytes = Buffer.from(JSON.stringify(document, null, 1));
        const { root } = readJsonTree(bytes);
        for (const [key, value] of Object.entries(document)) {
          const { start, end } = deepestNode(root, [key]);
          expect(JSON.parse(bytes.toString('utf8', start, end))).toEqual(JSON.parse(JSON.stringify(value)));
        }
      }),
    );
  });
});
