/** The first sector of an ISO that boots as a disk. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { withBootInfoTable, writeHybridMbr } from '../../../src/formats/iso9660/biosBoot.ts';
import { have, oracleNote } from '../../support/programs.ts';

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

// The boot info table against that of xorriso, which does what mkisofs did.

const loader = Uint8Array.from({ length: 4003 }, (_, index) => (index * 7) & 0xff);

describe('withBootInfoTable', () => {
  it('leaves the loader and what is around the table as it is', () => {
    const bytes = fc.uint8Array({ minLength: 65, maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.nat(), (given, sector) => {
        const before = Uint8Array.from(given);
        const patched = withBootInfoTable(given, sector);
        expect(given).toEqual(before);
        expect(patched.subarray(0, 8)).toEqual(given.subarray(0, 8));
        expect(patched.subarray(64)).toEqual(given.subarray(64));
      }),
    );
  });

  it('adds up little-endian words, the last one filled up', () => {
    const given = Buffer.concat([Buffer.alloc(64, 0xff), Buffer.from('ffffffff0200000001', 'hex')]);
    const patched = Buffer.from(withBootInfoTable(given, 0x1234));
    expect(patched.toString('hex', 8, 24)).toBe('10000000341200004900000002000000');
    expect(patched.toString('hex', 24, 64)).toBe('00'.repeat(40));
  });

  it('refuses what has no room for it', () =>
    expect(() => withBootInfoTable(new Uint8Array(64), 1)).toThrow(FormatError));

  it.skipIf(!have('xorriso'))(`is that of xorriso${oracleNote('xorriso')}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'boot info '));
    mkdirSync(join(folder, 'tree'));
    writeFileSync(join(folder, 'tree/loader'), loader);
    const options = '-quiet -b loader -no-emul-boot -boot-load-size 4 -boot-info-table -o out.iso tree';
    execFileSync('xorriso', ['-as', 'mkisofs', ...options.split(' ')], { cwd: folder, stdio: 'pipe' });
    const image = readFileSync(join(folder, 'out.iso'));
    rmSync(folder, { recursive: true });
    const start = image.indexOf(Buffer.from(loader.subarray(64)));
    const written = image.subarray(start - 64, start - 64 + loader.length);
    expect(Buffer.from(withBootInfoTable(loader, written.readUInt32LE(12)))).toEqual(written);
  });
});
