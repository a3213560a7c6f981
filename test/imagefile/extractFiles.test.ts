import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prepareExtraction } from '../../src/imagefile/extractFiles.ts';
import { createIo } from '../support/createIo.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'extract files '));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

it.each(['..', '../a', '/a', 'a/b', '', 'a\0b'])('refuses the name %j and creates nothing', async (name) => {
  const extraction = prepareExtraction({ directory: 'out' }, [{ name: 'fine' }, { name }], createIo({ cwd }));
  await expect(extraction).rejects.toThrow('is not a valid file name');
  expect(await readdir(cwd)).toEqual([]);
});
