/** Scalars of a YAML document, and their texts. */

import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/formats/yaml.ts';
import { scalarSpans, yamlScalarText } from '../../src/formats/yaml/scalars.ts';

describe('the text of a scalar', () => {
  it.each([
    ['letters of several code units', '"😀 é token"'],
    ['double quotes on several lines', '"a\n  token"'],
    ['single quotes', "'it''s a token'"],
    ['a plain text', 'a token'],
    ['a tag and an anchor', '&a !!str "token"'],
    ['a literal block', '|2 # comment\n    é\n  token\n'],
    ['a folded block', '>-\n  a\n  token'],
  ])('%s: each part has its place', (_title, source) => {
    const { root } = parseYaml(source);
    if (root?.kind !== 'scalar') throw new Error('not a scalar');
    const { isVerbatim, span, text } = yamlScalarText(source, root);
    expect([isVerbatim, source.slice(span.start, span.end)]).toEqual([true, text]);
    expect(text).toContain('token');
  });

  it.each([
    ['escapes', String.raw`"\x41 \U0001F600 \u00e9 \"\n tok\u0065n"`, 'A 😀 é "\n token'],
    ['an escaped line break', '"a\\\n  token"', 'atoken'],
  ])('%s: the value', (_title, source, value) => {
    const { root } = parseYaml(source);
    if (root?.kind !== 'scalar') throw new Error('not a scalar');
    const span = { start: 1, end: source.length - 1 };
    expect(yamlScalarText(source, root)).toEqual({ text: value, span, isVerbatim: false });
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
