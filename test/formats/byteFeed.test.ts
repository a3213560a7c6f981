import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteFeed, type Steps } from '../../src/formats/byteFeed.ts';
import {
  type ByteSource,
  hasMore,
  inputOf,
  inputOfBytes,
  runAll,
  runSteps,
} from '../../src/formats/byteSource.ts';

/** Pieces that all lie in one memory, as those of a file do. */
function piecesOf(bytes: Uint8Array, lengths: readonly number[]): ByteSource {
  const memory = Buffer.alloc(Math.max(1, ...lengths));
  let offset = 0;
  return {
    next: async () => {
      memory.fill(0xee);
      const piece = bytes.subarray(offset, offset + (lengths[offset % lengths.length] ?? 1));
      offset += piece.length;
      memory.set(piece);
      return piece.length === 0 ? undefined : memory.subarray(0, piece.length);
    },
  };
}

/** Takes and skips by turns, so many bytes each time. */
function* takeAndSkip(feed: ByteFeed, counts: readonly number[]): Steps<string> {
  for (const [turn, count] of counts.entries()) {
    const { offset } = feed;
    if (turn % 2 === 1) {
      if (!(yield* feed.skip(count))) return;
    } else {
      if (!(yield* feed.has(count))) return;
      yield `${offset}:${Buffer.from(feed.take(count)).toString('hex')}`;
    }
  }
}

async function outputs(
  bytes: Uint8Array,
  lengths: readonly number[],
  counts: readonly number[],
): Promise<string[]> {
  const input =
    lengths.length === 0 ? inputOfBytes('test', bytes) : inputOf('test', piecesOf(bytes, lengths));
  const found: string[] = [];
  for await (const output of runSteps(takeAndSkip(input.feed, counts), input)) found.push(output);
  return found;
}

describe('a decoder cannot tell', () => {
  it('how its input is cut into pieces', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 60 }),
        sizes,
        fc.array(fc.nat(15)),
        async (bytes, lengths, counts) => {
          expect(await outputs(bytes, lengths, counts)).toEqual(await outputs(bytes, [], counts));
        },
      ),
    );
  });

  it('whether the source leaves out what it skips', async () => {
    let position = 0;
    const input = inputOf('test', {
      next: async () => (position >= 100 ? undefined : Uint8Array.of(position++)),
      skip: (most) => {
        const start = position;
        position = Math.min(100, position + most);
        return position - start;
      },
    });
    const skipped = async (length: number): Promise<boolean> => runAll(input.feed.skip(length), input);
    expect([await skipped(50), input.feed.offset, await hasMore(input), input.feed.peek(1)]).toEqual([
      true,
      50,
      true,
      50,
    ]);
    expect([await skipped(50), input.feed.offset, await hasMore(input)]).toEqual([true, 100, false]);
    expect(await skipped(1)).toBe(false);
  });
});

const feed = (): ByteFeed => ByteFeed.whole('test', Uint8Array.of(9, 1, 2, 3, 4), 1);

describe('ByteFeed', () => {
  it('reads numbers', () => {
    const numbers = feed();
    expect([numbers.peek(4), numbers.uint16BigEndian(), numbers.uint(2), numbers.available]).toEqual([
      0x0403_0201, 0x0102, 0x0403, 0,
    ]);
  });

  it('says where the input ends too early', () => {
    expect(() => feed().take(5)).toThrow('The test data is cut off at byte 5');
    expect(() => feed().uint(5)).toThrow('The test data is cut off at byte 5');
    expect(() => [...feed().need(5)]).toThrow('The test data is cut off at byte 5');
  });

  it('has parts that keep their offsets', () => {
    const part = feed().part('inner', 2);
    expect([part.offset, part.uint8(), part.available]).toEqual([1, 1, 1]);
    expect(part.error('is wrong').message).toBe('The inner data is wrong at byte 2');
  });
});
