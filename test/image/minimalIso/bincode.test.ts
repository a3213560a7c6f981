import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bincodeBytes,
  bincodeNumber,
  readBincodeBytes,
  readBincodeNumber,
} from '../../../src/image/minimalIso/minisoData.ts';
import { ByteFeed } from '../../../src/formats/byteFeed.ts';
import { contents, survivesNoise } from '../../formats/damage.ts';

const read = (bytes: Uint8Array, max = Number.MAX_SAFE_INTEGER): number =>
  readBincodeNumber(ByteFeed.whole('test', bytes), { max });

const readBytes = (bytes: Uint8Array): Uint8Array => readBincodeBytes(ByteFeed.whole('test', bytes));

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
  ])('%d is %s', (value, hex) => {
    expect(Buffer.from(bincodeNumber(value)).toString('hex')).toBe(hex);
    expect(read(Buffer.from(hex, 'hex'))).toBe(value);
  });

  it('come back', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(read(bincodeNumber(value))).toBe(value);
      }),
    );
  });

  it('may be longer than they need to be', () => {
    expect(read(Buffer.from('fd0700000000000000', 'hex'))).toBe(7);
  });

  it.each([
    ['a number that is cut off', 'fb01', 'The test data is cut off at byte 2'],
    ['nothing', '', 'The test data is cut off at byte 0'],
    ['a number of 128 bits', 'fe00', 'The test data has a malformed number at byte 0'],
    ['a byte without meaning', 'ff00', 'The test data has a malformed number at byte 0'],
    ['a number past 2^53', 'fd0000000000002000', 'The test data has a number that is too large at byte 0'],
  ])('%s is refused', (_title, hex, message) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow(message);
  });

  it('are refused beyond what the caller allows', () => {
    expect(read(bincodeNumber(300), 300)).toBe(300);
    expect(() => read(bincodeNumber(301), 300)).toThrow('too large');
  });
});

describe('bytes', () => {
  it('come back', () => {
    fc.assert(
      fc.property(contents, (bytes) => {
        expect(Buffer.compare(readBytes(bincodeBytes(bytes)), bytes)).toBe(0);
      }),
    );
  });

  it('never reach beyond the end', async () => {
    await expect(survivesNoise(new Uint8Array(), readBytes)).resolves.toBeUndefined();
  });
});
