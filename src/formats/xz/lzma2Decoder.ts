/** Decodes LZMA2: a row of chunks that are stored or coded by LZMA, each with its sizes (xz file format 5.3.1). */

import type { ByteFeed, Steps } from '../byteFeed.ts';
import { tooLarge } from '../codec.ts';
import {
  createLzmaDecoder,
  decodeSymbols,
  type LzmaDecoder,
  makeRoom,
  resetLzmaState,
  resetWindow,
  takeOutput,
} from './lzmaDecoder.ts';
import * as chunk from './lzmaModel.ts';
import { parseProperties } from './lzmaModel.ts';
import { endRangeDecoder, RANGE_CODER_HEADER, startRangeDecoder } from './rangeDecoder.ts';

export interface Lzma2Limits {
  /** More unpacked bytes than this are an error. */
  readonly maxBytes: number;
  /** Maximum size of the dictionary in bytes; content that requires more is an error. */
  readonly maxWindow: number;
}

/** Decodes one block after the other. */
export interface Lzma2Decoder {
  readonly feed: ByteFeed;
  readonly limits: Lzma2Limits;
  readonly lzma: LzmaDecoder;
  /** Unpacked bytes of all blocks so far. */
  length: number;
}

export function createLzma2Decoder(feed: ByteFeed, limits: Lzma2Limits): Lzma2Decoder {
  return { feed, limits, lzma: createLzmaDecoder(), length: 0 };
}

/** Decodes the chunks of one block. `dictionarySize` in bytes. */
export function* decodeLzma2Block(decoder: Lzma2Decoder, dictionarySize: number): Steps<Uint8Array> {
  const { feed, lzma } = decoder;
  lzma.dictionarySize = dictionarySize;
  let needsDictionary = true;
  let needsProperties = true;
  for (;;) {
    yield* feed.need(1);
    const start = feed.offset;
    const control = feed.uint8();
    if (control === chunk.END) return;
    if (control > chunk.STORED && control < chunk.CODED)
      throw feed.error('has an unknown kind of LZMA2 chunk', start);
    if (control === chunk.STORED_AFTER_RESET || control >= chunk.DICTIONARY_RESET) {
      resetWindow(lzma);
      needsDictionary = false;
      needsProperties = true;
    }
    if (control >= chunk.NEW_PROPERTIES) needsProperties = false;
    if (needsDictionary || (control >= chunk.CODED && needsProperties)) {
      throw feed.error('has an LZMA2 chunk that lacks a reset', start);
    }
    yield* control < chunk.CODED ? copyChunk(decoder) : decodeChunk(decoder, control);
  }
}

function* copyChunk(decoder: Lzma2Decoder): Steps<Uint8Array> {
  const { feed, lzma } = decoder;
  yield* feed.need(2);
  const size = feed.uint16BigEndian() + 1;
  yield* feed.need(size);
  countOutput(decoder, size);
  const stored = feed.take(size);
  yield* fillRing(decoder, size, (end, done) => {
    lzma.ring.set(stored.subarray(done, done + end - lzma.head), lzma.head);
    lzma.head = end;
    return true;
  });
}

function* decodeChunk(decoder: Lzma2Decoder, control: number): Steps<Uint8Array> {
  const { feed, lzma } = decoder;
  yield* feed.need(4);
  const uncompressedSize = (control & 0x1f) * 0x1_0000 + feed.uint16BigEndian() + 1;
  const compressedSize = feed.uint16BigEndian() + 1;
  if (control >= chunk.NEW_PROPERTIES) {
    yield* feed.need(1);
    const properties = parseProperties(feed.uint8());
    if (properties === undefined) {
      throw feed.error('has LZMA properties that LZMA2 does not allow', feed.offset - 1);
    }
    lzma.properties = properties;
  }
  if (control >= chunk.STATE_RESET) resetLzmaState(lzma);

  const start = feed.offset;
  yield* feed.need(compressedSize);
  countOutput(decoder, uncompressedSize);
  const input = feed.take(compressedSize);
  const isSound =
    compressedSize >= RANGE_CODER_HEADER &&
    startRangeDecoder(lzma, input) &&
    (yield* fillRing(decoder, uncompressedSize, (end) => decodeSymbols(lzma, end))) &&
    lzma.pending === 0 &&
    endRangeDecoder(lzma);
  if (!isSound) throw feed.error('is corrupt in the LZMA2 chunk', start);
}

function countOutput(decoder: Lzma2Decoder, size: number): void {
  const { feed, limits } = decoder;
  decoder.length += size;
  if (decoder.length > limits.maxBytes) throw tooLarge('xz', limits.maxBytes, feed.offset);
}

/**
 * Has `fill` add `size` bytes, in stretches that fit into the ring: up to `end`, when `done` have been added. The output
 * is handed out before it is overwritten. False once `fill` says so.
 */
function* fillRing(
  { feed, lzma, limits }: Lzma2Decoder,
  size: number,
  fill: (end: number, done: number) => boolean,
): Steps<Uint8Array, boolean> {
  for (let done = 0; done < size;) {
    if (lzma.head === lzma.ring.length && !makeRoom(lzma, limits.maxWindow)) {
      throw feed.error(`requires a larger dictionary than ${limits.maxWindow} bytes`);
    }
    const start = lzma.head;
    if (!fill(Math.min(start + size - done, lzma.ring.length), done)) return false;
    done += lzma.head - start;
    yield takeOutput(lzma);
  }
  return true;
}
