import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { parseYaml } from '../../src/formats/yaml.ts';

describe('parseYaml: values', () => {
  it.each([
    ['nothing', '', null],
    ['a comment', '# nothing\n', null],
    ['a document that is empty', '---\n', null],
    ['a mapping', 'a: 1\nb: [x, "y"]\n', { a: 1, b: ['x', 'y'] }],
    ['JSON', '{"a": [1, true, null, "x\\u0041"], "b": {}}', { a: [1, true, null, 'xA'], b: {} }],
    ['words that are no booleans in YAML 1.2', 'a: yes\nb: on\nc: no\n', { a: 'yes', b: 'on', c: 'no' }],
    ['a date', '2020-01-01', '2020-01-01'],
    ['octal and hexadecimal', '[0o755, 0x1F, +7, -3, 1.5]', [493, 31, 7, -3, 1.5]],
    ['digits in quotes', 'mode: "0755"', { mode: '0755' }],
    [
      'a MAC address, a time, an address',
      '[52:54:00:12:34:56, 12:30, 192.0.2.1, ::1]',
      ['52:54:00:12:34:56', '12:30', '192.0.2.1', '::1'],
    ],
    ['a block text without a last line break', 'a: |\n  x\n  y', { a: 'x\ny' }],
    ['a folded text without one', 'a:\n  - >\n    x\n\n    y', { a: ['x\ny'] }],
    ['a kept text without one, and one before', 'a: |+\n  x\n\nb: |+\n  y', { a: 'x\n\n', b: 'y' }],
    ['a block text that ends in blanks', 'a: |\n  x\n  ', { a: 'x\n' }],
    ['block texts', 'a: |\n  x\n  y\nb: >-\n  x\n  y\n', { a: 'x\ny\n', b: 'x y' }],
    ['aliases', 'a: &x [1, 2]\nb: *x\nc: &y z\nd: *y\n', { a: [1, 2], b: [1, 2], c: 'z', d: 'z' }],
    ['keys as they are written', '0755: a\n~: b\n"0x1F": c\n', { '0755': 'a', '~': 'b', '0x1F': 'c' }],
    ['infinite numbers', '[.inf, -.Inf, +.INF]', [Infinity, -Infinity, Infinity]],
    [
      'text that starts like a number',
      '[1_000, 0o8, 1.2.3, -x, .5x]',
      ['1_000', '0o8', '1.2.3', '-x', '.5x'],
    ],
    ['the newest value of an anchor', 'a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['a merge key as an ordinary one', '<<: {a: 1}\n', { '<<': { a: 1 } }],
    ['!!str', 'a: !!str 12', { a: '12' }],
    ['a byte order mark', '\ufeffa: 1\n', { a: 1 }],
  ])('%s', (_title, text, value) => {
    expect(parseYaml(text).value).toEqual(value);
  });

  it('keeps __proto__ an ordinary key', () => {
    const value = parseYaml('__proto__: {polluted: true}\n').value;
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('parseYaml: hints', () => {
  it.each([
    ['a tab', 'a:\n\tb: 1\n', 'indent with spaces'],
    ['a key twice', 'a: 1\na: 2\n', 'remove one of the two keys'],
    ['another indentation', 'a:\n  b: 1\n c: 2\n', 'indent all entries equally'],
    ['a colon in a value', 'a: b: c\n', 'put values with special characters in quotes'],
    ['no space after a colon', 'a:\n  b:1\n  c: 2\n', 'write a space after each colon'],
    ['a bracket that is missing', 'a: [1\nb: 2\n', 'add the missing bracket or quote above'],
    ['a bracket that is missing at the end', 'a: [1', 'add the missing bracket'],
    ['a quote that is missing at the end', 'a: "1', 'add the missing quote'],
    ['a comma that is missing', 'a: ["b" "c"]\n', 'add a comma'],
    ['a backslash', 'a: "\\w"\n', 'use single quotes'],
    ['a backslash and u', 'a: "\\user"\n', 'use single quotes'],
    ['no colon', 'a\n  b: 1\n', 'write each entry as "KEY: VALUE"'],
    ['no colon in the last line', 'a: 1\nb\n', 'write each entry as "KEY: VALUE"'],
    ['a star', 'a: *.example.com\n', 'put the value in quotes'],
    ['an exclamation mark', 'a: !b\n', 'put the value in quotes'],
  ])('%s', (_title, text, hint) => {
    expect(() => parseYaml(text)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) as unknown }),
    );
  });
});

describe('parseYaml: errors', () => {
  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 'line 3, column 1'],
    ['a key twice in JSON', '{"a": 1,\n "a": 2}', 'line 2'],
    ['bad syntax', 'a: b: c\n', 'line 1, column 5'],
    ['a list that is not closed', 'a: [1\n', 'line'],
    ['two documents', 'a: 1\n---\nb: 2\n', 'more than one document'],
    ['a tag', 'a: !!binary aGk=\n', 'line 1, column 4'],
    ['a list as a key', '? [a]\n: b\n', 'line 1'],
    ['an alias as a key', 'a: &x b\n*x : c\n', 'line 2, column 1'],
    ['a tag that is not !!str', 'a: &x !!map {}\n', 'line 1, column 4'],
    ['an alias to nothing', 'a: *x\n', 'line 1, column 4'],
    ['an alias to what it is in', 'a: &x [*x]\n', 'line 1, column 8'],
    ['a control character', 'a: "\u0001"\n', 'line 1'],
    ['leading zeros', 'é: ä\nmode: 0644\n', 'line 2, column 7'],
    ['a hexadecimal number with a sign', '- -0x1F', 'line 1, column 3'],
    ['a version', 'version: 4.20', 'line 1, column 10'],
    ['a version that ends in .0', 'version: 3.0', 'line 1, column 10'],
    ['an exponent', '- 1e3', 'line 1, column 3'],
    ['an identifier', 'id: 12e345678', 'line 1'],
    ['a number that is not exact', '12345678901234567890', 'line 1'],
    ['a binary number', '- 0b101', 'line 1'],
  ])('%s', (_title, text, where) => {
    expect(() => parseYaml(text)).toThrow(FormatError);
    expect(() => parseYaml(text)).toThrow(where);
  });

  it('takes columns as bytes', () => {
    expect(() => parseYaml('{é: 1, é: 2}')).toThrow('line 1, column 9');
  });

  it('refuses aliases that blow up', () => {
    const levels = Array.from({ length: 12 }, (_, index) => {
      const below = index === 0 ? 'lol' : `*l${index - 1}`;
      return `l${index}: &l${index} [${Array.from({ length: 10 }, () => below).join(', ')}]\n`;
    });
    expect(() => parseYaml(levels.join(''))).toThrow('aliases expand to too much data');
  });

  it('refuses aliases that go deep', () => {
    const levels = Array.from(
      { length: 200 },
      (_, index) => `l${index}: &l${index} [${index === 0 ? 'x' : `*l${index - 1}`}]\n`,
    );
    expect(() => parseYaml(levels.join(''))).toThrow('aliases expand to too much data');
  });

  it.each(['[', '{a: ', '- '])('refuses %j 10000 deep', (open) => {
    expect(() => parseYaml(open.repeat(10_000))).toThrow(FormatError);
  });
});

describe('parseYaml: positions', () => {
  const text = `# comment
interfaces:
  - name: eth0
    ipv4: {enabled: "yes"}
    list:
    - a
    - 'b'
    empty:
    block: |
      text
  - &second
    name: ö
again: *second
gaps:
-
- x
`;
  const { locate } = parseYaml(text);
  it.each([
    ['the root', [], 2, 1],
    ['a block is at its key', ['interfaces'], 2, 1],
    ['an item', ['interfaces', 0], 3, 5],
    ['a text', ['interfaces', 0, 'name'], 3, 11],
    ['a flow mapping', ['interfaces', 0, 'ipv4'], 4, 11],
    ['a quoted text', ['interfaces', 0, 'ipv4', 'enabled'], 4, 21],
    ['an item of a list', ['interfaces', 0, 'list', 1], 7, 7],
    ['an empty value is at its key', ['interfaces', 0, 'empty'], 8, 5],
    ['a block text is at its key', ['interfaces', 0, 'block'], 9, 5],
    ['an empty item is at its list', ['gaps', 0], 14, 1],
    ['an item after it', ['gaps', 1], 16, 3],
    ['no item', ['gaps', 2], 14, 1],
    ['no item by its name', ['gaps', '0'], 14, 1],
    ['no item before the first', ['gaps', -1], 14, 1],
    ['no key of another mapping', ['interfaces', 0, 'again'], 3, 5],
    ['an alias', ['again'], 13, 8],
    ['something in an alias', ['again', 'name'], 12, 11],
    ['the deepest value that exists', ['interfaces', 0, 'ipv4', 'missing', 'x'], 4, 11],
  ])('%s', (_title, path, line, column) => {
    expect(locate(path)).toEqual({ line, column });
  });

  it.each([
    ['a long line', 100_000, (key: number) => `k${key}: ${key}, `],
    ['letters of several bytes', 10_000, (key: number) => `é😀${key}: "ö${key}", `],
  ])('finds values in %s at once', (_title, count, entry) => {
    const entries = Array.from({ length: count }, (_, key) => entry(key));
    const parsed = parseYaml(`{${entries.join('')}}`);
    const name = entry(count - 1).split(':', 1)[0] ?? '';
    const start = Buffer.byteLength(`{${entries.slice(0, -1).join('')}${name}: `) + 1;
    for (let time = 0; time < 10_000; time++) parsed.locate([name]);
    expect(parsed.locate([name])).toEqual({ line: 1, column: start });
  });

  it('finds nothing of a long mapping in the text after it', () => {
    const entries = Array.from({ length: 40 }, (_, key) => `k${key}: x`);
    const parsed = parseYaml(`long: {${entries.join(', ')}}\nshort: text\n`);
    expect(parsed.locate(['long', 'k0'])).toEqual({ line: 1, column: 12 });
    expect(parsed.locate(['short', 'k0'])).toEqual({ line: 2, column: 8 });
  });

  it('has none in an empty text', () => {
    expect(parseYaml('').locate(['a'])).toBeUndefined();
  });
});

describe('parseYaml: any input', () => {
  it('gives a value or a FormatError', () => {
    const yamlish = fc.array(
      fc.constantFrom(
        'a',
        ': ',
        '- ',
        '\n',
        '  ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&x ',
        '*x',
        '"',
        "'",
        '|',
        '>',
        '#',
        '!!str ',
        '0',
        '1',
        '.',
        '?',
        '---\n',
        '\t',
        '%',
        'é',
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          yamlish.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(thrownBy(() => parseYaml(text).locate(['a', 0]))).toSatisfy(isFormatErrorOrNothing);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('reads back what js-yaml and JSON write', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string(), tie('list'), tie('map')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      map: fc.dictionary(fc.string({ minLength: 1 }), tie('any'), { maxKeys: 4, noNullPrototype: true }),
    })).any;
    fc.assert(
      fc.property(value, (data) => {
        const plain: unknown = JSON.parse(JSON.stringify(data));
        expect(parseYaml(dump(plain)).value).toEqual(plain);
        expect(parseYaml(JSON.stringify(plain)).value).toEqual(plain);
      }),
    );
  });
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

function isFormatErrorOrNothing(error: unknown): boolean {
  return error === undefined || error instanceof FormatError;
}
