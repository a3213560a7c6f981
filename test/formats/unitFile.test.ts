import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUnit } from '../../src/formats/unitFile.ts';

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
  ])('refuses %s', (_title, text, error) => {
    expect(outlineOf(text)).toBe(error);
  });

  it.each([
    ['2047 bytes', optionLines(2047), undefined],
    ['2048 bytes', optionLines(2048), 'line too long (max 2048 bytes)'],
    ['2048 bytes in 1025 characters', `[S]\nA=${'é'.repeat(1023)}\n`, 'line too long (max 2048 bytes)'],
    ['2048 bytes, of which fewer are in the buffer', optionLines(1100, 1100, 2048), undefined],
    [
      '2048 bytes, of which all are in the buffer again',
      optionLines(2047, 2047, 2048),
      'line too long (max 2048 bytes)',
    ],
    ['one character too few before a section', 'x'.repeat(2048), undefined],
    ['long text before a section', 'x'.repeat(2049), 'line too long (max 2048 bytes)'],
    ['any length of a comment', `[S]\n#${'x'.repeat(2000)}${'\\\n'.repeat(9)}`, undefined],
  ])('counts the bytes of a line while they are buffered: %s', (_title, text, error) => {
    const unit = readUnit(text);
    expect('error' in unit ? unit.error : undefined).toBe(error);
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
