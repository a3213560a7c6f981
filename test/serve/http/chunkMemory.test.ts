import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkMemory, LARGEST_CHUNK, LEAST_CHUNK } from '../../../src/serve/http/chunkMemory.ts';

const MiB = 1024 * 1024;

describe('createChunkMemory', () => {
  it.each([
    [1, LEAST_CHUNK],
    [LEAST_CHUNK, LEAST_CHUNK],
    [LEAST_CHUNK * 2 - 1, LEAST_CHUNK],
    [64 * 1024, 64 * 1024],
    [MiB, MiB],
    [5 * MiB, LARGEST_CHUNK],
  ])('of %i wanted lends %i bytes', (wanted, lent) => {
    const memory = createChunkMemory(64 * MiB);
    expect(memory.lend(wanted)).toHaveLength(lent);
    expect(memory.lent).toBe(lent);
  });

  it('lends less and less where much is held, and never nothing', () => {
    const memory = createChunkMemory(16 * MiB);
    const sizes = Array.from({ length: 300 }, () => memory.lend(MiB).length);
    expect(sizes[0]).toBe(MiB);
    expect(sizes).toEqual(sizes.toSorted((left, right) => right - left));
    expect(sizes.filter((size) => size > LEAST_CHUNK).length).toBeGreaterThan(30);
    expect(memory.lent).toBeLessThan(16 * MiB + 300 * LEAST_CHUNK);
  });

  it('lends what came back again, as large as before', () => {
    const memory = createChunkMemory(16 * MiB);
    for (let round = 0; round < 3; round++) {
      const pieces = Array.from({ length: 500 }, () => memory.lend(MiB));
      for (const piece of pieces) memory.takeBack(piece);
      expect(memory.lent).toBe(0);
    }
    expect(memory.lend(MiB)).toHaveLength(MiB);
  });

  it('lends what came back last first', () => {
    const memory = createChunkMemory(16 * MiB);
    const piece = memory.lend(MiB);
    memory.takeBack(piece);
    expect(memory.lend(MiB).byteOffset).toBe(piece.byteOffset);
  });

  it('lends no byte twice at a time', () => {
    const step = fc.record({ wanted: fc.integer({ min: 1, max: 2 * MiB }), back: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const memory = createChunkMemory(4 * MiB);
        const held: Uint8Array[] = [];
        for (const { wanted, back } of steps) {
          held.push(memory.lend(wanted));
          if (back % 3 > 0) memory.takeBack(held.splice(back % held.length, 1)[0] ?? new Uint8Array());
          const ofOne = held.toSorted((left, right) => left.byteOffset - right.byteOffset);
          for (const [index, piece] of ofOne.entries()) {
            const next = ofOne.slice(index + 1).find(({ buffer }) => buffer === piece.buffer);
            expect(next === undefined || piece.byteOffset + piece.length <= next.byteOffset).toBe(true);
          }
          expect(memory.lent).toBe(held.reduce((sum, { length }) => sum + length, 0));
        }
      }),
      { numRuns: 30 },
    );
  });
});
