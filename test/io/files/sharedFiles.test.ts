/** Files that two names share, digests that are known from before, and groups: what a prepared folder rests on. */

import { createHash } from 'node:crypto';
import { chmod, link, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { knownDigests, type StampedDigest } from '../../../src/io/files/fileDigests.ts';
import { shareFile } from '../../../src/io/files/shareFile.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared files '));
  await writeFile(join(folder, 'source'), 'bytes');
  await chmod(join(folder, 'source'), 0o644);
});
afterEach(async () => rm(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const target = (mode = 0o644): Parameters<typeof shareFile>[1] => ({
  path: at('target'),
  shownPath: 'target',
  existing: 'replace',
  mode,
});

describe('shareFile', () => {
  it('clones or links, and is done the second time where it is a link', async () => {
    const how = await shareFile(at('source'), target());
    expect(['cloned', 'linked']).toContain(how);
    expect(await readFile(at('target'), 'utf8')).toBe('bytes');
    expect(await shareFile(at('source'), target())).toBe(how === 'linked' ? 'unchanged' : 'cloned');
  });

  it.each([
    ['others may read', 0o644, 0o600],
    ['others may not read', 0o600, 0o644],
  ])('links no file that %s, where the new one is different', async (_title, mode, wanted) => {
    await chmod(at('source'), mode);
    expect(['cloned', 'copied']).toContain(await shareFile(at('source'), target(wanted)));
    expect((await stat(at('target'))).mode & 0o777).toBe(wanted);
    expect((await stat(at('source'))).mode & 0o777).toBe(mode);
  });

  it('replaces what is there, and leaves no temporary file', async () => {
    await writeFile(at('target'), 'old');
    await shareFile(at('source'), target());
    expect(await readFile(at('target'), 'utf8')).toBe('bytes');
    expect(await readdir(folder)).toEqual(['source', 'target']);
  });
});

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const wrong = 'f'.repeat(64);
const savedWith = async (sha256: string): Promise<Map<string, StampedDigest>> => {
  const digests = knownDigests(new Map());
  await digests.remember(at('source'), { sha256 });
  return new Map(Object.entries(await digests.save()));
};

describe('knownDigests', () => {
  it('believes a file that nobody has touched', async () => {
    expect(await knownDigests(await savedWith(wrong)).sha256(at('source'))).toBe(wrong);
  });

  it('reads a file anew that was written to and given its old times', async () => {
    const saved = await savedWith(wrong);
    const { atime, mtime } = await stat(at('source'));
    await new Promise((resolve) => {
      setTimeout(resolve, 20); // times of files are no finer than the clock of the kernel
    });
    await writeFile(at('source'), 'BYTES');
    await utimes(at('source'), atime, mtime);
    expect(await knownDigests(saved).sha256(at('source'))).toBe(digest('BYTES'));
  });

  it('remembers what a file was made from until it changes, beside the digest of the file', async () => {
    const digests = knownDigests(new Map());
    await digests.remember(at('source'), { recipe: wrong });
    expect(await digests.sha256(at('source'))).toBe(digest('bytes'));
    const saved = new Map(Object.entries(await digests.save()));
    expect(await knownDigests(saved).recipe(at('source'))).toBe(wrong);
    await writeFile(at('source'), 'BYTES');
    expect(await knownDigests(saved).recipe(at('source'))).toBeUndefined();
  });

  it('saves a file that got another name meanwhile, and none that was changed', async () => {
    const digests = knownDigests(new Map());
    expect(await digests.sha256(at('source'))).toBe(digest('bytes'));
    await link(at('source'), at('second'));
    const saved = await digests.save();
    expect(Object.keys(saved)).toEqual([at('source')]);
    expect(await knownDigests(new Map(Object.entries(saved))).sha256(at('source'))).toBe(digest('bytes'));
    await writeFile(at('source'), 'longer than before');
    expect(await digests.save()).toEqual({});
  });
});
