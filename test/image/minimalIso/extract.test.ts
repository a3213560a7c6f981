import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { encodeXz } from '../../../src/formats/xz/encode.ts';
import { reconstructMinimalIso, verifyReconstruction } from '../../../src/image/minimalIso/extract.ts';
import type { MinisoData } from '../../../src/image/minimalIso/minisoData.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';

const full = createHash('shake256', { outputLength: 10 * 2048 })
  .update('full')
  .digest();
const gaps = Buffer.alloc(2048 + 48 + 5, 'gap');
const expected = Buffer.concat([
  gaps.subarray(0, 2048),
  full.subarray(3 * 2048, 3 * 2048 + 2000),
  gaps.subarray(2048, 2096),
  full.subarray(0, 2048),
  gaps.subarray(2096),
]);
const sound: MinisoData = {
  creator: '',
  files: [
    { minimalSector: 1, fullSector: 3, length: 2000 },
    { minimalSector: 2, fullSector: 0, length: 2048 },
  ],
  digest: createHash('sha256').update(expected).digest(),
  packed: encodeXz([gaps], 'crc64'),
};

const copies = (count: number): MinisoData['files'] =>
  Array.from({ length: count }, (_, index) => ({ minimalSector: index, fullSector: 0, length: 2048 }));

describe('the minimal ISO', () => {
  it('is files of the full one with what was packed between them', async () => {
    const minimal = reconstructMinimalIso(bytesAccess(full), sound);
    expect(minimal.image.size).toBe(expected.length);
    expect(Buffer.compare(await minimal.image.read(0, expected.length), expected)).toBe(0);
    expect(Buffer.compare(await minimal.image.read(2000, 2200), expected.subarray(2000, 4200))).toBe(0);
    await verifyReconstruction(minimal);
  });

  it('says both digests where they differ', async () => {
    const other = Buffer.from(full);
    other[0]! ^= 1;
    const minimal = reconstructMinimalIso(bytesAccess(other), sound);
    await expect(verifyReconstruction(minimal)).rejects.toThrow(
      /^wrong final digest: expected [0-9a-f]{64}, found [0-9a-f]{64}$/,
    );
  });

  it.each<[string, Partial<MinisoData>, string]>([
    [
      'a file beyond the end',
      { files: [{ minimalSector: 0, fullSector: 10, length: 1 }] },
      'exceeds the end',
    ],
    ['a file that ends beyond', { files: [{ minimalSector: 0, fullSector: 9, length: 2049 }] }, 'exceeds'],
    ['too little packed', { files: [{ minimalSector: 2, fullSector: 0, length: 1 }] }, 'contains less data'],
    ['one file again and again', { files: copies(11) }, 'larger than the full ISO'],
    ['something else than xz', { packed: Buffer.from('packed') }, 'xz data'],
    ['nothing packed', { packed: new Uint8Array() }, 'xz data is truncated'],
    [
      'more packed than the image has',
      { packed: encodeXz([new Uint8Array(20_481)], 'crc64') },
      'decompresses to more than 20480 bytes',
    ],
  ])('is refused: %s', (_title, change, message) => {
    const make = (): unknown => reconstructMinimalIso(bytesAccess(full), { ...sound, ...change });
    expect(make).toThrow(FormatError);
    expect(make).toThrow(message);
  });
});
