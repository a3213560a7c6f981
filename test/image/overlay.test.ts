import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesAccess,
  CHUNK,
  chunksOf,
  reusedChunks,
  overlay,
  type Patch,
  slice,
  zeros,
  type RandomAccess,
} from '../../src/image/overlay.ts';

const base = bytesAccess(Uint8Array.from({ length: 10 }, (_, index) => index + 1));
const patch = (offset: number, ...bytes: number[]): Patch => ({ offset, data: Uint8Array.from(bytes) });

async function contentOf(source: RandomAccess): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(source, { offset: 0, length: source.size })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('overlay', () => {
  it.each<[string, Patch[], number[]]>([
    ['no patch', [], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['an empty patch', [patch(3)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['patches in any order', [patch(8, 90), patch(0, 91, 92)], [91, 92, 3, 4, 5, 6, 7, 8, 90, 10]],
    ['neighbours', [patch(2, 91), patch(3, 92)], [1, 2, 91, 92, 5, 6, 7, 8, 9, 10]],
    ['a patch beyond the end', [patch(9, 91, 92)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 91, 92]],
    ['a gap before a patch', [patch(12, 91)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 91]],
    ['data that is read late', [{ offset: 1, data: zeros(3) }], [1, 0, 0, 0, 5, 6, 7, 8, 9, 10]],
  ])('%s', async (_title, patches, expected) => {
    const patched = overlay(base, patches);
    expect(patched.size).toBe(expected.length);
    expect([...(await contentOf(patched))]).toEqual(expected);
  });

  it('refuses patches that overlap', () => {
    expect(() => overlay(base, [patch(0, 1, 2), patch(1, 3)])).toThrow(/overlap/);
  });

  it.each([
    [-1, 1],
    [0, 11],
    [11, 1],
    [0, -1],
  ])('refuses to read at %i, %i bytes', async (offset, length) => {
    await expect(overlay(base, []).read(offset, length)).rejects.toThrow(RangeError);
  });

  it('of an overlay is an overlay', async () => {
    const twice = overlay(overlay(base, [patch(0, 91, 92)]), [patch(1, 93)]);
    expect([...(await twice.read(0, 3))]).toEqual([91, 93, 3]);
  });

  it('does not change its base, and agrees with writing the patches, for any range', async () => {
    const pieces = fc.array(fc.tuple(fc.nat(20), fc.uint8Array({ maxLength: 20 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 100 }),
        pieces,
        fc.nat(),
        fc.nat(),
        async (bytes, list, a, b) => {
          let end = 0;
          const patches = list.map(([gap, data]): Patch => {
            const offset = end + gap;
            end = offset + data.length;
            return { offset, data: data.length % 2 === 0 ? data : bytesAccess(data) };
          });
          const written = patches.filter(
            ({ data }) => (data instanceof Uint8Array ? data.length : data.size) > 0,
          );
          const size = Math.max(bytes.length, written.length > 0 ? end - trailing(list) : 0);
          const naive = Buffer.alloc(size);
          naive.set(bytes);
          for (const [index, { offset }] of patches.entries())
            naive.set(list[index]?.[1] ?? [], Math.min(offset, size));
          const patched = overlay(bytesAccess(bytes), patches.toReversed());
          expect(patched.size).toBe(size);
          const offset = a % (size + 1);
          const length = b % (size - offset + 1);
          expect(Buffer.from(await patched.read(offset, length))).toEqual(
            naive.subarray(offset, offset + length),
          );
          const used = Buffer.alloc(length, 'what was there before');
          await patched.readInto(used, offset);
          expect(used).toEqual(naive.subarray(offset, offset + length));
        },
      ),
    );
  });
});

/** Gaps after the last patch that has data: they make nothing longer. */
function trailing(list: readonly (readonly [number, Uint8Array])[]): number {
  const last = list.findLastIndex(([, data]) => data.length > 0);
  return list.slice(last + 1).reduce((sum, [gap]) => sum + gap, 0);
}

describe('slice', () => {
  const stretch = slice(base, { offset: 2, length: 5 });

  it('reads within the stretch', async () => {
    expect(stretch.size).toBe(5);
    expect([...(await stretch.read(1, 4))]).toEqual([4, 5, 6, 7]);
    const target = new Uint8Array(2);
    await stretch.readInto(target, 3);
    expect([...target]).toEqual([6, 7]);
  });

  it.each([
    [4, 2],
    [-1, 1],
    [6, 0],
  ])('refuses to read at %i, %i bytes', async (offset, length) => {
    await expect(stretch.read(offset, length)).rejects.toThrow(RangeError);
    await expect(stretch.readInto(new Uint8Array(length), offset)).rejects.toThrow(RangeError);
  });
});

describe('chunksOf', () => {
  it.each([
    [0, 0, []],
    [5, CHUNK, [CHUNK]],
    [1, CHUNK + 1, [CHUNK, 1]],
    [0, 3 * CHUNK, [CHUNK, CHUNK, CHUNK]],
  ])('from %i, %i bytes: chunks of %j', async (offset, length, expected) => {
    const sizes: number[] = [];
    for await (const chunk of chunksOf(zeros(4 * CHUNK), { offset, length })) sizes.push(chunk.length);
    expect(sizes).toEqual(expected);
  });

  it('passes a failed read on', async () => {
    const broken: RandomAccess = { size: 3 * CHUNK, read: async () => Promise.reject(new Error('lost')) };
    await expect(contentOf(broken)).rejects.toThrow('lost');
  });

  it('can be left early although the next read fails', async () => {
    const broken: RandomAccess = {
      size: 2 * CHUNK,
      read: async (offset, length) => {
        if (offset > 0) throw new Error('lost');
        return new Uint8Array(length);
      },
    };
    const lengths: number[] = [];
    for await (const chunk of chunksOf(broken, { offset: 0, length: broken.size })) {
      lengths.push(chunk.length);
      break;
    }
    expect(lengths).toEqual([CHUNK]);
  });
});

describe('reusedChunks', () => {
  const bytes = Buffer.alloc(3 * CHUNK + 5, 'some bytes that do not repeat with the chunks');
  const reusing: RandomAccess = {
    ...bytesAccess(bytes),
    readInto: async (target, offset) => target.set(bytes.subarray(offset, offset + target.length)),
  };

  it.each([
    ['reads into memory', reusing],
    ['only reads', bytesAccess(bytes)],
    ['is an overlay', overlay(reusing, [{ offset: CHUNK - 1, data: bytes.subarray(CHUNK - 1, CHUNK + 1) }])],
  ])('gives the bytes of a source that %s, in the memory of two chunks', async (_title, source) => {
    const memory = new Set<ArrayBufferLike>();
    const copies: Buffer[] = [];
    for await (const chunk of reusedChunks(source, { offset: 3, length: 3 * CHUNK })) {
      memory.add(chunk.buffer);
      copies.push(Buffer.from(chunk));
    }
    expect(Buffer.concat(copies)).toEqual(bytes.subarray(3, 3 + 3 * CHUNK));
    expect(memory.size).toBe(2);
  });

  it('does not read into what is still lent', async () => {
    let size = 0;
    for await (const chunk of reusedChunks(reusing, { offset: 0, length: bytes.length })) {
      const before = Buffer.from(chunk);
      await new Promise((resolve) => setImmediate(resolve));
      expect(chunk).toEqual(before);
      size += chunk.length;
    }
    expect(size).toBe(bytes.length);
  });
});
