/** What is read of the files for network boot, and how much of them. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readStart } from '../../src/image/fileStart.ts';
import { detectKind } from '../../src/image/imageKind.ts';
import { sourceOfImage } from '../../src/image/initrd.ts';
import { bytesAccess, type RandomAccess } from '../../src/image/overlay.ts';
import { readRamdiskSystem } from '../../src/image/ramdiskSystem.ts';
import { hasStreamHash } from '../../src/image/streamHash.ts';
import { cpio, liveBuild } from '../support/newIso.ts';
import { have } from '../support/programs.ts';

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

/** One frame (RFC 8878): the first bytes as they are, then blocks of zeros. */
const frameOf = (bytes: Buffer): Buffer => {
  const header = Buffer.from('28b52ffd805800000000', 'hex'); // a window of 2 MiB, and the size
  header.writeUInt32LE(bytes.length, 6);
  const first = Buffer.alloc(3);
  first.writeUIntLE(1024 << 3, 0, 3);
  const blocks = [];
  for (let left = bytes.length - 1024; left > 0; left -= 128 * 1024) {
    const block = Buffer.alloc(4);
    const length = Math.min(left, 128 * 1024);
    block.writeUIntLE((length << 3) | 2 | (length === left ? 1 : 0), 0, 3);
    blocks.push(block);
  }
  return Buffer.concat([header, first, bytes.subarray(0, 1024), ...blocks]);
};

describe('a file of more than 64 MiB that states its unpacked size', () => {
  const SIZE = 65 * 1024 * 1024;
  /** The bytes, then zeros. */
  const large = (start: Uint8Array): Buffer => Buffer.concat([start], SIZE);
  const packed =
    (program: string, ...args: string[]) =>
    (bytes: Buffer) =>
      execFileSync(program, args, { input: bytes, maxBuffer: SIZE });
  const kernel = Buffer.alloc(1024);
  kernel.write('HdrS', 514);

  const programs: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['zstd', packed('zstd', '-c', `--stream-size=${SIZE}`)],
    ['xz', packed('xz', '-0', '-T2', '--block-size=100MiB', '-c')],
  ];

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['a frame of zstd', frameOf],
    ['gzip', (bytes) => gzipSync(bytes, { level: 1 })],
    ...programs.filter(([program]) => have(program)),
  ])('is recognized: %s', async (_title, pack) => {
    const archive = bytesAccess(pack(large(cpio({ init: 'x' }))));
    expect([archive.size < SIZE, await detectKind(archive)]).toEqual([true, 'initramfs']);
  });

  it('is recognized as a kernel, too, and its start is read', async () => {
    expect(await detectKind(bytesAccess(frameOf(large(kernel))))).toBe('kernel');
    const config = await readStart(bytesAccess(frameOf(large(Buffer.from('{"ignition":'.padEnd(1024))))));
    expect(config.head.toString('latin1', 0, 12)).toBe('{"ignition":');
  });
});

describe('the stamps of an initramfs', () => {
  const { initramfs } = liveBuild('44.1.3.0');
  const system = gzipSync(cpio({ 'usr/lib/firmware': 'x'.repeat(1000) }), { level: 0 });
  const large = gzipSync(cpio({ large: 'x'.repeat(300_000) }), { level: 0 });

  it.each<[string, readonly Uint8Array[]]>([
    ['behind a large archive', [large, initramfs]],
    ['before a large archive', [system, initramfs, large]],
  ])('are read %s', async (_title, parts) => {
    expect(await readRamdiskSystem(sourceOfImage(bytesAccess(Buffer.concat(parts))))).toMatchObject({
      build: '44.1.3.0',
      wantedRootfs: { block: 2_097_152 },
    });
  });

  it('are undefined for another system', async () => {
    const image = bytesAccess(Buffer.concat([system, large]));
    expect(await readRamdiskSystem(sourceOfImage(image))).toMatchObject({
      build: undefined,
      wantedRootfs: undefined,
    });
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
