/** Temporary copies of pipes and downloads: what they may take of the disk. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openSpooled } from '../../src/imagefile/spool.ts';
import { mountSmallDisk, type SmallDisk, smallDiskNote } from '../support/smallDisk.ts';

const note = smallDiskNote();
const { TMPDIR } = process.env;
const mebibyte = 1024 * 1024;

afterEach(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
});

async function* endless(): AsyncGenerator<Uint8Array, void> {
  for (;;) yield new Uint8Array(mebibyte);
}

describe.skipIf(note !== '')(`openSpooled on a small file system${note}`, () => {
  let disk: SmallDisk;
  beforeAll(() => {
    disk = mountSmallDisk(8 * 1024);
  });
  afterAll(() => disk.remove());

  it('ends an input without an end when the disk is full', async () => {
    process.env['TMPDIR'] = disk.path;
    const parts = endless();
    await expect(openSpooled('pipe', parts)).rejects.toMatchObject({
      code: 'ERR_DISK_FULL',
      hint: 'set TMPDIR to another folder with enough space',
    });
    const image = await openSpooled(
      'pipe',
      (async function* () {
        yield new Uint8Array(mebibyte); // nothing is left of the input before
      })(),
    );
    await image.close();
    expect(image.size).toBe(mebibyte);
  });
});
