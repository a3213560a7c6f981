/** A serial console as lines. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createConsoleText } from '../../../src/trial/console/consoleText.ts';

function linesOf(...parts: readonly (string | Uint8Array)[]): string[] {
  const lines: string[] = [];
  const text = createConsoleText((line) => lines.push(line));
  for (const part of parts) text.push(typeof part === 'string' ? Buffer.from(part) : part);
  text.end();
  return lines;
}

describe('lines of a console', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['end with either break', ['a\r\nb\nc\rd'], ['a', 'b', 'c', 'd']],
    ['are told when they are complete', ['a', 'b', '\nc'], ['ab', 'c']],
    ['have no colours', ['\u001B[0m\u001B[37mred\u001B[m\n'], ['red']],
    ['end where the cursor moves', ['\u001B[2J\u001B[01;01Hmenu\u001B[5;1Hentry'], ['menu', 'entry']],
    ['go on where it moves within them', ['a\u001B[3Cb'], ['ab']],
    ['take sequences that come in pieces', ['a\u001B', '[', '1', ';1', 'Hb'], ['a', 'b']],
    ['begin a sequence with the last of two escapes', ['a\u001B\u001B[1;1Hb'], ['a?', 'b']],
    ['have no titles of windows', ['\u001B]0;evil\u0007a'], ['a']],
    ['have none that end as a terminal has them', ['\u001B]0;evil\u001B\\a'], ['a']],
    ['lose what was erased', ['abc\b\bX\n'], ['aX']],
    ['show other control characters', ['a\u0000\u0007\u009Bb\u202Ec\n'], ['a???b?c']],
    ['are UTF-8', ['● ironic-agent – übrig\n'], ['● ironic-agent – übrig']],
    ['are never empty', ['\n\r\n  \n'], []],
    [
      'are cut where they are long',
      ['x'.repeat(2100)],
      ['x'.repeat(1000), 'x'.repeat(1000), 'x'.repeat(100)],
    ],
    ['have no long sequences', [`\u001B]8;;https://h/${'x'.repeat(500)}\u0007a`], ['a']],
    ['show a sequence without an end', [`\u001B]${'x'.repeat(100)}\na`], [`?]${'x'.repeat(100)}`, 'a']],
    ['show a long one at once', [`\u001B]${'x'.repeat(1100)}`], [`?]${'x'.repeat(998)}`, 'x'.repeat(102)]],
  ])('%s', (_title, parts, lines) => {
    expect(linesOf(...parts)).toEqual(lines);
  });

  it('take linear time for sequences without an end', () => {
    expect(linesOf(`\u001B]${'x'.repeat(998)}`.repeat(2000), '\na').at(-1)).toBe('a');
  });

  it('are UTF-8 wherever it is cut', () => {
    const bytes = Buffer.from('ü\n');
    expect(linesOf(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['ü']);
  });

  it('are harmless and bounded, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (parts) => {
        for (const line of linesOf(...parts)) {
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
          expect(line.length).toBeLessThanOrEqual(1001);
        }
      }),
    );
  });

  it('contain a control sequence that is longer than any real one', () => {
    const [first = ''] = linesOf(Buffer.from(`\u001B[${'0'.repeat(3000)}`));
    expect(first).toMatch(/^\?\[0+$/);
  });

  it('are the same however the bytes are cut', () => {
    const pieces = fc.constantFrom(
      '\u001B[',
      '\u001B',
      '1;1H',
      'a',
      'ü',
      '\n',
      '\r',
      '\b',
      ';',
      'm',
      ']',
      '\u0007',
    );
    fc.assert(
      fc.property(fc.array(pieces), fc.nat(), (texts, at) => {
        const bytes = Buffer.from(texts.join(''));
        const cut = at % (bytes.length + 1);
        expect(linesOf(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(linesOf(bytes));
      }),
    );
  });
});
