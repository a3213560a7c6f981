/** Flags of V8 change the whole process: the program sets them, the library does not. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterEach, expect, it, vi } from 'vitest';
import { keepHeapSmall, ownProcess } from '../../src/io/process.ts';
import { runCli } from '../support/runCli.ts';

vi.mock('node:v8', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  setFlagsFromString: vi.fn<(flags: string) => void>(),
}));
const set = vi.mocked(setFlagsFromString);
afterEach(() => set.mockClear());

it('the library sets none, also where it runs commands', async () => {
  await runCli(['--version']);
  keepHeapSmall();
  expect(set).not.toHaveBeenCalled();
});

it('the program sets them', () => {
  ownProcess();
  keepHeapSmall();
  expect(set.mock.calls).toEqual([['--heap-growing-percent=20'], ['--semi-space-growth-factor=1']]);
});

it('one file sets them, and only the entry point of the program allows that', () => {
  const source = resolve(import.meta.dirname, '../../src');
  const naming = (word: string): string[] =>
    readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && readFileSync(join(source, file), 'utf8').includes(word))
      .toSorted();
  expect(naming('setFlagsFromString')).toEqual(['io/process.ts']);
  expect(naming('ownProcess')).toEqual(['cli/main.ts', 'io/process.ts']);
});
