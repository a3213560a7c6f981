import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ByteFeed,
  type ByteSource,
  hasMore,
  inputOf,
  inputOfBytes,
  outputOf,
  runAll,
  runSteps,
  runWhole,
  type Steps,
} from '../../src/formats/byteFeed.ts';

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

describe('outputOf', () => {
  it('joins all pieces, whose memory may be used again', () => {
    const memory = new Uint8Array(3);
    const pieces = function* (): Steps<Uint8Array> {
      for (let index = 1; index <= 100; index++) {
        if (index % 10 === 0) yield undefined;
        yield memory.fill(index).subarray(0, index % 4);
      }
    };
    const expected = Array.from({ length: 100 }, (_, index) => Buffer.alloc((index + 1) % 4, index + 1));
    expect(Buffer.from(outputOf(pieces()))).toEqual(Buffer.concat(expected));
  });
});

it('runWhole runs to the end, and passes an error on', () => {
  let steps = 0;
  const decoder = function* (most: number): Steps<never> {
    for (; steps < most; steps++) yield undefined;
    throw new Error('the end');
  };
  expect(() => runWhole(decoder(7))).toThrow('the end');
  expect(steps).toBe(7);
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
    expect(() => feed().take(5)).toThrow('The test data is truncated at byte 5');
    expect(() => feed().uint(5)).toThrow('The test data is truncated at byte 5');
    expect(() => [...feed().need(5)]).toThrow('The test data is truncated at byte 5');
  });

  it('gives its errors the offset', () => {
    expect(() => feed().take(5)).toThrow(expect.objectContaining({ offset: 5 }));
    expect(feed().error('is wrong', 3)).toMatchObject({
      message: 'The test data is wrong at byte 3',
      offset: 3,
    });
  });

  it('waits no longer than it has to', () => {
    const steps = feed().need(4);
    expect(steps.next()).toEqual({ done: true, value: undefined });
  });

  it('counts what it skips before it comes', () => {
    const open = new ByteFeed('test', Uint8Array.of(1, 2));
    const steps = open.skip(5);
    steps.next();
    expect([open.owed, open.offset, open.available]).toEqual([3, 2, 0]);
    open.push(Uint8Array.of(3, 4, 5, 6));
    expect([open.owed, open.offset, open.available, open.uint8()]).toEqual([0, 5, 1, 6]);
    expect(steps.next()).toEqual({ done: true, value: true });
  });

  it('has parts that keep their offsets', () => {
    const part = feed().part('inner', 2);
    expect([part.offset, part.uint8(), part.available]).toEqual([1, 1, 1]);
    expect(part.error('is wrong').message).toBe('The inner data is wrong at byte 2');
  });
});
