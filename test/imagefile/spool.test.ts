/** Temporary copies of pipes and downloads: what they may take of the disk. */

import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openSpooled, spoolToFile } from '../../src/imagefile/spool.ts';
import { mountSmallDisk } from '../support/smallDisk.ts';

const disk = mountSmallDisk(8 * 1024);
const { TMPDIR } = process.env;
const mebibyte = 1024 * 1024;

afterAll(() => disk?.remove());
afterEach(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
});

async function* endless(): AsyncGenerator<Uint8Array, void> {
  for (;;) yield new Uint8Array(mebibyte);
}

describe.skipIf(disk === undefined)('spoolToFile (the tests need a disk of 8 MiB: root on Linux)', () => {
  it('ends an input without an end when the disk is full', async () => {
    process.env['TMPDIR'] = disk?.path ?? '';
    const parts = endless();
    await expect(openSpooled('pipe', parts)).rejects.toMatchObject({
      code: 'ERR_DISK_FULL',
      hint: 'set TMPDIR to another folder with enough space',
    });
    const { handle, size } = await spoolToFile(
      (async function* () {
        yield new Uint8Array(mebibyte); // nothing is left of the input before
      })(),
    );
    await handle.close();
    expect(size).toBe(mebibyte);
  });
});
