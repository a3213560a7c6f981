import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSystemdLines } from '../../src/formats/unitFile.ts';
import { readUnit } from '../support/readUnit.ts';

/** Sections and options in short: `Unit: A=b, C=d`. */
function outlineOf(text: string): readonly string[] | string {
  const unit = readUnit(text);
  if ('error' in unit) return unit.error;
  return unit.sections.map(
    ({ name, options }) => `${name}: ${options.map((option) => `${option.name}=${option.value}`).join(', ')}`,
  );
}

/** Options that fill lines of these lengths. */
function optionLines(...lengths: readonly number[]): string {
  return `[S]\n${lengths.map((length) => `A=${'x'.repeat(length - 2)}\n`).join('')}`;
}

const tooLong = 'line too long (max 2048 bytes)';

describe('readUnit', () => {
  it.each([
    ['nothing', '', []],
    ['text without a section', 'garbage\nA=b', []],
    ['sections and options', '[Unit]\nA=b\n C = d \n[Install]\n', ['Unit: A=b, C=d', 'Install: ']],
    ['a section in the middle of a line', 'garbage [Unit]\nA=b', ['Unit: A=b']],
    ['a section name over two lines', '[Un\nit]\n', ['Un\nit: ']],
    ['a value with an equals sign', '[S]\nA=b=c', ['S: A=b=c']],
    ['an empty name and value', '[S]\n=\n', ['S: =']],
    ['comments', '# [A]\n[S]\n;x\n#y\nA=b', ['S: A=b']],
    ['a comment that goes on', '[S]\n#x\\\nA=b\nC=d', ['S: C=d']],
    ['a comment that goes on behind a blank', '[S]\n#x\\ \nA=b\nC=d', ['S: C=d']],
    ['a comment that ends behind two blanks', '[S]\n#x\\  \nA=b', ['S: A=b']],
    ['a value that goes on', '[S]\nA=b\\\n c\nD=e', ['S: A=b\\\n c, D=e']],
    ['a value that goes on into a blank line', '[S]\nA=b\\\n\nD=e', ['S: A=b\\\n, D=e']],
    ['a value that goes on past the end', '[S]\nA=b\\', ['S: A=b\\']],
    ['Windows line ends', '[S]\r\nA=b\r\nC=d\r\n', ['S: A=b, C=d']],
    ['no continuation with Windows line ends', '[S]\r\nA=b\\\r\nC=d', ['S: A=b\\, C=d']],
    ['spaces of Unicode', '[S]\u0085\n\u3000A=\u00a0b\u2028', ['S: A=b']],
    ['a value that goes on into blanks', '[S]\nA=b\\\n  \nC=d', ['S: A=b\\\n, C=d']],
    ['a value that only goes on', '[S]\nA=\\\nB=c\n', ['S: A=\\\nB=c']],
    ['a comment with a backslash in it', '[S]\n#x\\ y\nA=b', ['S: A=b']],
    ['a carriage return at the end', '[S]\nA=b\r', ['S: A=b']],
    ['a carriage return in a value', '[S]\nA=b\rC=d', ['S: A=b\rC=d']],
    ['a value of blanks', '[S]\nA= \u2003\u3000\n', ['S: A=']],
    [
      'characters of all lengths',
      '[S]\n\u0080A=b\n\u07ffB=c\n\u0800C=d\n\uffffD=e\n\u{10000}E=f',
      ['S: \u0080A=b, \u07ffB=c, \u0800C=d, \uffffD=e, \u{10000}E=f'],
    ],
    ['no space of Unicode', '[S]\n\ufeffA=b', ['S: \ufeffA=b']],
  ])('reads %s', (_title, text, outline) => {
    expect(outlineOf(text)).toEqual(outline);
  });

  it.each([
    ['a section that is not closed', '[Unit', 'unable to find end of section'],
    ['text after a section', '[Unit] A=b \n', 'found garbage after section name : "A=b"'],
    [
      'a line without an equals sign',
      '[S]\nA\nB=c',
      'unexpected newline encountered while parsing option name',
    ],
    ['a last line without an equals sign', '[S]\nA', 'EOF'],
    [
      'a line before the last without an equals sign',
      '[S]\nA\n',
      'unexpected newline encountered while parsing option name',
    ],
    [
      'a carriage return in a name',
      '[S]\nA\rB=c\n',
      'unexpected newline encountered while parsing option name',
    ],
  ])('refuses %s', (_title, text, error) => {
    expect(outlineOf(text)).toBe(error);
  });

  it.each([
    ['2047 bytes', optionLines(2047), undefined],
    ['2048 bytes', optionLines(2048), tooLong],
    ['2048 bytes in 1025 characters', `[S]\nA=${'é'.repeat(1023)}\n`, tooLong],
    ['2048 bytes, of which fewer are in the buffer', optionLines(1100, 1100, 2048), undefined],
    ['2048 bytes, of which all are in the buffer again', optionLines(2047, 2047, 2048), tooLong],
    ['one character too few before a section', 'x'.repeat(2048), undefined],
    ['long text before a section', 'x'.repeat(2049), tooLong],
    ['a section name', `[S]\n[${'x'.repeat(2050)}]\n`, tooLong],
    ['a section name that fits', `[S]\n[${'x'.repeat(2040)}]\n`, undefined],
    ['blanks behind a section name', `[S]${' '.repeat(2060)}\n`, tooLong],
    ['blanks behind a section name that fit', `[S]${' '.repeat(2040)}\n`, undefined],
    ['a comment before all sections', `#${'x'.repeat(2047)}\n`, undefined],
    ['a comment', `[S]\n#${'x'.repeat(2047)}\n`, tooLong],
    ['a comment that fits', `[S]\n#${'x'.repeat(2046)}\n`, undefined],
    ['what a comment goes on with', `[S]\n#a\\\n${'x'.repeat(2048)}\n`, undefined],
    ['what a value goes on with', `[S]\nA=b\\\n${'x'.repeat(2048)}\n`, tooLong],
    ['what a value goes on with, and fits', `[S]\nA=b\\\n${'x'.repeat(2046)}\n`, undefined],
    ['blanks between lines', `[S]\n${' '.repeat(2048)}\nA=b`, tooLong],
    ['blanks between lines that fit', `[S]\n${' '.repeat(2047)}\nA=b`, undefined],
    ['a name', `[S]\n${'x'.repeat(2048)}=b\n`, tooLong],
    ['characters of two bytes before a section', `${'é'.repeat(1025)}[S]`, tooLong],
    ['fewer of them', `${'é'.repeat(900)}[S]`, undefined],
    ['characters of three bytes before a section', `${'ㄅ'.repeat(683)}[S]`, tooLong],
    ['fewer of them, too', `${'ㄅ'.repeat(600)}[S]`, undefined],
    ['characters of four bytes before a section', `${'😀'.repeat(513)}[S]`, tooLong],
    ['fewer of those', `${'😀'.repeat(400)}[S]`, undefined],
    ['a line that a carriage return parts', `[S]\nA=${'x'.repeat(2000)}\r${'x'.repeat(2000)}\n`, undefined],
    ['any length of a comment', `[S]\n#${'x'.repeat(2000)}${'\\\n'.repeat(9)}`, undefined],
  ])('counts the bytes of a line while they are buffered: %s', (_title, text, error) => {
    const unit = readUnit(text);
    expect('error' in unit ? unit.error : undefined).toBe(error);
  });

  /** Where the last line is too long depends on what is in the buffer then. As go-systemd has it. */
  it.each<[string, string, number, number]>([
    ['a name', 'N'.repeat(3000), 1138, 2048],
    ['a name of characters of two bytes', 'é'.repeat(1500), 1137, 2048],
    ['a name of characters of four bytes', '😀'.repeat(750), 1137, 2048],
    ['a name whose last character the buffer has two bytes of', `xx${'😀'.repeat(750)}`, 1133, 2048],
    ['a name whose last character the buffer has a byte of', `xxx${'😀'.repeat(750)}`, 1133, 2048],
  ])('fills its buffer as Go does within %s', (_title, name, first, last) => {
    const isTooLong = (length: number): boolean => {
      const lines = [`${name}=${'y'.repeat(length)}`, `B=${'z'.repeat(2500)}`];
      return 'error' in readUnit(`${optionLines(2042, 2003)}${lines.join('\n')}\n`);
    };
    expect([first - 1, first, last - 1, last].map(isTooLong)).toEqual([false, true, true, false]);
  });

  it.each([
    [41, false],
    [42, true],
    [2047, true],
    [2048, false],
    [4093, false],
    [4094, true],
    [6143, true],
    [6144, false],
  ])('fills its buffer as Go does within a comment of %i bytes', (length, isTooLong) => {
    const text = `${optionLines(2042, 2003)}#${'y'.repeat(length)}\nB=${'z'.repeat(2500)}\n`;
    expect('error' in readUnit(text)).toBe(isTooLong);
  });

  it('reads any text without throwing', () => {
    const piece = fc.constantFrom(
      '[S]',
      '[',
      ']',
      '\n',
      '\r',
      '\\',
      'A=b',
      '=',
      '#',
      ';',
      ' ',
      'é',
      '😀',
      'x'.repeat(2047),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const unit = readUnit(pieces.join(''));
        expect('error' in unit ? unit.error : unit.sections).toBeDefined();
      }),
    );
  });

  it.each(['[S]\n', '#\n', '\n', `${'x'.repeat(2000)}\n`, '[S]\nA=b\\\n'])(
    'takes a time that grows with the text only: %j',
    (part) => {
      expect(readUnit(part.repeat(500_000 / part.length))).toHaveProperty('sections');
    },
  );
});

const section = (name: string) => ({ kind: 'section', name });
const assignment = (name: string, value: string) => ({ kind: 'assignment', name, value });
const other = (text: string) => ({ kind: 'other', text });

describe('readSystemdLines', () => {
  it.each([
    ['blanks around names and values', ' [A] \n\tB =  c d \t\n', [section('A'), assignment('B', 'c d')]],
    ['a name with blanks in the header', '[ A ]', [section(' A ')]],
    ['comments', '# a=b\n  ; c=d\n[A]\nB=#c', [section('A'), assignment('B', '#c')]],
    ['a comment that ends in a backslash', '# a \\\nB=c', [assignment('B', 'c')]],
    ['joined lines', 'A=b \\\n  c\\\nd\nE=', [assignment('A', 'b    c d'), assignment('E', '')]],
    ['a comment between joined lines', 'A=b\\\n# no\\\nc', [assignment('A', 'b c')]],
    ['a header between joined lines', 'A=b\\\n[C]', [assignment('A', 'b [C]')]],
    ['a backslash that is escaped', 'A=b\\\\\nC=d', [assignment('A', 'b\\\\'), assignment('C', 'd')]],
    ['a backslash at the end', 'A=b\\', [assignment('A', 'b')]],
    [
      'ends of lines of other systems',
      '[A]\r\nB=c\rD=e\n',
      [section('A'), assignment('B', 'c'), assignment('D', 'e')],
    ],
    ['a byte order mark', '\uFEFF[A]', [section('A')]],
    ['other blanks, which belong to the name', '\u00A0A=b', [assignment('\u00A0A', 'b')]],
    ['what is neither header nor assignment', 'A\n=b\n[C', [other('A'), other('=b'), other('[C')]],
    ['nothing', '\n \t\n', []],
  ])('%s', (_title, text, expected) => {
    expect(readSystemdLines(text)).toEqual(expected.map((line) => ({ ...line, line: expect.any(Number) })));
  });

  it('numbers the lines in which headers and assignments begin', () => {
    const text = '# a\n\n[A]\nB=c \\\n# d\n  e\nF=g\\\n\nH=\r\nI=j\\\n';
    expect(readSystemdLines(text).map(({ line }) => line)).toEqual([3, 4, 7, 9, 10]);
  });
});
