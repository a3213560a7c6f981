/** Partition tables of images that become longer. */

import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  backupSize,
  type PartitionTable,
  readPartitionTable,
  resizePartitionTable,
} from '../../src/formats/gpt.ts';

const block = 512;
/** Of the image: its volume, and the backup of the table behind it. */
const before = { volume: 100 * block, size: 105 * block };
const resize = { volumeBefore: before.volume, sizeBefore: before.size, volumeAfter: 200 * block };

type Edit = (bytes: Buffer) => unknown;

/** A boot record, a header and two entries of 128 bytes: all of the volume, and a part of it. */
function tableOf(edit: Edit = () => undefined): Buffer {
  const bytes = Buffer.alloc(3 * block);
  bytes.writeUInt32LE(before.size / block, 446 + 12);
  bytes.writeUInt32LE(10, 462 + 8);
  bytes.writeUInt32LE(before.size / block, 462 + 12);
  bytes.writeUInt16BE(0x55aa, 510);
  bytes.write('EFI PART', block);
  bytes.writeUInt32LE(92, block + 12);
  bytes.writeBigUInt64LE(1n, block + 24);
  bytes.writeBigUInt64LE(2n, block + 72);
  bytes.writeUInt32LE(2, block + 80);
  bytes.writeUInt32LE(128, block + 84);
  bytes.writeBigUInt64LE(99n, 2 * block + 40);
  bytes.writeBigUInt64LE(10n, 2 * block + 128 + 32);
  bytes.writeBigUInt64LE(99n, 2 * block + 128 + 40);
  edit(bytes);
  bytes.writeUInt32LE(crc32(bytes.subarray(2 * block, 2 * block + 256)), block + 88);
  return summed(bytes);
}

function summed(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(0, block + 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(block, block + 92)), block + 16);
  return bytes;
}

function read(edit?: Edit): PartitionTable {
  const table = readPartitionTable(tableOf(edit));
  if (table === undefined) throw new Error('no table was found');
  return table;
}

/** Blocks that a header names: its own, that of the other one, the last usable one, the first of the entries. */
const blocksIn = (header: Buffer): bigint[] => [24, 32, 48, 72].map((at) => header.readBigUInt64LE(at));

describe('readPartitionTable', () => {
  it('takes the blocks up to the end of the entries', () => {
    const table = readPartitionTable(Buffer.concat([tableOf(), Buffer.alloc(1000)]));
    expect(table?.bytes).toHaveLength(2 * block + 256);
    expect(table?.entries).toEqual({ start: 2 * block, end: 2 * block + 256, size: 128 });
  });

  const flipped = (at: number): Buffer => {
    const bytes = tableOf();
    bytes[at]! ^= 1;
    return bytes;
  };
  it.each([
    ['less than a boot record and a header', tableOf().subarray(0, 2 * block - 1)],
    ['another signature', tableOf((bytes) => bytes.write('EFI PARX', block))],
    ['a header that is too small', tableOf((bytes) => bytes.writeUInt32LE(91, block + 12))],
    ['a header that is larger than its block', tableOf((bytes) => bytes.writeUInt32LE(513, block + 12))],
    ['a damaged header', flipped(block + 40)],
    ['damaged entries', flipped(2 * block + 3)],
    ['entries in the header', tableOf((bytes) => bytes.writeBigUInt64LE(1n, block + 72))],
    ['entries beyond the bytes', tableOf((bytes) => bytes.writeUInt32LE(5, block + 80))],
    ['entries beyond all numbers', tableOf((bytes) => bytes.writeBigUInt64LE(2n ** 63n, block + 72))],
    ['entries that are too small', tableOf((bytes) => bytes.writeUInt32LE(127, block + 84))],
  ])('finds none in %s', (_title, bytes) => expect(readPartitionTable(bytes)).toBeUndefined());

  it('reads a header that fills its block, and entries that fill the bytes', () => {
    const bytes = tableOf((table) => {
      table.writeUInt32LE(4, block + 80);
      table.writeUInt32LE(block, block + 12);
    });
    bytes.writeUInt32LE(crc32(bytes.subarray(2 * block)), block + 88);
    bytes.writeUInt32LE(0, block + 16);
    bytes.writeUInt32LE(crc32(bytes.subarray(block, 2 * block)), block + 16);
    expect(readPartitionTable(bytes)?.entries.end).toBe(3 * block);
  });
});

describe('a table of an image that becomes longer', () => {
  it('changes in its header and where a partition covers all', () => {
    const { changes } = resizePartitionTable(read(), resize, 205 * block);
    expect(changes.map(({ offset, data }) => [offset, data.length])).toEqual([
      [block, 92],
      [446 + 12, 4],
      [2 * block + 40, 8],
    ]);
  });

  it('leaves alone what is no boot record', () => {
    const table = read((bytes) => bytes.writeUInt16BE(0, 510));
    const { changes } = resizePartitionTable(table, resize, 205 * block);
    expect(changes.map(({ offset }) => offset)).toEqual([block, 2 * block + 40]);
  });

  it('has its backup in the last blocks', () => {
    const table = read();
    const size = 205 * block;
    const { changes, backup } = resizePartitionTable(table, resize, size);
    expect([backupSize(table), backup.length]).toEqual([2 * block, 2 * block]);
    const [front, back] = [Buffer.from(table.bytes), Buffer.from(backup)];
    for (const { offset, data } of changes) front.set(data, offset);
    expect(readPartitionTable(front)).toBeDefined();
    expect([front.readUInt32LE(446 + 12), front.readUInt32LE(462 + 12)]).toEqual([205, 105]);
    expect(blocksIn(front.subarray(block))).toEqual([1n, 204n, 202n, 2n]);
    expect(blocksIn(back.subarray(block))).toEqual([204n, 1n, 202n, 203n]);
    expect(back.subarray(0, 256)).toEqual(front.subarray(2 * block));
    const lasts = [2 * block + 40, 2 * block + 128 + 40].map((at) => front.readBigUInt64LE(at));
    expect(lasts).toEqual([199n, 99n]);
    const header = back.subarray(block, block + 92);
    const stored = header.readUInt32LE(16);
    header.writeUInt32LE(0, 16);
    expect(crc32(header)).toBe(stored);
  });

  it('has a partition of no more blocks than the boot record can tell', () => {
    const { changes } = resizePartitionTable(read(), resize, 2 ** 41 + 4096);
    const change = changes.find(({ offset }) => offset === 446 + 12);
    expect(Buffer.from(change?.data ?? []).toString('hex')).toBe('ffffffff');
  });
});
