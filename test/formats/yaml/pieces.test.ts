/** A long list at the end of a document is read in pieces: nobody may see a difference. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { parseYaml } from '../../../src/formats/yaml.ts';
import { readInPieces } from '../../../src/formats/yaml/pieces.ts';

/** A comment in the middle of an item, as long as a piece: each item begins one. */
const filler = `# ${'x'.repeat(64 * 1024)}\n`;

const document = (head: string, items: readonly string[]): string =>
  `${head}${items.map((item) => `${item}\n${filler}`).join('')}`;

/** A key behind the list makes it one that is read whole. */
const behind = 'zz: 0\n';

describe('readInPieces', () => {
  it.each([
    ['a list at the start of the line', 'a: 1\nhosts:\n', ['- x: é', '- y', '-\n  z: 1']],
    [
      'a list that is indented',
      'hosts:\n',
      ['  - x: 1\n    y: [1, 2]', '  - "a\n\n    b"', '  - - 1\n    - 2'],
    ],
    ['comments and blank lines', '# a\nhosts: # b\n\n  # c\n', ['- |+\n  x\n\n', '# d\n- z', '- w']],
    ['lists before it', 'b:\n- 1\nc: {d: [1]}\nhosts:\n', ['- 1', '- 2']],
    ['a key that is special', '__proto__:\n', ['- 1', '- 2']],
    ['line breaks of two characters', 'a: 1\r\nhosts:\r\n', ['- x: 1\r', '- y: 2\r']],
  ])('reads %s', (_title, head, items) => {
    const text = document(head, items);
    expect(readInPieces(text)).toBeDefined();
    expect(differences(text)).toEqual([]);
  });

  it.each([
    ['an alias to what is before the list', 'a: &x 1\nhosts:\n', ['- *x', '- *x']],
    ['an alias to another piece', 'hosts:\n', ['- &x 1', '- *x']],
    ['a list that is text', 'hosts: |\n', ['  - a', '  - b']],
    ['items in quotes', 'hosts: "\n', [' - a', ' - b"']],
    ['a list in brackets', 'hosts: [\n', ['- a,', '- b]']],
    ['a second document', 'hosts:\n', ['- a\n---', '- b']],
    ['an item that is further left', 'hosts:\n', ['  - a', ' - b']],
    ['a key in a list', 'hosts:\n', ['- a: 1', 'b: 1', '- c']],
    ['a key without colon', '? hosts\n', ['- a', '- b']],
    ['a key twice', 'hosts: 1\nhosts:\n', ['- a', '- b']],
    ['a mistake in an item', 'hosts:\n', ['- a', '- {b: 0644}']],
    ['line breaks of the old Macintosh', 'hosts:\n', ['- a\r- c', '- b']],
    ['a tag', 'hosts:\n', ['- a', '- !x b']],
    ['a control character', 'hosts:\n', ['- a', '- "\u0001"']],
  ])('leaves %s to the reader of whole documents', (_title, head, items) => {
    expect(readInPieces(document(head, items))).toBeUndefined();
  });

  it('leaves texts alone that are short', () => expect(readInPieces('hosts:\n- a\n- b\n')).toBeUndefined());

  it('says the same as the reader of whole documents', () => {
    const lines = `a: b
- a
  - a
  a: 1
- - b
- {a: 1}
- [1,
  2]
- "x
  y"
-
--- a
- |
    text
# c

- &x 1
- *x
- é: ö
? k
: v
...
\t- a
-a
- ? q`.split('\n');
    const head = fc.constantFrom(
      'hosts:\n',
      'a: 1\nhosts:\n',
      'hosts: # c\n\n',
      '',
      'x:\n- 1\nhosts:\n',
      'h: |\n',
    );
    const body = fc.array(fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 3 }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(head, body, (start, items) => {
        const texts = items.map((item) => item.join('\n'));
        expect(differences(document(start, texts))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('refuses what would take too much memory', () => {
    for (const text of ['[', '- a\n', '{a,', '[a:,', '? a\n']) {
      expect(() => parseYaml(text.repeat(4_000_000 / text.length + 2_000_000))).toThrow(FormatError);
    }
  });
});

/** Where it is read in pieces, and a value or a position is not what it is otherwise. */
function differences(text: string): unknown[] {
  if (readInPieces(text) === undefined) return [];
  const [result, whole] = [parseYaml(text), parseYaml(`${text}${behind}`)];
  expect({ ...asObject(result.value), zz: 0 }).toEqual(whole.value);
  return pathsOf(result.value).filter(
    (path) => JSON.stringify(result.locate(path)) !== JSON.stringify(whole.locate(path)),
  );
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function pathsOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [[], ...entries.flatMap(([key, child]) => pathsOf(child).map((path) => [key, ...path]))];
}
