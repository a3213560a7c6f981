import { describe, expect, it } from 'vitest';
import { bothChanges, changedImage, patchesOnly, unchanged } from '../../src/image/imageChange.ts';
import { bytesAccess } from '../../src/image/overlay.ts';

const image = bytesAccess(Buffer.from('0123456789'));
const patch = (offset: number, text: string): { offset: number; data: Uint8Array } => ({
  offset,
  data: Buffer.from(text),
});

async function textOf(change: Parameters<typeof changedImage>[1]): Promise<string> {
  const changed = changedImage(image, change);
  return Buffer.from(await changed.read(0, changed.size)).toString();
}

describe('a change of an image', () => {
  it.each<[string, Parameters<typeof changedImage>[1], string]>([
    ['nothing', unchanged, '0123456789'],
    ['patches', patchesOnly([patch(2, 'ab'), patch(7, 'c')]), '01ab456c89'],
    ['longer', { stages: [[patch(11, 'x')]] }, '0123456789\0x'],
    ['shorter', { stages: [[patch(0, 'x')]], size: 4 }, 'x123'],
    ['a size that it has anyway', { stages: [], size: 10 }, '0123456789'],
    [
      'two changes',
      bothChanges({ stages: [[patch(0, 'a')], [patch(1, 'b')]] }, { stages: [[patch(5, 'c')]], size: 6 }),
      'ab234c',
    ],
  ])('%s', async (_title, change, expected) => {
    expect(await textOf(change)).toBe(expected);
  });

  it('puts the stages of two changes beside each other', () => {
    const both = bothChanges({ stages: [[patch(0, 'a')], [patch(1, 'b')]] }, patchesOnly([patch(5, 'c')]));
    expect(both.stages.map((stage) => stage.map(({ offset }) => offset))).toEqual([[0, 5], [1]]);
  });

  it('refuses two that change the same bytes', () => {
    expect(() => bothChanges(patchesOnly([patch(2, 'abc')]), patchesOnly([patch(4, 'x')]))).toThrow(
      'two of its parts overlap at byte 4',
    );
    expect(() => bothChanges(patchesOnly([patch(2, 'abc')]), patchesOnly([patch(4, '')]))).not.toThrow();
  });
});
