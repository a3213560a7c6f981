import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteShellWord } from '../../../../src/formats/shell.ts';

describe('quoteWord', () => {
  it.each([
    ['plain text', 'a=http://h:1/b,c', 'a=http://h:1/b,c'],
    ['nothing', '', "''"],
    ['a blank', 'a b', "'a b'"],
    ['a quote', "it's", String.raw`'it'\''s'`],
    ['a variable', '$HOME', "'$HOME'"],
    ['a line break', 'a\n', "'a\n'"],
  ])('%s', (_title, text, word) => {
    expect(quoteShellWord(text)).toBe(word);
  });

  it('gives the shell what was meant', () => {
    const texts = fc.sample(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
      200,
    );
    const run = spawnSync('sh', ['-c', `printf '%s\\0' ${texts.map(quoteShellWord).join(' ')}`]);
    expect(run.stdout.toString()).toBe(texts.map((text) => `${text}\0`).join(''));
  });
});
