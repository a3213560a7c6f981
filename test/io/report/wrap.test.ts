import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrapText } from '../../../src/io/report/terminalText.ts';

const plain = { first: '', rest: '' };

describe('wrapText', () => {
  it.each<readonly [string, string, { first: string; rest: string }, readonly string[]]>([
    ['nothing', '', plain, ['']],
    ['a line', 'a b', { first: '1. ', rest: '   ' }, ['1. a b']],
    ['80 columns', `${'a'.repeat(40)} ${'b'.repeat(39)}`, plain, [`${'a'.repeat(40)} ${'b'.repeat(39)}`]],
    ['81 columns', `${'a'.repeat(40)} ${'b'.repeat(40)}`, plain, ['a'.repeat(40), 'b'.repeat(40)]],
    ['indented', `${'a'.repeat(78)} b`, { first: '* ', rest: '  ' }, [`* ${'a'.repeat(78)}`, '  b']],
    ['a long word', `a ${'b'.repeat(100)} c`, plain, ['a', 'b'.repeat(100), 'c']],
    ['wide characters', `${'漢'.repeat(39)} ab`, plain, ['漢'.repeat(39), 'ab']],
  ])('%s', (_title, text, indents, lines) => expect(wrapText(text, indents)).toEqual(lines));

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,30}$/)), (words) => {
        const lines = wrapText(words.join(' '), plain);
        expect(lines.join(' ')).toBe(words.join(' '));
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
      }),
    );
  });
});
