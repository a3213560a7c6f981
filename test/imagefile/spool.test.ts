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

/** Counts what is taken. */
function endless(): { readonly parts: AsyncGenerator<Uint8Array, void>; readonly taken: () => number } {
  let taken = 0;
  const parts = (async function* () {
    for (;;) {
      taken += 1;
      yield new Uint8Array(mebibyte);
    }
  })();
  return { parts, taken: () => taken };
}

describe.skipIf(disk === undefined)('spoolToFile (the tests need a disk of 8 MiB: root on Linux)', () => {
  it('refuses what is announced as larger than the free space before anything is read', async () => {
    process.env['TMPDIR'] = disk?.path ?? '';
    const { parts, taken } = endless();
    await expect(spoolToFile(parts, 100 * mebibyte)).rejects.toMatchObject({
      code: 'ERR_DISK_FULL',
      message: expect.stringMatching(/the input has 100 MiB, .* has room for 7\.2 MiB$/),
      hint: 'set TMPDIR to another folder with enough space',
    });
    expect(taken()).toBe(0);
  });

  it('ends an input without an end before the disk is full', async () => {
    process.env['TMPDIR'] = disk?.path ?? '';
    const { parts, taken } = endless();
    await expect(openSpooled('pipe', parts)).rejects.toMatchObject({
      code: 'ERR_DISK_FULL',
      message: expect.stringContaining('the input has more than 7 MiB'),
    });
    expect(taken()).toBe(8);
    const { handle, size } = await spoolToFile(
      (async function* () {
        yield new Uint8Array(mebibyte); // nothing is left of the input before
      })(),
    );
    await handle.close();
    expect(size).toBe(mebibyte);
  });
});
