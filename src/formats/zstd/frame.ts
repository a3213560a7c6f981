/** Decodes the frames of zstandard data, and checks their lengths and checksums (RFC 8878, section 3.1.1). */

import type { Steps } from '../byteFeed.ts';
import { type ByteInput, runSteps } from '../byteSource.ts';
import { type BlockDecoder, createBlockDecoder, decodeBlocks } from './blocks.ts';
import type { FrameHeader } from './frameHeader.ts';
import { startXxh64 } from './xxh64.ts';

/**
 * Decodes the frames of an input, one after the other: each with the input behind the header. A piece of their content is
 * good until the next one is asked for.
 */
export type FrameDecoder = (input: ByteInput) => (header: FrameHeader) => AsyncIterable<Uint8Array>;

/** Bytes of the checksum behind the blocks. */
export const CHECKSUM_SIZE = 4;

export const OTHER_LENGTH = 'has another length than the frame says';
export const OTHER_CHECKSUM = 'does not match its checksum';

/** Decodes by the modules beside this one. */
export const decodeFrames: FrameDecoder = (input) => {
  const decoder = createBlockDecoder(input.feed);
  return (header) => runSteps(decodeFrame(decoder, header), input);
};

function* decodeFrame(decoder: BlockDecoder, header: FrameHeader): Steps<Uint8Array> {
  const { feed } = decoder;
  const checksum = header.hasChecksum ? startXxh64() : undefined;
  let length = 0;
  for (const piece of decodeBlocks(decoder, header)) {
    length += piece?.length ?? 0;
    if (piece !== undefined) checksum?.update(piece);
    yield piece;
  }
  const end = feed.offset;
  if (length !== (header.contentSize ?? length)) throw feed.error(OTHER_LENGTH, end);
  if (checksum === undefined) return;
  yield* feed.need(CHECKSUM_SIZE);
  if (feed.uint(CHECKSUM_SIZE) !== checksum.digest()) throw feed.error(OTHER_CHECKSUM, end);
}
