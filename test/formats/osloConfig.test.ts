import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import {
  escapeInterpolation,
  formatOsloConfig,
  formatOsloValue,
  mergeOsloConfig,
  type OsloDocument,
  type OsloEntry,
  parseOsloConfig,
  quoteOsloValue,
} from '../../src/formats/osloConfig.ts';

/** `section/name=value` of every option. */
function options(text: string): string[] {
  return parseOsloConfig(text).entries.flatMap((entry) =>
    entry.kind === 'option' ? [`${entry.section}/${entry.name}=${entry.value}`] : [],
  );
}

/** The value that counts for each option. */
function lastValues(text: string): object {
  return Object.fromEntries(options(text).map((option) => option.split('=')));
}

function problems(text: string): string[] {
  return parseOsloConfig(text).problems.map(
    ({ code, position }) => `${code} ${position.line}:${position.column}`,
  );
}

/** Without positions, which a document that was not read does not have. */
function plain({ entries }: OsloDocument): OsloEntry[] {
  return entries.map((entry) => {
    if (entry.kind === 'remark') return entry;
    if (entry.kind === 'section') return { kind: 'section', name: entry.name };
    return { kind: 'option', section: entry.section, name: entry.name, value: entry.value };
  });
}

describe('parseOsloConfig', () => {
  it.each([
    ['the first separator counts', '[S]\na=b:c\nd : e=f\n', ['S/a=b:c', 'S/d=e=f']],
    ['blanks around go away', '[S]\na\t=  b \u00a0\n', ['S/a=b']],
    [
      'one pair of quotes goes away',
      `[S]\na = "b"\nc = ' d '\ne = ""f""\ng = "h'\ni = "\nj = k"k\n`,
      ['S/a=b', 'S/c= d ', 'S/e="f"', `S/g="h'`, 'S/i=', 'S/j=k"k'],
    ],
    ['comments behind values stay', '[S]\na = b # c\n', ['S/a=b # c']],
    ['indented lines continue', '[S]\na = b,\n  c\n\t# d\n', ['S/a=b,\nc\n# d']],
    ['quotes of the first line only', '[S]\na = "b"\n "c"\n', ['S/a=b\n"c"']],
    ['an empty first line', '[S]\na =\n b\n', ['S/a=\nb']],
    ['repeated options and sections', '[S]\na=1\na=2\n[T]\n[S]\na=3\n', ['S/a=1', 'S/a=2', 'S/a=3']],
    ['all line ends', '[S]\r\na=1\rb=2\n', ['S/a=1', 'S/b=2']],
    ['separators of Unicode are none', '[S]\na=1\u2028b=2\n', ['S/a=1\u2028b=2']],
    ['names of sections as written', '[ S ]\na=1\n[T]]\nb=1\n', [' S /a=1', 'T]/b=1']],
    ['no final newline', '[S]\na=1', ['S/a=1']],
    ['nothing', '', []],
  ])('%s', (_title, text, expected) => {
    expect(problems(text)).toEqual([]);
    expect(options(text)).toEqual(expected);
  });

  it.each([
    ['a = 1', ['section-missing 1:1']],
    ['[S]\ntext\n', ['separator-missing 2:1']],
    ['[S]\n= 1\n', ['name-missing 2:1']],
    ['[S]\n a = 1\n', ['stray-continuation 2:1']],
    ['[S]\na = 1\n\n b\n', ['stray-continuation 4:1']],
    ['[S]\na = 1\n# c\n b\n', ['stray-continuation 4:1']],
    ['[S] # c\n', ['section-unclosed 1:1']],
    ['[\na = 1\n', ['section-unclosed 1:1']],
    ['[]\na = 1\n', ['section-unnamed 1:1']],
    ['\ufeff[S]\n', ['separator-missing 1:1']],
  ])('%j has %j', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it.each([
    ['is taken for its lines where something is behind it', '[S] # c\na = 1\n', ['S/a=1']],
    ['is taken for its lines where a second one is behind it', '[S] [T\na = 1\n', ['S/a=1']],
    ['takes its lines with it where it is not closed', '[S\na = 1\n', []],
    ['takes its lines with it where it has no name', '[T]\n[]\na = 1\n[S]\nb = 1\n', ['S/b=1']],
  ])('a broken header %s', (_title, text, expected) => {
    expect(problems(text)).toHaveLength(1);
    expect(options(text)).toEqual(expected);
  });

  it('says where names and values stand, in bytes', () => {
    const { entries } = parseOsloConfig('# c\n[S]\nä = "é"\nb =\n  c\n');
    const places = entries.map((entry) => (entry.kind === 'option' ? entry.valuePosition : undefined));
    expect(places).toEqual([undefined, undefined, { line: 3, column: 6 }, { line: 4, column: 4 }]);
  });

  it('reads any text', () => {
    const text = fc.string({
      unit: fc.constantFrom('[', ']', '=', ':', ' ', '\n', '\r', '#', '"', 'a', '\t', '\u00a0'),
    });
    expect(() => fc.assert(fc.property(text, (written) => void parseOsloConfig(written)))).not.toThrow();
  });
});

describe('formatOsloConfig', () => {
  it('keeps order, comments and blank lines', () => {
    const text = '# top\n\n[DEFAULT]\n; c\na = 1\nb = x\n  y\n\n[mdns]\nc = " d "\n';
    expect(formatOsloConfig(parseOsloConfig(text))).toBe(text);
  });

  it('writes what reads the same, whatever was read', () => {
    const text = fc.string({
      unit: fc.constantFrom('[S]\n', '\n', 'a', ' = ', '"', "'", ' ', '\n  ', '#', '\t', '$'),
    });
    fc.assert(
      fc.property(text, (written) => {
        const document = parseOsloConfig(`[DEFAULT]\n${written}`);
        const again = parseOsloConfig(formatOsloConfig(document));
        expect(again.problems).toEqual([]);
        expect(plain(again)).toEqual(plain(document));
      }),
    );
  });

  it.each<[string, OsloEntry]>([
    ['a name with a separator', { kind: 'option', section: 'S', name: 'a=b', value: '' }],
    ['a name like a comment', { kind: 'option', section: 'S', name: '#a', value: '' }],
    ['an empty name', { kind: 'option', section: 'S', name: '', value: '' }],
    ['a value with a blank line', { kind: 'option', section: 'S', name: 'a', value: 'b\n\nc' }],
    ['a section of two lines', { kind: 'section', name: 'a\nb' }],
    ['a comment that is none', { kind: 'remark', text: 'a = b' }],
    ['a comment behind something', { kind: 'remark', text: 'a # b' }],
    ['a comment of two lines', { kind: 'remark', text: '# a\nb = c' }],
    ['a section without name', { kind: 'section', name: '' }],
    ['a name with a blank before it', { kind: 'option', section: 'S', name: ' a', value: '' }],
    ['a name with a blank behind it', { kind: 'option', section: 'S', name: 'a\u00a0', value: '' }],
  ])('refuses %s', (_title, entry) => {
    expect(() => formatOsloConfig({ entries: [{ kind: 'section', name: 'S' }, entry] })).toThrow(FormatError);
  });
});

it.each<[OsloEntry, string, string]>([
  [{ kind: 'section', name: '' }, 'The section name "" cannot be written in a config file', 'use one line'],
  [
    { kind: 'option', section: 'S', name: 'a=b', value: '' },
    'The option name "a=b" cannot be written in a config file',
    'use one line',
  ],
  [{ kind: 'remark', text: 'a' }, 'The comment "a" cannot be written in a config file', 'use one line'],
  [
    { kind: 'option', section: 'S', name: 'a', value: 'b\r' },
    'The value contains line breaks or spaces that a config file cannot represent',
    'use LF line endings',
  ],
])('%j: %s', (entry, message, hint) => {
  expect(() => formatOsloConfig({ entries: [entry] })).toThrow(
    expect.objectContaining({ message, hint: expect.stringContaining(hint) }),
  );
});

describe('quoteOsloValue', () => {
  it.each([
    ['a', 'a'],
    ['', ''],
    ['pa$$w', 'pa$$$$w'],
    ['$a', '$$a'],
    ['\\$a', '\\\\$a'],
    [' a', '" a"'],
    ['a\u00a0', '"a\u00a0"'],
    ['"a"', '""a""'],
    ["'", `"'"`],
    ['"a', '"a'],
    ['a # b', 'a # b'],
    ['a\nb', 'a\n  b'],
  ])('%j becomes %j', (value, expected) => {
    expect(quoteOsloValue(value)).toBe(expected);
  });

  it.each(['a\rb', 'a\n\nb', 'a\n b', 'a\nb ', 'a\n', '\ud800'])('refuses %j', (value) => {
    expect(() => quoteOsloValue(value)).toThrow(FormatError);
  });

  it('is undone by reading', () => {
    const value = fc.string({
      unit: fc.constantFrom('a', '"', "'", ' ', '\t', '#', '=', '[', '\u2003', '\ufeff', 'é'),
    });
    fc.assert(
      fc.property(value, (text) => {
        expect(options(`[S]\na = ${formatOsloValue(text)}\n`)).toEqual([`S/a=${text}`]);
      }),
    );
  });

  it('escapes dollars so that Python templates give them back', () => {
    const value = fc.string({ unit: fc.constantFrom('$', '\\', 'a', '{', '}') });
    fc.assert(
      fc.property(value, (text) => {
        const template = escapeInterpolation(text).replaceAll('\\$', () => '$$');
        expect(template.replaceAll('$$', '')).not.toContain('$');
        expect(template.replaceAll('$$', () => '$')).toBe(text);
      }),
    );
  });
});

describe('mergeOsloConfig', () => {
  it.each([
    ['replaces in place', '[S]\na = 1\nb = 2\n', '[S]\na = 3\n', '[S]\na = 3\nb = 2\n'],
    [
      'adds behind the last option of the section',
      '[S]\na = 1\n\n[T]\nb = 2\n',
      '[S]\nc = 3\n',
      '[S]\na = 1\nc = 3\n\n[T]\nb = 2\n',
    ],
    [
      'adds sections at the end',
      '[S]\na = 1\n',
      '[T]\nb = 2\n[U]\nc = 3\n',
      '[S]\na = 1\n\n[T]\nb = 2\n\n[U]\nc = 3\n',
    ],
    [
      'takes the last of repeated options',
      '[S]\na = 1\na = 2\n',
      '[S]\nb = 1\nb = 2\n',
      '[S]\na = 2\nb = 2\n',
    ],
    [
      'joins repeated sections',
      '[S]\na = 1\n[T]\n[S]\nb = 2\n',
      '[S]\nc = 3\n',
      '[S]\na = 1\n[T]\n[S]\nb = 2\nc = 3\n',
    ],
    ['ignores the case of sections', '[mdns]\na = 1\n', '[MDNS]\na = 2\nb = 3\n', '[mdns]\na = 2\nb = 3\n'],
    [
      'but not of DEFAULT',
      '[DEFAULT]\na = 1\n',
      '[default]\na = 2\n',
      '[DEFAULT]\na = 1\n\n[default]\na = 2\n',
    ],
    [
      'keeps comments, and brings those of new options',
      '# x\n[S]\n# y\na = 1\n',
      '# z\n[S]\n# p\n# q\nb = 2\n# r\na = 3\n',
      '# x\n[S]\n# y\na = 3\n# p\n# q\nb = 2\n',
    ],
    [
      'leaves comments behind that a blank line parts from an option',
      '[S]\na = 1\n',
      '# z\n\n[S]\n# p\n\nb = 2\n',
      '[S]\na = 1\nb = 2\n',
    ],
    ['takes all where there is nothing', '', '[S]\na = 1\n', '[S]\na = 1\n'],
    ['takes nothing where nothing is over', '[S]\na = 1\n', '', '[S]\na = 1\n'],
  ])('%s', (_title, base, over, expected) => {
    const merged = mergeOsloConfig(parseOsloConfig(base), parseOsloConfig(over));
    expect(formatOsloConfig(merged)).toBe(expected);
  });

  it('means the same as the two files one after the other', () => {
    const line = fc.constantFrom('[A]', '[B]', '[C]', 'x = 1', 'x = 2', 'y = 1', 'y = 2', 'z = 1', '# c', '');
    const text = fc.array(line).map((lines) => `[A]\n${lines.join('\n')}\n`);
    fc.assert(
      fc.property(text, text, (base, over) => {
        const merged = mergeOsloConfig(parseOsloConfig(base), parseOsloConfig(over));
        const written = formatOsloConfig(merged);
        expect(lastValues(written)).toEqual(lastValues(`${base}${over}`));
        expect(new Set(options(written).map((option) => option.split('=')[0])).size).toBe(
          options(written).length,
        );
      }),
    );
  });
});
