import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeMinisoData,
  encodeMinisoData,
  type MinisoData,
} from '../../../src/image/minimalIso/minisoData.ts';
import { refusesTruncation, survivesBitFlips, survivesNoise } from '../../formats/damage.ts';

const sample: MinisoData = {
  creator: 'test',
  files: [
    { minimalSector: 16, fullSector: 300, length: 5000 },
    { minimalSector: 19, fullSector: 70_000, length: 1 },
  ],
  digest: Buffer.alloc(32, 1),
  packed: Buffer.from('packed'),
};

const plain = ({ digest, packed, ...rest }: MinisoData): unknown => ({
  ...rest,
  digest: Buffer.from(digest).toString('hex'),
  packed: Buffer.from(packed).toString('hex'),
});

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
  it('comes back, whatever follows it', () => {
    fc.assert(
      fc.property(
        tables,
        fc.string({ unit: 'grapheme' }),
        fc.uint8Array(),
        fc.nat(20),
        (files, creator, packed, padding) => {
          const data = { ...sample, files, creator, packed };
          const bytes = Buffer.concat([encodeMinisoData(data), new Uint8Array(padding)]);
          expect(plain(decodeMinisoData(bytes))).toEqual(plain(data));
        },
      ),
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
    ['more files than there are', `${header}0100fc0000010001`, 'is cut off'],
    ['a sector past 2^32', `${header}010001fd0000000001000000`, 'number that is too large'],
    ['a creator without end', `${header}01fcffffffff`, 'is cut off'],
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
  ])('is refused: %s', (_title, hex, message) => {
    expect(() => decodeMinisoData(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  it('is not written with files that overlap', () => {
    const [first] = sample.files;
    expect(() => encodeMinisoData({ ...sample, files: [first!, first!] })).toThrow('overlap');
  });
});
