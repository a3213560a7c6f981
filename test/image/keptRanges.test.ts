import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedImage, type ImageChange, keptRanges } from '../../src/image/imageChange.ts';
import { bytesAccess, type Patch } from '../../src/image/overlay.ts';

const patch = (offset: number, length: number): Patch => ({ offset, data: new Uint8Array(length).fill(1) });
const rangesOf = (change: ImageChange, size = 10): string =>
  keptRanges({ size }, change)
    .map(({ offset, length }) => `${offset}+${length}`)
    .join(' ');

describe('keptRanges', () => {
  it.each<[string, ImageChange, string]>([
    ['no change', { stages: [] }, '0+10'],
    ['a patch within', { stages: [[patch(3, 2)]] }, '0+3 5+5'],
    ['patches of several stages', { stages: [[patch(8, 1)], [patch(2, 1)]] }, '0+2 3+5 9+1'],
    ['neighbours', { stages: [[patch(2, 3), patch(5, 1)]] }, '0+2 6+4'],
    ['the start', { stages: [[patch(0, 4)]] }, '4+6'],
    ['over the end', { stages: [[patch(8, 5)]] }, '0+8'],
    ['behind the end', { stages: [[patch(12, 5)]] }, '0+10'],
    ['everything', { stages: [[patch(0, 10)]] }, ''],
    ['a shorter image', { stages: [[patch(1, 1)]], size: 5 }, '0+1 2+3'],
    ['a patch that is cut off with the rest', { stages: [[patch(7, 1)]], size: 5 }, '0+5'],
    ['a longer image', { stages: [], size: 20 }, '0+10'],
    ['an empty patch', { stages: [[patch(4, 0)]] }, '0+4 4+6'],
  ])('%s', (_title, change, expected) => {
    expect(rangesOf(change)).toBe(expected);
  });

  it('are what the changed image has at the same places', async () => {
    const places = fc.uniqueArray(fc.nat(9), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(places, fc.option(fc.nat(80), { nil: undefined }), async (offsets, size) => {
        const patches = offsets.map((offset) => patch(offset * 7, (offset % 7) + 1));
        const change: ImageChange = { stages: [patches], ...(size !== undefined && { size }) };
        const image = bytesAccess(new Uint8Array(60));
        const changed = changedImage(image, change);
        const bytes = await changed.read(0, changed.size);
        let kept = 0;
        for (const { offset, length } of keptRanges(image, change)) {
          expect(bytes.subarray(offset, offset + length).every((byte) => byte === 0)).toBe(true);
          kept += length;
        }
        const changedBytes = bytes.filter((byte, index) => byte === 1 && index < image.size).length;
        expect(kept).toBe(Math.min(image.size, changed.size) - changedBytes);
      }),
    );
  });
});
