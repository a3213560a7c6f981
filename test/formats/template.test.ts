import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplate } from '../../src/formats/template.ts';

describe('fillTemplate', () => {
  it.each([
    ['no holes', 'text', {}, 'text'],
    ['a hole', 'a {{b}} c', { b: 'B' }, 'a B c'],
    ['one hole twice', '{{b}}{{b}}', { b: 'B' }, 'BB'],
    ['a hole inside a value stays', '{{a}}{{b}}', { a: '{{b}}', b: 'B' }, '{{b}}B'],
    ['replacement patterns are text', '{{a}}', { a: '$& $1 $$' }, '$& $1 $$'],
    ['an empty value', '[{{a}}]', { a: '' }, '[]'],
    ['single braces are text', '{a} ${b} }{', {}, '{a} ${b} }{'],
  ])('%s', (_title, text, values, expected) => {
    expect(fillTemplate(text, values as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['a hole without a value', '{{a}}', {}],
    ['a value without a hole', 'text', { a: 'A' }],
    ['blanks in a hole', '{{ a }}', { a: 'A' }],
    ['an empty hole', '{{}}', {}],
    ['a name of Object.prototype', '{{toString}}', {}],
  ])('%s is a defect', (_title, text, values) => {
    expect(() => fillTemplate(text, values as Record<string, string>)).toThrow(Error);
  });

  it('puts any value where its hole is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, second) => {
        expect(fillTemplate('<{{first}}|{{second}}>', { first, second })).toBe(`<${first}|${second}>`);
      }),
    );
  });
});
