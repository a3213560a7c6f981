import { describe, expect, it } from 'vitest';
import { type ImageBytes, overlay, readerOf, slice } from '../../../src/image/overlay.ts';
import { type Block, BLOCK, createBlockPool } from '../../../src/http/server/blockPool.ts';

/** A source of blocks whose bytes have the number of the block, and the offsets that were read. */
function countedSource(count = 8): { readonly source: ImageBytes; readonly reads: number[] } {
  const reads: number[] = [];
  const source = readerOf(count * BLOCK, async (target, offset) => {
    reads.push(offset / BLOCK);
    target.fill(offset / BLOCK);
  });
  return { source, reads };
}

async function filled(block: Block | undefined): Promise<Uint8Array> {
  await block?.filled;
  return block?.bytes ?? new Uint8Array();
}

describe('createBlockPool', () => {
  it('reads a block once for all that borrow it, and again only when its memory is used for another one', async () => {
    const { source, reads } = countedSource();
    const pool = createBlockPool(2);
    const first = pool.borrow(source, 5);
    expect(pool.borrow(source, BLOCK - 1)).toBe(first);
    expect(pool.borrowed).toBe(BLOCK);
    await first?.giveBack();
    expect(pool.borrowed).toBe(BLOCK);
    await first?.giveBack();
    expect(pool.borrowed).toBe(0);
    for (const block of [0, 1, 0, 2, 0, 1]) {
      const borrowed = pool.borrow(source, block * BLOCK);
      expect((await filled(borrowed)).every((byte) => byte === block)).toBe(true);
      await borrowed?.giveBack();
    }
    expect(reads).toEqual([0, 1, 2, 1]);
  });

  it('lends no more blocks than its limit, and reads ahead only while fewer than half of them are used', async () => {
    const { source, reads } = countedSource();
    const pool = createBlockPool(4);
    const first = pool.borrow(source, 0);
    expect(pool.borrowAhead(source, BLOCK)).toBeDefined();
    expect(pool.borrowAhead(source, 2 * BLOCK)).toBeUndefined();
    expect(pool.borrow(source, 2 * BLOCK)).toBeDefined();
    expect(pool.borrow(source, 3 * BLOCK)).toBeDefined();
    expect(pool.borrow(source, 4 * BLOCK)).toBeUndefined();
    expect(pool.borrowAhead(source, 3 * BLOCK)).toBeDefined(); // it is in memory
    expect(pool.borrowed).toBe(4 * BLOCK);
    await first?.giveBack();
    expect((await filled(pool.borrow(source, 4 * BLOCK))).at(-1)).toBe(4);
    expect(reads).toEqual([0, 1, 2, 3, 4]);
  });

  it('shares what images of different hosts have in common, and nothing else', async () => {
    const { source, reads } = countedSource(4);
    const pool = createBlockPool(16);
    const hostImage = (byte: number): ImageBytes =>
      overlay(source, [
        { offset: BLOCK + 3, data: new Uint8Array([byte]) },
        { offset: 4 * BLOCK, data: new Uint8Array([byte]) },
      ]);
    const readsOf = async (image: ImageBytes): Promise<number[]> => {
      for (let offset = 0; offset < image.size; offset += BLOCK) {
        const bytes = await filled(pool.borrow(image, offset));
        const known = reads.length;
        expect(bytes).toEqual(await image.read(offset, bytes.length));
        reads.splice(known);
      }
      return reads.splice(0);
    };
    const first = hostImage(7);
    expect(await readsOf(first)).toEqual([0, 1, 2, 3]);
    expect(await readsOf(first)).toEqual([]);
    expect(await readsOf({ ...first })).toEqual([]); // opened again
    expect(await readsOf(hostImage(8))).toEqual([1]);
    expect(await readsOf(source)).toEqual([1]);
    expect(await readsOf(slice(source, { offset: 2 * BLOCK, length: BLOCK }))).toEqual([]);
    expect(await readsOf(slice(source, { offset: 2 * BLOCK, length: 100 }))).toEqual([2]);
  });

  it('reads again after a failure, which all that wait for the block receive', async () => {
    let isBroken = true;
    const source = readerOf(BLOCK, async () => {
      if (isBroken) throw new Error('lost');
    });
    const pool = createBlockPool(1);
    const blocks = [pool.borrow(source, 0), pool.borrow(source, 0)];
    for (const block of blocks) await expect(block?.filled).rejects.toThrow('lost');
    expect(pool.borrow(source, 0)).toBeUndefined();
    for (const block of blocks) await block?.giveBack();
    isBroken = false;
    await expect(pool.borrow(source, 0)?.filled).resolves.toBeUndefined();
  });
});
