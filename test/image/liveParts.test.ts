/** What is read of the files for network boot, and how much of them. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeCpio } from '../../src/formats/cpio.ts';
import { hasStreamHash, readInitramfsStamps } from '../../src/image/liveParts.ts';
import { bytesAccess, type RandomAccess } from '../../src/image/overlay.ts';
import { cpio, liveBuild } from '../support/newIso.ts';

/** Counts the bytes that are read. */
function counting(bytes: Uint8Array): { readonly image: RandomAccess; readonly count: () => number } {
  const image = bytesAccess(bytes);
  let count = 0;
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    count += length;
    return image.read(offset, length);
  };
  return { image: { size: image.size, read }, count: () => count };
}

/** Starts of gzip data inside of another archive. */
const startsOf = (count: number): Buffer =>
  Buffer.concat(
    writeCpio(new Map([['data', Buffer.from('\x1f\x8b\x08 is no archive'.repeat(count), 'latin1')]])),
  );

describe('the stamps of an initramfs', () => {
  const TAIL = 256 * 1024;
  const { initramfs } = liveBuild('44.1.3.0');
  const system = gzipSync(cpio({ 'usr/lib/firmware': 'x'.repeat(1000) }), { level: 0 });
  const large = gzipSync(cpio({ large: 'x'.repeat(300_000) }), { level: 0 });

  it.each<[string, readonly Uint8Array[], 'tail' | 'whole']>([
    ['are read from the last 256 KiB', [large, initramfs], 'tail'],
    ['are read from an initramfs that is smaller than that', [system, initramfs], 'tail'],
    ['are read behind data that look like the start of an archive', [large, initramfs, startsOf(15)], 'tail'],
    ['are read from all of it behind more of them', [large, initramfs, startsOf(16)], 'whole'],
    ['are read from all of it if a large archive follows', [system, initramfs, large], 'whole'],
  ])('%s', async (_title, parts, range) => {
    const bytes = Buffer.concat(parts);
    const { image, count } = counting(bytes);
    expect(await readInitramfsStamps(image)).toMatchObject({
      build: '44.1.3.0',
      rootfs: { block: 2_097_152 },
    });
    const tail = Math.min(bytes.length, TAIL);
    expect(count()).toBe(range === 'tail' ? tail : tail + bytes.length);
  });

  it('are undefined for another system, all of which is read', async () => {
    const bytes = Buffer.concat([system, large]);
    const { image, count } = counting(bytes);
    expect(await readInitramfsStamps(image)).toEqual({ build: undefined, rootfs: undefined });
    expect(count()).toBe(TAIL + bytes.length);
  });
});

describe('the stream hash of a root filesystem', () => {
  const block = 1000;
  const file = Buffer.from(Array.from({ length: 3500 }, (_, index) => index >> 8));
  const digests = [0, 1000, 2000, 3000].map((start) =>
    createHash('sha256')
      .update(file.subarray(start, start + block))
      .digest('hex'),
  );

  it.each<[string, Uint8Array, readonly string[], boolean, number]>([
    ['is compared with the first block and the last one', file, digests, true, 1500],
    [
      'is compared with the one block of a small file',
      file.subarray(0, block),
      digests.slice(0, 1),
      true,
      1000,
    ],
    ['differs in the first block', file, digests.with(0, digests[1]!), false, 1000],
    ['differs in the last block', file, digests.with(3, digests[1]!), false, 1500],
    ['differs in the number of blocks, so that nothing is read', file, digests.slice(0, 3), false, 0],
  ])('%s', async (_title, bytes, expected, isEqual, read) => {
    const { image, count } = counting(bytes);
    expect(await hasStreamHash(image, { block, digests: expected })).toBe(isEqual);
    expect(count()).toBe(read);
  });
});
