/** Scalars of a YAML document, and the places of parts of their texts. */

import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { placedYamlText, scalarSpans } from '../../src/formats/yaml/scalars.ts';

describe('the place of a part of a scalar', () => {
  it.each([
    ['escapes', String.raw`"\x41 \U0001F600 \u00e9 \"\n token"`],
    ['letters of several code units', '"😀 é token"'],
    ['double quotes on several lines', '"a\\\n  token"'],
    ['single quotes', "'it''s a token'"],
    ['a plain text', 'a token'],
    ['a tag and an anchor', '&a !!str "\\x41 token"'],
    ['a literal block', '|2 # comment\n    é\n  token\n'],
    ['a folded block', '>-\n  a\n  token'],
  ])('%s', (_title, source) => {
    const { root } = parseYaml(source);
    if (root?.kind !== 'scalar') throw new Error('not a scalar');
    const { locate, text } = placedYamlText(source, root);
    const start = text.indexOf('token');
    const span = locate({ start, end: start + 5 });
    expect(source.slice(span.start, span.end)).toBe('token');
  });
});

it('scalars are found with keys, in their order, without what may be a comment', () => {
  const source = `# a
b: "c # d" # e
? f
: [g, {h: 'i'}, &x j, *x]
k: | # l
  m # n
o:
`;
  const { root } = parseYaml(source);
  const texts = root && Array.from(scalarSpans(root), ({ start, end }) => source.slice(start, end));
  expect(texts).toEqual(['b', 'c # d', 'f', 'g', 'h', 'i', 'j', 'k', '  m # n\n', 'o', '']);
});
