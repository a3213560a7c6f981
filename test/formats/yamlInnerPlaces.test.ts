/** Places in texts that a YAML document contains have positions in the document: exact ones, or none. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { valueAt } from '../../src/formats/mapping.ts';

const path = ['files', 1, 'text'];

/** A document with a block; its lines are indented by `indent` blanks, which the header says if the first line needs it. */
function documentOf(style: '|' | '>', lines: readonly string[], indent: number, more = ''): string {
  const first = lines.find((line) => line !== '') ?? '';
  const header = /^[ \t]/.test(first) || lines[0] === '' ? String(indent) : '';
  const block = lines.map((line) => (line === '' ? '' : `${' '.repeat(indent + 2)}${line}`));
  return `# ä\nfiles:\n- text: ä\n- name: b\n  text: ${style}${header}${more}\n${block.join('\n')}\n- text: end\n`;
}

/** What the document has from a position on, to the end of the line. */
function textAt(
  source: string,
  { line, column }: { readonly line: number; readonly column: number },
): string {
  const bytes = Buffer.from(source.split('\n')[line - 1] ?? '');
  return bytes.subarray(column - 1).toString();
}

const lineText = fc
  .oneof(
    {
      weight: 4,
      arbitrary: fc.string({ unit: fc.constantFrom(...Array.from('abä𐍈 \t#:-[]"\'|>\\')), maxLength: 8 }),
    },
    { weight: 1, arbitrary: fc.constant('') },
  )
  .map((text) => text.trimEnd());
const someLines = fc
  .array(lineText, { minLength: 1, maxLength: 8 })
  .filter((lines) => lines.some((line) => line !== ''));

describe('a line of a block', () => {
  it('is found in a literal block, whatever its indentation', () => {
    fc.assert(
      fc.property(
        someLines,
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom('', '+', '-'),
        (lines, indent, chomping) => {
          const source = documentOf('|', lines, indent, chomping);
          const { value, locateInText } = parseYaml(source);
          const written = String(valueAt(value, path)).split('\n');
          for (const [index, line] of written.entries()) {
            if (line === '') continue;
            const position = locateInText(path, { line: index + 1 });
            expect(position && textAt(source, position)).toBe(line);
          }
          const last = lines.findLastIndex((line) => line !== '') + 1;
          const characters = Array.from(lines[last - 1] ?? '');
          const [end = ''] = characters.splice(-1);
          const column = Buffer.byteLength(characters.join('')) + 1;
          const position = locateInText(path, { line: last, column });
          expect(position && [position.line, textAt(source, position)]).toEqual([5 + last, end]);
          expect(locateInText(path, { line: lines.length + 2 })).toBeUndefined();
        },
      ),
    );
  });

  it.each<readonly [title: string, source: string, line: number, position: object | undefined]>([
    ['a folded text', 'b: >\n  one\n\n  two\n', 2, undefined],
    [
      'blank lines before the first',
      `b: |\n${'\n'.repeat(200_000)}  one\n`,
      200_001,
      { line: 200_002, column: 3 },
    ],
    ['an anchor', 'a: &x |\n  one\n  two\nb: *x\n', 2, { line: 3, column: 3 }],
    ['a comment behind the indicator', 'b: | # text\n  one\n  two\n', 2, { line: 3, column: 3 }],
    ['CR LF', 'b: |\r\n  one\r\n  two\r\n', 2, { line: 3, column: 3 }],
    ['the last of two equal keys', 'b:\n  |\n  one\n', 1, { line: 3, column: 3 }],
    ['another document before it', '--- # first\nb: |\n one\n', 1, { line: 3, column: 2 }],
    ['double quotes', 'b: "one\\ntwo"\n', 2, undefined],
    ['single quotes', "b: 'one\n\n  two'\n", 2, undefined],
    ['a plain text', 'b: one\n\n  two\n', 2, undefined],
    ['no text', 'b: {c: 1}\n', 1, undefined],
    ['no value', 'c: 1\n', 1, undefined],
    ['an empty document', '', 1, undefined],
  ])('with %s', (_title, source, line, position) => {
    expect(parseYaml(source).locateInText(['b'], { line })).toEqual(position);
  });
});
