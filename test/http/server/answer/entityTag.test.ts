/** Entity tags of images that are never read as a whole. */

import { describe, expect, it } from 'vitest';
import { bytesAccess, zeros } from '../../../../src/image/overlay.ts';
import { bytesTag, digestTag, imageTag } from '../../../../src/http/server/answer/entityTag.ts';

const one = Buffer.from('one');
const base = 'a'.repeat(64);
const change = (offset: number, data: Uint8Array | ReturnType<typeof zeros>, size?: number) => ({
  patches: [{ offset, data }],
  ...(size !== undefined && { size }),
});

describe('entity tags', () => {
  it('are strong, quoted, and short', async () => {
    for (const tag of [await imageTag({ base, changes: [] }), bytesTag(one), digestTag(base)]) {
      expect(tag).toMatch(/^"[A-Za-z0-9_-]{24}"$/);
    }
  });

  it('are the same for the same change', async () => {
    const tag = await imageTag({ base, changes: [change(5, one)] });
    expect(await imageTag({ base, changes: [change(5, Buffer.from('one'))] })).toBe(tag);
    expect(await imageTag({ base, changes: [change(5, bytesAccess(one))] })).toBe(tag);
  });

  it.each([
    ['another base', { base: 'b'.repeat(64), changes: [change(5, one)] }],
    ['another place', { base, changes: [change(6, one)] }],
    ['other bytes', { base, changes: [change(5, Buffer.from('two'))] }],
    ['more bytes', { base, changes: [change(5, Buffer.from('one '))] }],
    ['zeros', { base, changes: [change(5, zeros(3))] }],
    ['another size', { base, changes: [change(5, one, 100)] }],
    ['nothing', { base, changes: [] }],
    ['a second change', { base, changes: [change(5, one), change(9, one)] }],
  ])('tell %s', async (_title, image) => {
    const tag = await imageTag({ base, changes: [change(5, one)] });
    expect(await imageTag(image)).not.toBe(tag);
  });

  it('do not read data whose digest is known', async () => {
    const source = {
      size: 3,
      read: async (): Promise<Uint8Array> => {
        throw new Error('read');
      },
    };
    const image = { base, changes: [change(0, source)] };
    await expect(imageTag(image)).rejects.toThrow('read');
    await expect(imageTag({ ...image, known: new Map([[source, 'digest']]) })).resolves.toMatch(/^"/);
  });
});
