import { describe, expect, it } from 'vitest';
import {
  decodeUcs2,
  longDate,
  putBoth16,
  putBoth32,
  sectorsFor,
  shortDate,
  viewOf,
} from '../../../src/formats/iso9660/fields.ts';

const hexOf = (fill: (view: DataView) => void): string => {
  const bytes = new Uint8Array(12);
  fill(viewOf(bytes.subarray(1, 11)));
  return Buffer.from(bytes).toString('hex');
};

describe('fields', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2048, 1],
    [2049, 2],
  ])('%i bytes take %i sectors', (bytes, sectors) => expect(sectorsFor(bytes)).toBe(sectors));

  it('has numbers in both byte orders', () => {
    expect(hexOf((view) => putBoth16(view, 1, 0x1234))).toBe('000034121234000000000000');
    expect(hexOf((view) => putBoth32(view, 1, 0x1234_5678))).toBe('000078563412123456780000');
  });

  it.each([
    ['2023-11-14T22:13:20.678Z', '323032333131313432323133323036370 0', [123, 11, 14, 22, 13, 20, 0]],
    ['1899-12-31T23:59:59.000Z', '313839393132333132333539353930300 0', [0, 12, 31, 23, 59, 59, 0]],
    ['2156-01-02T03:04:05.000Z', '323135363031303230333034303530300 0', [255, 1, 2, 3, 4, 5, 0]],
  ])('has the moment %s in both forms', (text, long, short) => {
    expect(Buffer.from(longDate(new Date(text))).toString('hex')).toBe(long.replace(' ', ''));
    expect([...shortDate(new Date(text))]).toEqual(short);
  });

  it('has text in UTF-16, big endian', () => {
    expect(decodeUcs2(Buffer.from('006100e9ff', 'hex'))).toBe('aé');
  });
});
