/** Reads a stream of bytes from start to end, as the decoders need it: by number of bytes, or as the pieces come. */

import { FormatError } from '../core/errors.ts';

/** Where the bytes of a stream come from. */
export interface ByteSource {
  /** The next piece, undefined behind the last one. It keeps its bytes until the next call. */
  next(): Promise<Uint8Array | undefined>;
  /** Leaves out the next bytes, as far as that takes less than reading them; returns how many. */
  readonly skip?: (length: number) => number;
}

export function sourceOfBytes(bytes: Uint8Array): ByteSource {
  const pieces = [bytes];
  return { next: async () => pieces.pop() };
}

export function sourceOf(pieces: AsyncIterator<Uint8Array, unknown>): ByteSource {
  return {
    next: async () => {
      const step = await pieces.next();
      return step.done === true ? undefined : step.value;
    },
  };
}

/** All bytes that it hands out are good until the next call. */
export class ByteReader {
  /** What errors call the data, e.g. `xz`. */
  format: string;
  readonly #source: ByteSource;
  #bytes: Buffer = Buffer.alloc(0);
  #offset: number;

  /** @param offset where the source starts, for errors */
  constructor(format: string, source: ByteSource, offset = 0) {
    this.format = format;
    this.#source = source;
    this.#offset = offset;
  }

  /** Where the next byte is, from the start of the stream. */
  get offset(): number {
    return this.#offset;
  }

  /** The next bytes, as far as they came. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Waits until so many bytes came; false if the stream ends before. */
  async has(length: number): Promise<boolean> {
    if (this.#bytes.length >= length) return true;
    // A source may use the memory of a piece again for the next one.
    const pieces: Buffer[] = this.#bytes.length === 0 ? [] : [Buffer.from(this.#bytes)];
    let available = this.#bytes.length;
    while (available < length) {
      const piece = await this.#source.next();
      if (piece === undefined) break;
      available += piece.length;
      pieces.push(available < length ? Buffer.from(piece) : viewOf(piece));
    }
    this.#bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    return available >= length;
  }

  /** @throws FormatError `… is truncated` */
  async take(length: number): Promise<Buffer> {
    if (!(await this.has(length))) throw this.truncated();
    return this.pass(length);
  }

  /** As many of the next bytes as are there, but no more than `most`; none at the end of the stream. */
  async takeAtMost(most = Infinity): Promise<Buffer> {
    await this.has(1);
    return this.pass(Math.min(most, this.#bytes.length));
  }

  /** Takes bytes that came already. */
  pass(length: number): Buffer {
    const bytes = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    this.#offset += length;
    return bytes;
  }

  /** Passes over bytes, which need not come at all; false if the stream ends before. */
  async skip(length: number): Promise<boolean> {
    let left = length - this.pass(Math.min(length, this.#bytes.length)).length;
    if (left > 0 && this.#source.skip !== undefined) {
      const skipped = this.#source.skip(left);
      this.#offset += skipped;
      left -= skipped;
    }
    while (left > 0) {
      const piece = await this.takeAtMost(left);
      if (piece.length === 0) return false;
      left -= piece.length;
    }
    return true;
  }

  /** The error `The FORMAT data PROBLEM at byte OFFSET`. */
  error(problem: string, offset = this.#offset, Kind = FormatError): FormatError {
    return new Kind(`The ${this.format} data ${problem} at byte ${offset}`, { offset });
  }

  /** The error at the end of a stream that should go on. */
  truncated(): FormatError {
    return this.error('is truncated', this.#offset + this.#bytes.length);
  }
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
