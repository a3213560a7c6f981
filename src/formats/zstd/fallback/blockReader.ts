/** The bytes of one zstandard block, read forwards as fields and backwards as streams of bits. */

import type { FormatError } from '../../../core/errors.ts';
import type { ByteFeed } from '../../byteFeed.ts';

/** Bytes around a block, and behind literals, that may be read without harm, so that hot loops look at the bounds only now and then. */
export const MARGIN = 32;

export class BlockReader {
  /** The block starts at `MARGIN`, its last byte is before `end`. What is around it has no meaning. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);
  /** Where the next field starts. */
  index = 0;
  end = 0;
  readonly #feed: ByteFeed;
  /** What has to be added to an index for the offset in the whole input. */
  #base = 0;

  constructor(feed: ByteFeed) {
    this.#feed = feed;
  }

  /** Takes the next bytes of the input as a block. */
  load(length: number): void {
    const needed = length + 2 * MARGIN;
    if (this.bytes.length < needed) {
      this.bytes = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
      this.view = new DataView(this.bytes.buffer);
    }
    this.#base = this.#feed.offset - MARGIN;
    this.bytes.set(this.#feed.take(length), MARGIN);
    this.index = MARGIN;
    this.end = MARGIN + length;
  }

  get left(): number {
    return this.end - this.index;
  }

  /** Moves past so many bytes and returns where they start. */
  skip(length: number, what: string): number {
    if (length > this.left) throw this.error(`has a block that ends within ${what}`, this.end);
    const start = this.index;
    this.index += length;
    return start;
  }

  /** What `read` makes of the next bytes, behind which the block seems to end; all of them count as read then. */
  within<Result>(length: number, what: string, read: () => Result): Result {
    const { end } = this;
    const start = this.skip(length, what);
    this.end = this.index;
    this.index = start;
    const result = read();
    this.index = this.end;
    this.end = end;
    return result;
  }

  /** A little-endian number of up to three bytes. */
  uint(length: number, what: string): number {
    let value = 0;
    const start = this.skip(length, what);
    for (let index = 0; index < length; index++) value |= this.bytes[start + index]! << (8 * index);
    return value;
  }

  /**
   * Where a stream of bits, which is read from its end, starts: the number of the bit above the first one (section 4.1 of
   * RFC 8878). The highest bit that is set only says where that is.
   */
  lastBit(start: number, end: number): number {
    const last = end > start ? this.bytes[end - 1]! : 0;
    if (last === 0) throw this.error('has a stream of bits without end mark', Math.max(start, end - 1));
    return (end - 1) * 8 + 31 - Math.clz32(last);
  }

  /** The error with the offset that belongs to an index of `bytes`. */
  error(problem: string, index = this.index): FormatError {
    return this.#feed.error(problem, this.#base + index);
  }
}
