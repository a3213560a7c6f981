/** What the decoders of compressed data have in common: the limit of their output, and the use of node:zlib. */

import type { Transform } from 'node:stream';
import { FormatError } from '../core/errors.ts';

/** The data exceed a limit of this program; they may be valid. */
export class LimitError extends FormatError {}

/** The error for data that decompresses to more than the limit; `offset` is the place of the data. */
export function tooLarge(format: string, maxBytes: number, offset: number): LimitError {
  return new LimitError(`The ${format} data decompresses to more than ${maxBytes} bytes`, {
    offset,
    hint: 'get a new copy of the file; this one is damaged or malicious',
  });
}

/** Unpacks data that it gets in pieces, by a transform of node:zlib, which works beside this thread. */
export class ZlibUnpacker {
  readonly #transform: Transform & { readonly bytesWritten: number };
  #unpacked: Uint8Array[] = [];

  constructor(transform: Transform & { readonly bytesWritten: number }) {
    this.#transform = transform.on('data', (piece: Uint8Array) => this.#unpacked.push(piece));
  }

  /** Bytes of the pieces that belong to the data; zlib takes none behind their end. */
  get used(): number {
    return this.#transform.bytesWritten;
  }

  /** What the piece unpacks to. @throws errors of zlib */
  async unpack(piece: Uint8Array): Promise<readonly Uint8Array[]> {
    const transform = this.#transform;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error | null): void => {
        transform.off('end', settle).off('error', settle);
        if (error) reject(error);
        else resolve();
      };
      // Behind the end of the data, only the event `end` comes.
      transform.once('end', settle).once('error', settle).write(piece, settle);
    });
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }

  close(): void {
    this.#transform.destroy();
  }
}
