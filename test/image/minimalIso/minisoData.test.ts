import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, sourceOfBytes } from '../../../src/formats/byteReader.ts';
import {
  decodeMinisoData,
  type MinisoData,
  readBincodeBytes,
  readBincodeNumber,
} from '../../../src/image/minimalIso/minisoData.ts';
import { bincodeBytes, bincodeNumber, encodeMinisoData } from '../../support/minimalIso.ts';
import { contents, refusesTruncation, survivesBitFlips, survivesNoise } from '../../formats/damage.ts';

const sample: MinisoData = {
  files: [
    { minimalSector: 16, fullSector: 300, length: 5000 },
    { minimalSector: 19, fullSector: 70_000, length: 1 },
  ],
  digest: Buffer.alloc(32, 1),
  packed: Buffer.from('packed'),
};

/** Each file begins in a later sector than the one before has its end in. */
const tables = fc
  .array(fc.record({ gap: fc.nat(1000), fullSector: fc.nat(0xffff_ffff), length: fc.nat(10_000_000) }), {
    minLength: 1,
  })
  .map((steps) => {
    let sector = 0;
    return steps.map(({ gap, fullSector, length }) => {
      const file = { minimalSector: sector + gap, fullSector, length };
      sector += gap + Math.ceil(length / 2048);
      return file;
    });
  });

describe('miniso.dat', () => {
  it('comes back, whatever follows it', async () => {
    await fc.assert(
      fc.asyncProperty(tables, fc.uint8Array(), fc.nat(20), async (files, packed, padding) => {
        const data = { ...sample, files, packed };
        const bytes = Buffer.concat([encodeMinisoData(data), new Uint8Array(padding)]);
        expect(await decodeMinisoData(bytes)).toEqual(data);
      }),
    );
  });

  it('is refused when it is cut off', async () => {
    await expect(refusesTruncation(encodeMinisoData(sample), decodeMinisoData)).resolves.toBeUndefined();
  });

  it('survives damage', async () => {
    const bytes = encodeMinisoData(sample);
    await expect(survivesBitFlips(bytes, decodeMinisoData)).resolves.toBeUndefined();
    await expect(survivesNoise(bytes.subarray(0, 14), decodeMinisoData)).resolves.toBeUndefined();
  });

  const header = '4d494e49534f0000';
  it.each<[string, string, string]>([
    ['zeros, as builders reserve', '00'.repeat(100), 'not a miniso file!'],
    ['nothing', '', 'not a miniso file!'],
    ['a later version', `${header}020178`, 'incompatible miniso file version: 1 vs 2 (created by x)'],
    ['an empty table', `${header}010000${'00'.repeat(33)}`, 'table is empty; ISOs have no files in common?'],
    ['more files than there can be', `${header}0100fdffffffffffffff00`, 'number that is too large'],
    ['more files than there are', `${header}0100fc0000010001`, 'is truncated'],
    ['a sector past 2^32', `${header}010001fd0000000001000000`, 'number that is too large'],
    ['a creator without end', `${header}01fcffffffff`, 'is truncated'],
    [
      'files that overlap',
      `${header}0100021010fb0108110f01${'00'.repeat(33)}`,
      'files of the minimal ISO overlap at 34816',
    ],
    [
      'files in another order',
      `${header}0100021010010f0f01${'00'.repeat(33)}`,
      'files of the minimal ISO overlap at 30720',
    ],
  ])('is refused: %s', async (_title, hex, message) => {
    await expect(decodeMinisoData(Buffer.from(hex, 'hex'))).rejects.toThrow(message);
  });
});

const read = (bytes: Uint8Array, max = Number.MAX_SAFE_INTEGER): Promise<number> =>
  readBincodeNumber(new ByteReader('test', sourceOfBytes(bytes)), { max });

const readBytes = (bytes: Uint8Array): Promise<Uint8Array> =>
  readBincodeBytes(new ByteReader('test', sourceOfBytes(bytes)));

describe('numbers', () => {
  it.each<[number, string]>([
    [0, '00'],
    [250, 'fa'],
    [251, 'fbfb00'],
    [65_535, 'fbffff'],
    [65_536, 'fc00000100'],
    [0xffff_ffff, 'fcffffffff'],
    [2 ** 32, 'fd0000000001000000'],
    [Number.MAX_SAFE_INTEGER, 'fdffffffffffff1f00'],
  ])('%d is %s', async (value, hex) => {
    expect(Buffer.from(bincodeNumber(value)).toString('hex')).toBe(hex);
    expect(await read(Buffer.from(hex, 'hex'))).toBe(value);
  });

  it('come back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.maxSafeNat(), async (value) => {
        expect(await read(bincodeNumber(value))).toBe(value);
      }),
    );
  });

  it('may be longer than they need to be', async () => {
    expect(await read(Buffer.from('fd0700000000000000', 'hex'))).toBe(7);
  });

  it.each([
    ['a number that is cut off', 'fb01', 'The test data is truncated at byte 2'],
    ['nothing', '', 'The test data is truncated at byte 0'],
    ['a number of 128 bits', 'fe00', 'The test data has a malformed number at byte 0'],
    ['a byte without meaning', 'ff00', 'The test data has a malformed number at byte 0'],
    ['a number past 2^53', 'fd0000000000002000', 'The test data has a number that is too large at byte 0'],
  ])('%s is refused', async (_title, hex, message) => {
    await expect(read(Buffer.from(hex, 'hex'))).rejects.toThrow(message);
  });

  it('are refused beyond what the caller allows', async () => {
    expect(await read(bincodeNumber(300), 300)).toBe(300);
    await expect(read(bincodeNumber(301), 300)).rejects.toThrow('too large');
  });
});

describe('bytes', () => {
  it('come back', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (bytes) => {
        expect(await readBytes(bincodeBytes(bytes))).toEqual(bytes);
      }),
    );
  });

  it('never reach beyond the end', async () => {
    await expect(survivesNoise(new Uint8Array(), readBytes)).resolves.toBeUndefined();
  });
});
