/**
 * Zstandard data (RFC 8878): consecutive frames as one stream. Frames are decoded by Node's zlib where it can (from 22.15
 * on), as that takes less than half of the time, or else here. Left out: dictionaries, and windows that zstd itself takes
 * only with `--long=31`.
 */

import { type ByteInput, inputOfBytes, runAll } from '../byteSource.ts';
import { countStream, tooLarge, type Decoded, type DecodeOptions, type UnpackOptions } from '../codec.ts';
import { decodeFrames, type FrameDecoder } from './frame.ts';
import { isZstd, MAGIC_SIZE, readFrameHeader } from './frameHeader.ts';
import { nodeFrames } from './nodeFrames.ts';

export interface ZstdOptions {
  /** What decodes frames; the fastest that is there unless given. */
  readonly decoder?: FrameDecoder;
}

/**
 * Decodes consecutive frames as one stream, up to the first bytes that start no frame.
 *
 * @throws FormatError with the offset, when a frame is damaged, cut off, not supported or too large.
 */
export async function decodeZstd(bytes: Uint8Array, options: DecodeOptions & ZstdOptions): Promise<Decoded> {
  const { offset = 0, ...rest } = options;
  const input = inputOfBytes('zstd', bytes, offset);
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackZstd(input, { ...rest, streams: { left: Infinity } })) {
    pieces.push(piece.slice());
  }
  return { data: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), end: input.feed.offset };
}

/**
 * The same for a stream. A piece is good until the next one is asked for.
 *
 * @throws FormatError with the offset, when a frame is damaged, cut off, not supported or too large.
 */
export async function* unpackZstd(
  input: ByteInput,
  { maxBytes, streams, decoder = nodeFrames ?? decodeFrames }: UnpackOptions & ZstdOptions,
): AsyncGenerator<Uint8Array, void> {
  const { feed } = input;
  feed.format = 'zstd';
  const decodeFrame = decoder(input);
  let room = maxBytes;
  do {
    const { offset } = feed;
    countStream(streams, offset);
    const header = await runAll(readFrameHeader(feed), input);
    if (header !== 'skippable') {
      if ((header.contentSize ?? 0) > room) throw tooLarge('zstd', maxBytes, offset);
      for await (const piece of decodeFrame(header)) {
        room -= piece.length;
        if (room < 0) throw tooLarge('zstd', maxBytes, offset);
        yield piece;
      }
    }
    await runAll(feed.has(MAGIC_SIZE), input);
  } while (isZstd(feed.bytes, feed.index));
}
