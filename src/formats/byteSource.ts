/** Streams as input of decoders: asks a source for the next piece whenever a decoder does. */

import { ByteFeed, type Steps } from './byteFeed.ts';

/** Where the bytes of a stream come from. */
export interface ByteSource {
  /** The next piece, undefined behind the last one. It keeps its bytes until the next call. */
  next(): Promise<Uint8Array | undefined>;
  /** Leaves out the next bytes, as far as that takes less than reading them; returns how many. */
  readonly skip?: (length: number) => number;
}

/** A source and what came from it so far. */
export interface ByteInput {
  readonly feed: ByteFeed;
  readonly source: ByteSource;
}

/** `format` is what errors call the data until a decoder knows better. */
export function inputOf(format: string, source: ByteSource): ByteInput {
  return { feed: new ByteFeed(format), source };
}

/** Bytes in memory, from `offset` on. */
export function inputOfBytes(format: string, bytes: Uint8Array, offset = 0): ByteInput {
  return { feed: ByteFeed.whole(format, bytes, offset), source: { next: async () => undefined } };
}

/** The output of a decoder as a source for another one. */
export function sourceOf(pieces: AsyncIterator<Uint8Array, unknown>): ByteSource {
  return {
    next: async () => {
      const step = await pieces.next();
      return step.done === true ? undefined : step.value;
    },
  };
}

/** The output of a decoder that gets its input from the source. */
export async function* runSteps<Output>(
  steps: Steps<Output>,
  input: ByteInput,
): AsyncGenerator<Output, void> {
  for (const output of steps) {
    if (output === undefined) await refill(input);
    else yield output;
  }
}

/** Runs a decoder without output; its result. */
export async function runAll<Result>(steps: Steps<never, Result>, input: ByteInput): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await refill(input);
  }
}

/** One more piece, or the end. Bytes that are to be skipped anyway are left out where the source can. */
export async function refill({ feed, source }: ByteInput): Promise<void> {
  if (feed.owed > 0 && source.skip !== undefined) feed.skipped(source.skip(feed.owed));
  feed.release();
  const piece = await source.next();
  if (piece === undefined) feed.end();
  else feed.push(piece);
}

/** Whether more bytes are at hand or to come. */
export async function hasMore(input: ByteInput): Promise<boolean> {
  while (input.feed.available === 0 && !input.feed.ended) await refill(input);
  return input.feed.available > 0;
}
