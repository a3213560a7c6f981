/** The lock of a folder, which survives whoever held it. */

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from '../../../src/io/files/folderLock.ts';
import { thisProcess } from '../../../src/io/process.ts';

/** Beyond the largest that Linux gives. */
const nobody = 2 ** 22 + 1;
let root: string;
let lock: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'folder lock '));
  lock = join(root, 'lock');
});
afterEach(() => rm(root, { recursive: true }));

describe('lockFolder', () => {
  it('is a whole file from the start, and gone afterwards', async () => {
    const taken = await lockFolder(lock, 'boot');
    expect(taken.wasStale).toBe(false);
    expect(await readFile(lock, 'utf8')).toBe(`${process.pid} ${hostname()} ${thisProcess()}`);
    expect(await readdir(root)).toEqual(['lock']);
    await taken.release();
    expect(await readdir(root)).toEqual([]);
  });

  it('is taken over from a process that has ended', async () => {
    await writeFile(lock, `${nobody} ${hostname()}`);
    expect((await lockFolder(lock, 'boot')).wasStale).toBe(true);
    expect(await readdir(root)).toEqual(['lock']);
  });

  it.each([
    ['a process that runs', `1 ${hostname()}`],
    ['a process elsewhere', `${nobody} elsewhere.example.com`],
  ])('is not taken from %s', async (_title, text) => {
    await writeFile(lock, text);
    await expect(lockFolder(lock, 'boot')).rejects.toThrow('Another process is preparing boot: ');
    expect([await readFile(lock, 'utf8'), await readdir(root)]).toEqual([text, ['lock']]);
  });

  it('goes to one of many that find it stale', async () => {
    await writeFile(lock, `${nobody} ${hostname()}`);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(lock, 'boot')));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(await readdir(root)).toEqual(['lock']);
  });
});
