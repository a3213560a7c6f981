import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import {
  formatEnvironment,
  formatExecArgument,
  splitEnvironmentLine,
  splitExecLine,
} from '../../src/formats/systemdQuoting.ts';
import { hasSystemd, readUnits, systemdNote } from '../support/systemdUnits.ts';

/** Rich in what has a meaning in a unit file. */
const anyText = fc.oneof(
  fc.string({
    unit: fc.constantFrom('$', '%', '"', "'", '\\', ' ', ';', '{', '}', 'n', 'A', '\t', '\n', '#', 'é'),
  }),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);

const word = (text: string): object => ({ text, expands: false });
const expanding = (text: string): object => ({ text, expands: true });

const hex = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
const unit = (lines: string): string => `[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\n${lines}\n`;

describe('formatExecArgument', () => {
  it.each([
    ['plain', 'plain'],
    ['--mount=type=bind,src=/dev', '--mount=type=bind,src=/dev'],
    ['', '""'],
    ['two words', '"two words"'],
    ['100%', '100%%'],
    ['$HOME', '$$HOME'],
    ['a${B}c', 'a$${B}c'],
    [';', '";"'],
    ['a;b', 'a;b'],
    [';b', ';b'],
    ['a\rb', '"a\\rb"'],
    ['\u0001', '"\\x01"'],
    ['say "hi"', '"say \\"hi\\""'],
    ["it's", '"it\'s"'],
    ['C:\\x', '"C:\\\\x"'],
    ['tab\tline\n', '"tab\\tline\\n"'],
    ['\u001b\u007f', '"\\x1b\\x7f"'],
    ['\u0085', '"\\xc2\\x85"'],
    ['grün', 'grün'],
  ])('%j becomes %s', (value, expected) => {
    expect(formatExecArgument(value)).toBe(expected);
  });

  it.each(['a\0b', '\ud800'])('refuses %j', (value) => {
    expect(() => formatExecArgument(value)).toThrow(FormatError);
    expect(() => formatExecArgument(value)).toThrow(
      'An argument of a command cannot contain a NUL or a lone surrogate',
    );
  });

  it('gives one word that arrives unchanged, whatever the value', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1 }), (values) => {
        const line = values.map(formatExecArgument).join(' ');
        expect(line).not.toMatch(/[\r\n]|\\$/);
        expect(splitExecLine(line)).toEqual([values.map((text) => ({ text, expands: false }))]);
      }),
    );
  });
});

describe('formatEnvironment', () => {
  it.each([
    ['A', 'b', 'A=b'],
    ['A', '', 'A='],
    ['HTTP_PROXY', 'http://u:p%40x@h:1', 'HTTP_PROXY=http://u:p%%40x@h:1'],
    ['A', '$HOME', 'A=$HOME'],
    ['A', 'b c', '"A=b c"'],
    ['A', '"', '"A=\\""'],
    ['A', '\t\n', '"A=\\t\\n"'],
  ])('%s and %j become %s', (name, value, expected) => {
    expect(formatEnvironment(name, value)).toBe(expected);
  });

  const badName = {
    message: expect.stringMatching(/^".*" is not a valid environment variable name$/),
    hint: 'use letters, digits and underscores, and do not start with a digit',
  };
  it.each([
    ['1A', '', badName],
    ['', '', badName],
    ['A B', '', badName],
    [
      'A',
      '\r',
      {
        message: 'The environment variable A contains a control character',
        hint: 'remove control characters other than tabs and line feeds',
      },
    ],
    ['A', '\0', { message: expect.stringMatching(/^The environment variable A cannot contain a NUL/) }],
  ])('refuses %j with %j', (name, value, expected) => {
    expect(() => formatEnvironment(name, value)).toThrow(FormatError);
    expect(thrownBy(() => formatEnvironment(name, value))).toMatchObject(expected);
  });

  it('gives one assignment that arrives unchanged', () => {
    const value = anyText.filter((text) => !/(?![\t\n])\p{Cc}/u.test(text));
    fc.assert(
      fc.property(value, (text) => {
        expect(splitEnvironmentLine(formatEnvironment('A', text))).toEqual([
          { text: `A=${text}`, expands: false },
        ]);
      }),
    );
  });
});

describe('splitExecLine', () => {
  it.each([
    ['', []],
    ['  /bin/a   b\t', [[word('/bin/a'), word('b')]]],
    ['/bin/a ; /bin/b', [[word('/bin/a')], [word('/bin/b')]]],
    ['/bin/a \\; ";" a;b', [[word('/bin/a'), word(';'), word(';'), word('a;b')]]],
    [`a"b c"'d "e'f`, [[word('ab cd "ef')]]],
    ['\\x41\\102\\u00e9\\U0001f600\\s', [[word('ABé😀 ')]]],
    ['\\xc3\\xa9', [[word('é')]]],
    [String.raw`\a\b\f\n\r\t\v\\\"\'\s`, [[word('\u0007\b\f\n\r\t\v\\"\' ')]]],
    ['\\u0001\\ud7ff\\ue000\\U0010ffff', [[word('\u0001\ud7ff\ue000\u{10ffff}')]]],
    ['\\u0000 \\udfff \\U00110000', [[word('\\u0000'), word('\\udfff'), word('\\U00110000')]]],
    ['\\001\\101 \\400 \\777', [[word('\u0001A'), word('\\400'), word('\\777')]]],
    ['a${LONG_NAME}b ${} ${A', [[expanding('a${LONG_NAME}b'), expanding('${}'), word('${A')]]],
    ['\\q \\x0 \\000 \\ud800', [[word('\\q'), word('\\x0'), word('\\000'), word('\\ud800')]]],
    ['%t/%n a%%b %', [[expanding('%t/%n'), word('a%b'), word('%')]]],
    ['$A ${A}b $$A a$A $', [[expanding('$A'), expanding('${A}b'), word('$A'), word('a$A'), expanding('$')]]],
  ])('%j', (line, expected) => {
    expect(splitExecLine(line)).toEqual(expected);
  });

  it('refuses a quote that is not closed', () => {
    expect(() => splitExecLine('/bin/a "b')).toThrow(FormatError);
    expect(thrownBy(() => splitExecLine('/bin/a "b'))).toMatchObject({
      message: 'A quote is not closed',
      offset: 7,
    });
  });

  it('takes any line, in linear time', () => {
    fc.assert(
      fc.property(anyText, (line) => {
        try {
          const words = splitExecLine(line).flat();
          // Quotes, escapes and blanks are left out, and nothing is added.
          return Buffer.byteLength(words.map(({ text }) => text).join('')) <= Buffer.byteLength(line);
        } catch (error) {
          return error instanceof FormatError;
        }
      }),
    );
    expect(splitExecLine('\\x41'.repeat(200_000))).toHaveLength(1);
  });
});

describe.skipIf(!hasSystemd)(`systemd itself${systemdNote}`, () => {
  it('reads a quoted argument like one that is written in hexadecimal escapes', () => {
    const values = fc.sample(anyText, 150);
    const pairs = values.map((value) => [
      unit(`ExecStart=/bin/true ${formatExecArgument(value)}`),
      unit(`ExecStart=/bin/true ${hex(value.replaceAll('$', '$$$$').replaceAll('%', '%%'))}`),
    ]);
    const units = Object.fromEntries(pairs.flat().map((text, index) => [`u${index}.service`, text]));
    const read = readUnits(units);
    const lines = values.map((_, index) => read.get(`u${2 * index}.service`));
    expect(lines.every((found) => found?.length === 1)).toBe(true);
    expect(lines).toEqual(values.map((_, index) => read.get(`u${2 * index + 1}.service`)));
  });

  it('sets the environment as it was given', () => {
    const printable = fc.string({ unit: fc.constantFrom('$', '%', '"', "'", '\\', ' ', 'n', 'A', 'é', '=') });
    const values = fc.sample(printable, 100);
    const units = values.map((value, index): [string, string] => [
      `e${index}.service`,
      unit(`Environment=${formatEnvironment('A', value)}\nExecStart=/bin/true`),
    ]);
    const read = readUnits(Object.fromEntries(units));
    expect(values.map((_, index) => read.get(`e${index}.service`)?.[0])).toEqual(
      values.map((value) => `Environment: A=${value}`),
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
