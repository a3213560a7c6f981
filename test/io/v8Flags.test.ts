/** Flags of V8 change the whole process: only the program sets them. `library/process.test.ts` shows that the library does not. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

it('one file sets flags of V8, and only the entry point of the program permits that', () => {
  const source = resolve(import.meta.dirname, '../../src');
  const naming = (word: string): string[] =>
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && readFileSync(join(source, file), 'utf8').includes(word))
      .toSorted();
  expect(naming('setFlagsFromString')).toEqual(['io/process.ts']);
  expect(naming('ownProcess')).toEqual(['cli/main.ts', 'io/process.ts']);
});
