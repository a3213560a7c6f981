import * as fc from 'fast-check';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { formatYaml } from '../../src/formats/yamlText.ts';
import { codePoint } from '../support/arbitraryText.ts';

describe('formatYaml', () => {
  it.each([
    'yes',
    'no',
    'on',
    'Off',
    'y',
    'null',
    '~',
    'true',
    '0x1f',
    '0o7',
    '012',
    '1_000',
    '1e3',
    '.5',
    '+1',
    '52:54:00:12:34:56',
    '1:20',
    '2001-01-01',
    '=',
    '<<',
    '- x',
    'a: b',
    'a #b',
    ' a',
    'a\nb\n',
    '%default% a',
  ])('keeps the text %j a text for old readers and new ones', (text) => {
    const yaml = formatYaml([{ [text]: text }]);
    expect(load(yaml)).toEqual({ [text]: text });
    expect(load(yaml, { schema: YAML11_SCHEMA })).toEqual({ [text]: text });
  });

  // Read as numbers by sigs.k8s.io/yaml 1.4.0.
  it.each(['0X1F', '0O17', '0B1', '8e9_8', '1E3_4', '-0X1F', '+_0', '0_xB'])(
    'quotes %j, a number for Kubernetes',
    (text) => {
      expect(formatYaml([[text]])).toBe(`- '${text}'\n`);
    },
  );

  it('writes what reads back as the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ stringUnit: codePoint }), { minLength: 2, maxLength: 3 }),
        (values) => {
          const plain: unknown = JSON.parse(JSON.stringify(values));
          expect(JSON.stringify(loadAll(formatYaml(values)))).toBe(JSON.stringify(plain));
        },
      ),
    );
  });
});
