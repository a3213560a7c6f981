/**
 * Input in pieces, for decoders that are written for a complete input: they run as coroutines and yield when they need
 * more bytes. This way, one decoder supports bytes in memory and streams.
 */

import { FormatError } from '../core/errors.ts';

/** A decoder at work: yields its output, or `undefined` to ask for more input. */
export type Steps<Output, Result = void> = Generator<Output | undefined, Result, undefined>;

export class ByteFeed {
  /** The available bytes. Views of them are valid until the decoder requests more. */
  bytes: Uint8Array;
  /** Where in `bytes` the next read starts. */
  index: number;
  /** What errors call the data, e.g. `xz`. */
  format: string;
  /** Offset of `bytes` in the whole input. */
  #base = 0;
  #ended = false;
  #owed = 0;
  /** Buffer for the rest of one piece together with the next piece. */
  #joint = new Uint8Array(0);

  constructor(format: string, bytes: Uint8Array = new Uint8Array(0), index = 0) {
    this.format = format;
    this.bytes = bytes;
    this.index = index;
  }

  /** All the input there is, from `offset` on. */
  static whole(format: string, bytes: Uint8Array, offset = 0): ByteFeed {
    const feed = new ByteFeed(format, bytes, offset);
    feed.end();
    return feed;
  }

  /** The next bytes as an input of their own, which keeps their offsets and is called `format` in errors. */
  part(format: string, length: number): ByteFeed {
    const part = ByteFeed.whole(format, this.bytes.subarray(0, this.index + length), this.index);
    part.#base = this.#base;
    return part;
  }

  /** Where the next read starts, in bytes from the start of the input. */
  get offset(): number {
    return this.#base + this.index;
  }

  /** Number of available bytes. */
  get available(): number {
    return this.bytes.length - this.index;
  }

  /** Whether no more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Bytes that were skipped before they came: they need not come at all. */
  get owed(): number {
    return this.#owed;
  }

  /** Keeps what is left of the last piece, whose memory may be used for something else then. */
  release(): void {
    if (this.available > 0) this.#keepRest(0);
  }

  /** Adds a piece; its memory stays in use until it is released. */
  push(piece: Uint8Array): void {
    const forgotten = Math.min(this.#owed, piece.length);
    this.skipped(forgotten);
    const rest = piece.subarray(forgotten);
    if (this.available === 0) {
      this.#base = this.offset;
      this.bytes = rest;
      this.index = 0;
      return;
    }
    const length = this.available;
    this.#keepRest(rest.length);
    this.#joint.set(rest, length);
    this.bytes = this.#joint.subarray(0, length + rest.length);
  }

  /** Says that no more will come. */
  end(): void {
    this.#ended = true;
  }

  /** Says that so many of the owed bytes are not going to come. */
  skipped(length: number): void {
    this.#owed -= length;
    this.#base += length;
  }

  /** Waits until this number of bytes is available; false if the input ends earlier. */
  *has(length: number): Steps<never, boolean> {
    while (this.available < length) {
      if (this.#ended) return false;
      yield undefined;
    }
    return true;
  }

  /**
   * Waits until this number of bytes is available.
   * @throws FormatError `… is truncated`
   */
  *need(length: number): Steps<never> {
    if (!(yield* this.has(length))) throw this.cutOff();
  }

  /** Passes over bytes; false if the input ends before. */
  *skip(length: number): Steps<never, boolean> {
    const present = Math.min(length, this.available);
    this.index += present;
    this.#owed = length - present;
    while (this.#owed > 0) {
      if (this.#ended) return false;
      yield undefined;
    }
    return true;
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    if (length > this.available) throw this.cutOff();
    const start = this.index;
    this.index += length;
    return this.bytes.subarray(start, this.index);
  }

  /** The next `length` bytes as a number, like `uint`; they stay the next ones. */
  peek(length: number): number {
    const value = this.uint(length);
    this.index -= length;
    return value;
  }

  uint8(): number {
    if (this.index >= this.bytes.length) throw this.cutOff();
    return this.bytes[this.index++]!;
  }

  /** Two bytes, big-endian. */
  uint16BigEndian(): number {
    return this.uint8() * 256 + this.uint8();
  }

  /** A little-endian number of up to eight bytes; past 2^53 it is inexact. */
  uint(length: number): number {
    let value = 0;
    for (let index = 0, unit = 1; index < length; index++, unit *= 256) value += this.uint8() * unit;
    return value;
  }

  /** The error `The FORMAT data PROBLEM at byte OFFSET`; the offset is where the next read would start unless given. */
  error(problem: string, offset = this.offset, Kind = FormatError): FormatError {
    return new Kind(`The ${this.format} data ${problem} at byte ${offset}`, { offset });
  }

  cutOff(): FormatError {
    return this.error('is truncated', this.offset + this.available);
  }

  /** Copies the available bytes to an own buffer, with space for `more` bytes after them. */
  #keepRest(more: number): void {
    const { available } = this;
    const rest = this.bytes.subarray(this.index);
    if (this.#joint.length < available + more) {
      this.#joint = new Uint8Array(Math.max(available + more, this.#joint.length * 2));
    }
    this.#joint.set(rest); // copies rightly where it is there already
    this.#base = this.offset;
    this.bytes = this.#joint.subarray(0, available);
    this.index = 0;
  }
}

/** Runs a decoder without output, whose input is whole. */
export function runWhole(steps: Steps<never>): void {
  while (steps.next().done !== true);
}

/** All output of a decoder whose input is whole. */
export function outputOf(steps: Steps<Uint8Array>): Uint8Array {
  return joined(Array.from(steps, (piece) => new Uint8Array(piece ?? [])));
}

/** All bytes of the pieces, not as a `Buffer`. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.concat(pieces);
  return new Uint8Array(buffer, byteOffset, length);
}

// Streams as input of decoders: asks a source for the next piece whenever a decoder does.

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

/** The other way round. */
export async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array, void> {
  for (let piece = await source.next(); piece !== undefined; piece = await source.next()) yield piece;
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

/** Whether more bytes are available, or will be read. */
export async function hasMore(input: ByteInput): Promise<boolean> {
  while (input.feed.available === 0 && !input.feed.ended) await refill(input);
  return input.feed.available > 0;
}
