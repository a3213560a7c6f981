import { inputOfBytes } from '../../src/formats/byteFeed.ts';
import type { Decoded, DecodeOptions } from '../../src/formats/codec.ts';
import { unpackZstd } from '../../src/formats/zstd/decode.ts';
import type { FrameDecoder } from '../../src/formats/zstd/headers.ts';

/** All frames from `offset` on, in memory. */
export async function decodeZstd(
  bytes: Uint8Array,
  { offset = 0, maxBytes, decoder }: DecodeOptions & { readonly decoder?: FrameDecoder },
): Promise<Decoded> {
  const input = inputOfBytes('zstd', bytes, offset);
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackZstd(input, { maxBytes, streams: { left: Infinity } }, decoder)) {
    pieces.push(piece.slice());
  }
  return { data: Buffer.concat(pieces), end: input.feed.offset };
}
