/** Flags of V8 change the whole process: the program sets them, the library does not. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { keepHeapSmall } from '../../src/io/process.ts';
import { setV8FlagsBy } from '../../src/io/v8Flags.ts';

it('the program sets them', () => {
  const flags: string[] = [];
  setV8FlagsBy((flag) => void flags.push(flag));
  try {
    keepHeapSmall();
  } finally {
    setV8FlagsBy(undefined);
  }
  expect(flags).toEqual(['--heap-growing-percent=20', '--semi-space-growth-factor=1']);
});

it('the function that sets them is known only where the program starts', () => {
  const source = resolve(import.meta.dirname, '../../src');
  const naming = (word: string): string[] =>
    readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && readFileSync(join(source, file), 'utf8').includes(word),
    );
  expect(naming('setFlagsFromString')).toEqual(['cli/main.ts']);
});
