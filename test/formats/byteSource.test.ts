import { describe, expect, it } from 'vitest';
import {
  type ByteSource,
  hasMore,
  inputOf,
  inputOfBytes,
  refill,
  runAll,
  sourceOf,
} from '../../src/formats/byteFeed.ts';

/** These pieces, one at each call. */
function piecesOf(...pieces: readonly string[]): ByteSource {
  const left = pieces.map((piece) => Buffer.from(piece));
  return { next: async () => left.shift() };
}

describe('inputs', () => {
  it('of bytes in memory begin at an offset and have no more', async () => {
    const input = inputOfBytes('file', Buffer.from('..text'), 2);
    expect(await hasMore(input)).toBe(true);
    await refill(input);
    expect(Buffer.from(input.feed.take(4)).toString()).toBe('text');
    expect(await hasMore(input)).toBe(false);
  });

  it('have more until the last piece is used up, past empty ones', async () => {
    const input = inputOf('file', piecesOf('', 'a', '', 'b', ''));
    expect(await hasMore(input)).toBe(true);
    expect(input.feed.available).toBe(1);
    expect(await hasMore(input)).toBe(true);
    expect(input.feed.available).toBe(1);
    input.feed.take(1);
    expect(await hasMore(input)).toBe(true);
    expect(Buffer.from(input.feed.take(1)).toString()).toBe('b');
    expect(await hasMore(input)).toBe(false);
  });

  it.each([
    [0, []],
    [3, [2]],
    [9, [8]],
  ])('ask the source to leave out what is skipped and has not come: %i bytes', async (length, expected) => {
    const asked: number[] = [];
    let left = Buffer.from('bcdefghijkl');
    const source: ByteSource = {
      next: async () => left,
      skip: (count) => {
        asked.push(count);
        left = left.subarray(count);
        return count;
      },
    };
    const input = inputOf('file', source);
    input.feed.push(Buffer.from('a'));
    await runAll(input.feed.skip(length), input);
    await refill(input);
    expect(asked).toEqual(expected);
    expect(input.feed.offset).toBe(length);
  });
});

it('the output of a decoder is a source for another one', async () => {
  const source = sourceOf(output());
  const pieces = [await source.next(), await source.next(), await source.next()];
  expect(pieces).toEqual([Buffer.from('a'), Buffer.from('b'), undefined]);
});

async function* output(): AsyncGenerator<Uint8Array, string> {
  yield Buffer.from('a');
  yield Buffer.from('b');
  return 'no bytes';
}
