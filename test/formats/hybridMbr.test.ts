/** The first sector of an ISO that boots as a disk. */

import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { writeHybridMbr } from '../../src/formats/iso9660/biosBoot.ts';

const code = new Uint8Array(432).fill(0x90);
const imageSize = 100 * 2048;

describe('writeHybridMbr', () => {
  it('has the code, where ISOLINUX is in blocks of 512 bytes, and both partitions', () => {
    const mbr = Buffer.from(
      writeHybridMbr({ imageSize, bios: { code, loaderSector: 50 }, efi: { sector: 60, size: 4096 } }),
    );
    expect(mbr.subarray(0, 432)).toEqual(Buffer.from(code));
    expect(mbr.readUInt32LE(432)).toBe(200);
    const partition = (at: number): number[] => [
      mbr[at] ?? 0,
      mbr[at + 4] ?? 0,
      mbr.readUInt32LE(at + 8),
      mbr.readUInt32LE(at + 12),
    ];
    expect([partition(446), partition(462)]).toEqual([
      [0x80, 0, 0, 400],
      [0, 0xef, 240, 8],
    ]);
    expect(mbr.toString('hex', 510)).toBe('55aa');
  });

  it('has no more than what is there', () => {
    const mbr = writeHybridMbr({ imageSize, efi: { sector: 60, size: 1 } });
    expect(mbr.subarray(0, 462).every((byte) => byte === 0)).toBe(true);
  });

  it.each([
    ['none', new Uint8Array()],
    ['a sector that is full', new Uint8Array(512).fill(1)],
    ['more than a sector', new Uint8Array(513)],
  ])('refuses as code %s', (_title, bytes) =>
    expect(() => writeHybridMbr({ imageSize, bios: { code: bytes, loaderSector: 1 } })).toThrow(FormatError),
  );
});
