/** An open image is read only as long as no program writes to its file. */

import { chmod, link, mkdtemp, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OpenImage } from '../../src/imagefile/openImage.ts';
import { openSharedImage } from '../../src/imagefile/sharedImage.ts';

const folder = await mkdtemp(join(tmpdir(), 'shared image '));
const path = join(folder, 'coreos.iso');
const bytes = Buffer.from('what was there before'.repeat(1000));
let image: OpenImage;

beforeEach(async () => {
  await writeFile(path, bytes);
  image = await openSharedImage(path, 'coreos.iso');
  await tick();
});
afterEach(() => image.close());
afterAll(() => rm(folder, { recursive: true }));

/** Times of files are no finer than the clock of the kernel. */
const tick = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 20));

async function overwrite(text: string): Promise<void> {
  const handle = await open(path, 'r+');
  await handle.write(text, bytes.length - text.length);
  await handle.close();
}

/** All ways to get at its bytes, or to be told that they are there. */
const uses: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['read', () => image.read(0, 10)],
  ['readInto', () => image.readInto(new Uint8Array(10), 100)],
  ['checkUnchanged', () => image.checkUnchanged()],
];

describe.each(uses)('%s', (_title, use) => {
  it.each<[title: string, change: () => Promise<unknown>]>([
    ['overwritten in place', () => overwrite('X')],
    ['truncated', () => truncate(path, bytes.length - 1)],
    ['longer', () => writeFile(path, 'X', { flag: 'a' })],
  ])('fails of a file that was %s', async (_change, change) => {
    await change();
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(use()).rejects.toThrow(/coreos\.iso (changed while it was being served|became shorter)/);
    }
  });

  it.each<[title: string, change: () => Promise<unknown>]>([
    ['renamed', () => rename(path, `${path}.old`)],
    [
      'replaced by another one',
      async () => {
        await writeFile(`${path}.new`, 'another');
        await rename(`${path}.new`, path);
      },
    ],
    ['linked to', () => link(path, join(folder, `${_title}.iso`))],
    ['given other permissions', () => chmod(path, 0o640)],
    ['read', () => readFile(path)],
  ])('goes on with a file that was %s', async (_change, change) => {
    await change();
    expect(await use().then(() => 'done')).toBe('done');
    await change().catch(() => undefined);
    expect(await use().then(() => 'done')).toBe('done');
  });
});
