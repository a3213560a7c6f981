import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CHUNK } from '../../src/image/overlay.ts';
import { copyRange } from '../../src/imagefile/copyImage.ts';
import { openImage, readImage } from '../../src/imagefile/imageFile.ts';

const bytes = Buffer.alloc(4 * CHUNK + 5, 'some bytes that do not repeat with the chunks');

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'copy range '));
  await writeFile(join(cwd, 'image'), bytes);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const copy = async (offset: number, length: number): Promise<Buffer> => {
  const target = await open(join(cwd, 'target'), 'w');
  try {
    await readImage('image', { cwd }, (image) => copyRange(image, { offset, length }, target));
  } finally {
    await target.close();
  }
  return readFile(join(cwd, 'target'));
};

it.each([
  [0, 0],
  [7, 1],
  [0, CHUNK],
  [3, CHUNK + 1],
  [1, 3 * CHUNK + 2],
  [0, bytes.length],
  [bytes.length, 0],
])('copies from %i so many bytes: %i', async (offset, length) => {
  expect(Buffer.compare(await copy(offset, length), bytes.subarray(offset, offset + length))).toBe(0);
});

it('fails where the image has less', async () => {
  await expect(copy(5, bytes.length)).rejects.toThrow(RangeError);
});

it('fails where the file cannot be written', async () => {
  const image = await openImage('image', { cwd });
  const target = await open(join(cwd, 'image'), 'r');
  await expect(copyRange(image, { offset: 0, length: bytes.length }, target)).rejects.toThrow('EBADF');
  await Promise.all([image.close(), target.close()]);
});
