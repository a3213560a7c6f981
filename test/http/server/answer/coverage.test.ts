import { array, assert, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../../../src/image/overlay.ts';
import {
  addReceived,
  createCoverage,
  isComplete,
  receivedBytes,
} from '../../../../src/http/server/answer/transfers.ts';

/** With what a service sees of it. */
function newCoverage(size: number) {
  const coverage = createCoverage(size);
  return {
    add: (range: ByteRange) => addReceived(coverage, range),
    get bytes() {
      return receivedBytes(coverage);
    },
    get isComplete() {
      return isComplete(coverage);
    },
  };
}

const coverageOf = (size: number, ranges: readonly (readonly [number, number])[]) => {
  const coverage = newCoverage(size);
  for (const [offset, length] of ranges) coverage.add({ offset, length });
  return { bytes: coverage.bytes, isComplete: coverage.isComplete };
};

const GIB = 1024 ** 3;

describe('coverage', () => {
  it.each<readonly [string, number, readonly (readonly [number, number])[], number, string]>([
    ['nothing', 100, [], 0, 'not complete'],
    ['all at once', 100, [[0, 100]], 100, 'complete'],
    ['all of a large image at once', GIB + 5, [[0, GIB + 5]], GIB + 5, 'complete'],
    ['an empty image', 0, [], 0, 'complete'],
    [
      'two halves',
      100,
      [
        [0, 50],
        [50, 50],
      ],
      100,
      'complete',
    ],
    [
      'two halves, the last one first',
      10_000,
      [
        [5000, 5000],
        [0, 5000],
      ],
      10_000,
      'complete',
    ],
    [
      'the same twice',
      100,
      [
        [10, 20],
        [10, 20],
      ],
      20,
      'not complete',
    ],
    [
      'what overlaps',
      100,
      [
        [10, 20],
        [20, 20],
      ],
      30,
      'not complete',
    ],
    [
      'a stretch that joins others',
      100,
      [
        [0, 10],
        [20, 10],
        [5, 20],
      ],
      30,
      'not complete',
    ],
    [
      'a whole block, then a piece of it',
      8192,
      [
        [0, 4096],
        [100, 100],
      ],
      4096,
      'not complete',
    ],
    [
      'a piece of a block, then the whole',
      8192,
      [
        [100, 100],
        [0, 4096],
      ],
      4096,
      'not complete',
    ],
    ['all but the last byte', GIB + 5, [[0, GIB + 4]], GIB + 4, 'not complete'],
    ['more than there is', 100, [[50, 1000]], 50, 'not complete'],
    [
      'what is not there',
      100,
      [
        [200, 10],
        [0, 0],
      ],
      0,
      'not complete',
    ],
  ])('%s', (_title, ...[size, ranges, bytes, verdict]) => {
    expect(coverageOf(size, ranges)).toEqual({ bytes, isComplete: verdict === 'complete' });
  });

  it('counts each byte once, in whatever order a few connections bring them', () => {
    const size = 40_000;
    const range = tuple(nat(size), nat(9000));
    assert(
      property(array(range, { maxLength: 20 }), (ranges) => {
        const bytes = new Uint8Array(size);
        for (const [offset, length] of ranges) bytes.fill(1, offset, offset + length);
        const count = bytes.reduce((sum, byte) => sum + byte, 0);
        expect(coverageOf(size, ranges)).toEqual({ bytes: count, isComplete: count === size });
      }),
    );
  });

  it('never says too much of scattered scraps', () => {
    const size = 4096 * 300;
    assert(
      property(array(nat(size - 1), { minLength: 200, maxLength: 400 }), (offsets) => {
        const coverage = newCoverage(size);
        for (const offset of offsets) coverage.add({ offset, length: 1 });
        expect(coverage.bytes).toBeLessThanOrEqual(new Set(offsets).size);
        expect(coverage.isComplete).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  it('knows when pieces of 1 MiB in any order are all of a large image', () => {
    const size = GIB + 12_345;
    const pieces: ByteRange[] = [];
    for (let offset = 0; offset < size; offset += 1 << 20) {
      pieces.push({ offset, length: Math.min(1 << 20, size - offset) });
    }
    const coverage = newCoverage(size);
    const shuffled = pieces.map((_, index) => pieces[(index * 389) % pieces.length]!);
    expect(new Set(shuffled).size).toBe(pieces.length);
    for (const piece of shuffled.slice(1)) coverage.add(piece);
    expect(coverage.isComplete).toBe(false);
    coverage.add(shuffled[0]!);
    expect(coverage).toMatchObject({ bytes: size, isComplete: true });
  });

  it('knows it of sixteen connections whose chunks have odd lengths', () => {
    const size = 64 << 20;
    const coverage = newCoverage(size);
    const share = size / 16;
    for (let done = 0; done < share; done += 65_521) {
      for (let start = 0; start < size; start += share) {
        coverage.add({ offset: start + done, length: Math.min(65_521, share - done) });
      }
    }
    expect(coverage).toMatchObject({ bytes: size, isComplete: true });
  });

  it('recovers when a client that fetched scraps fetches all', () => {
    const size = GIB;
    const coverage = newCoverage(size);
    for (let index = 0; index < 100_000; index++) {
      coverage.add({ offset: (index * 7_919_117) % size, length: 3 });
    }
    for (let offset = 0; offset < size; offset += 1 << 20) coverage.add({ offset, length: 1 << 20 });
    expect(coverage).toMatchObject({ bytes: size, isComplete: true });
  });

  it('stays small for an image that is fetched in scraps', () => {
    const coverage = createCoverage(GIB);
    for (let index = 0; index < 2000; index++) addReceived(coverage, { offset: index * 500_003, length: 10 });
    expect(receivedBytes(coverage)).toBe(1024 * 10);
    expect(coverage.extents).toHaveLength(1024);
  });
});
