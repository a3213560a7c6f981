import { describe, expect, it } from 'vitest';
import { changedImage, checkDisjoint } from '../../src/image/imageChange.ts';
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
    ['nothing', { patches: [] }, '0123456789'],
    ['patches', { patches: [patch(2, 'ab'), patch(7, 'c')] }, '01ab456c89'],
    ['longer', { patches: [patch(11, 'x')] }, '0123456789\0x'],
    ['shorter', { patches: [patch(0, 'x')], size: 4 }, 'x123'],
    ['a size that it has anyway', { patches: [], size: 10 }, '0123456789'],
  ])('%s', async (_title, change, expected) => {
    expect(await textOf(change)).toBe(expected);
  });

  it('refuses patches that overlap', () => {
    const patches = [patch(2, 'abc'), patch(4, '')];
    expect(() => checkDisjoint({ patches })).not.toThrow();
    expect(() => checkDisjoint({ patches: [...patches, patch(4, 'x')] })).toThrow(
      'two of its parts overlap at byte 4',
    );
  });
});
