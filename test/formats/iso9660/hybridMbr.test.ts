import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { writeHybridMbr } from '../../../src/formats/iso9660/hybridMbr.ts';

const code = new Uint8Array(432).fill(0x90);
const imageSize = 100 * 2048;

/** Cylinder, head and sector of both ends, as xorriso writes those of an EFI system partition. */
const byNumber = { first: 'feffff', last: 'feffff' };

const partitionsOf = (mbr: Buffer): object[] =>
  [446, 462].map((at) => ({
    flag: mbr[at],
    first: mbr.toString('hex', at + 1, at + 4),
    type: mbr[at + 4],
    last: mbr.toString('hex', at + 5, at + 8),
    start: mbr.readUInt32LE(at + 8),
    size: mbr.readUInt32LE(at + 12),
  }));

describe('writeHybridMbr', () => {
  it('has the code, where ISOLINUX is in blocks of 512 bytes, and both partitions by block number alone', () => {
    const mbr = Buffer.from(
      writeHybridMbr({ imageSize, bios: { code, loaderSector: 50 }, efi: { sector: 60, size: 4096 } }),
    );
    expect(mbr.subarray(0, 432)).toEqual(Buffer.from(code));
    expect(mbr.readUInt32LE(432)).toBe(200);
    expect(partitionsOf(mbr)).toEqual([
      { flag: 0x80, type: 0, start: 0, size: 400, ...byNumber },
      { flag: 0, type: 0xef, start: 240, size: 8, ...byNumber },
    ]);
    expect(mbr.toString('hex', 510)).toBe('55aa');
  });

  it('has no more than what is there', () => {
    const mbr = writeHybridMbr({ imageSize, efi: { sector: 60, size: 1 } });
    expect(mbr.subarray(0, 462).every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ['that ends within a block', 1025, 3],
    ['of 2 TiB, less a block', 2 ** 41 - 512, 0xffff_ffff],
    ['larger than the table can say', 2 ** 41, 0xffff_ffff],
  ])('has the blocks of an image %s', (_title, size, blocks) => {
    const mbr = writeHybridMbr({ imageSize: size, bios: { code, loaderSector: 1 } });
    expect(partitionsOf(Buffer.from(mbr))[0]).toMatchObject({ start: 0, size: blocks });
  });

  it('takes code that is filled up to a sector', () => {
    const padded = Buffer.concat([code, Buffer.alloc(80)]);
    const mbr = writeHybridMbr({ imageSize, bios: { code: padded, loaderSector: 1 } });
    expect(Buffer.from(mbr.subarray(0, 432))).toEqual(Buffer.from(code));
  });

  it.each([
    ['none', new Uint8Array()],
    ['a byte too many', new Uint8Array(433).fill(1)],
    ['a sector that is full', new Uint8Array(512).fill(1)],
    ['more than a sector', new Uint8Array(513)],
  ])('refuses as code %s', (_title, bytes) =>
    expect(() => writeHybridMbr({ imageSize, bios: { code: bytes, loaderSector: 1 } })).toThrow(FormatError),
  );
});
