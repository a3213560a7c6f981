/**
 * Decodes .xz streams: several blocks, any check, dictionaries of any size. Not supported: filters other than LZMA2,
 * which nothing in this field uses. What follows the stream (padding, another stream) is the caller's.
 */

import { crc32 } from 'node:zlib';
import { UnsupportedError } from '../../core/errors.ts';
import { ByteFeed, outputOf, type Steps } from '../byteFeed.ts';
import { type Decoded, type DecodeOptions, tooLarge } from '../codec.ts';
import * as container from './container.ts';
import { checkOfId, crc32Bytes, type IntegrityCheck, startChecksum } from './container.ts';
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
import { endRangeDecoder, RANGE_CODER_HEADER, startRangeDecoder } from './rangeDecoder.ts';

const STREAM_HEADER_SIZE = 12;
const STREAM_FOOTER_SIZE = 12;
const CRC_SIZE = 4;
/** A number may take this many bytes. Behind those of an index there are always more than that. */
const MAX_VARINT_SIZE = 9;

/**
 * Decodes exactly one stream (xz file format 1.2.1), with all its checks.
 *
 * @throws FormatError with the offset, when the stream is damaged, truncated, not supported or too large.
 */
export function decodeXz(bytes: Uint8Array, { offset = 0, maxBytes }: DecodeOptions): Decoded {
  const feed = ByteFeed.whole('xz', bytes, offset);
  const data = outputOf(unpackXz(feed, { maxBytes, maxWindow: Infinity }));
  return { data, end: feed.offset };
}

/**
 * The same as a coroutine. A piece of the output is good until the next step.
 *
 * @throws FormatError, also where the content requires a larger dictionary than `maxWindow` bytes.
 */
export function* unpackXz(feed: ByteFeed, limits: Lzma2Limits): Steps<Uint8Array> {
  feed.format = 'xz';
  const decoder: Lzma2Decoder = { feed, limits, lzma: createLzmaDecoder(), length: 0 };
  const check = yield* readStreamHeader(feed);
  const blocks = new BlockList();
  for (;;) {
    yield* feed.need(1);
    // A block starts with the size of its header, the index with 0.
    if (feed.peek(1) === 0) break;
    blocks.add(yield* readBlock(decoder, check));
  }
  const indexSize = yield* readIndex(feed, blocks);
  yield* readStreamFooter(feed, check, indexSize);
}

function* readStreamHeader(feed: ByteFeed): Steps<never, IntegrityCheck> {
  const start = feed.offset;
  yield* feed.need(STREAM_HEADER_SIZE);
  if (!same(feed.take(container.STREAM_MAGIC.length), container.STREAM_MAGIC)) {
    throw feed.error('lacks the magic number', start);
  }
  const flagsStart = feed.offset;
  const flags = feed.take(2);
  expectBytes(feed, crc32Bytes(flags), 'has a damaged stream header');
  const check = flags[0] === 0 ? checkOfId(flags[1] ?? -1) : undefined;
  if (check === undefined) throw feed.error('has stream flags that are not supported', flagsStart);
  return check;
}

function* readBlock(decoder: Lzma2Decoder, check: IntegrityCheck): Steps<Uint8Array, container.BlockRecord> {
  const { feed, limits } = decoder;
  const start = feed.offset;
  const header = yield* readBlockHeader(feed);
  if (decoder.length + (header.uncompressedSize ?? 0) > limits.maxBytes) {
    throw tooLarge('xz', limits.maxBytes, start);
  }

  const dataStart = feed.offset;
  const outputStart = decoder.length;
  const checksum = startChecksum(check);
  for (const piece of decodeLzma2Block(decoder, header.dictionarySize)) {
    if (piece !== undefined) checksum.update(piece);
    yield piece;
  }
  const compressedSize = feed.offset - dataStart;
  const uncompressedSize = decoder.length - outputStart;
  if (
    (header.compressedSize ?? compressedSize) !== compressedSize ||
    (header.uncompressedSize ?? uncompressedSize) !== uncompressedSize
  ) {
    throw feed.error('does not match the sizes in the block header', start);
  }

  const padding = container.paddingOf(compressedSize);
  const computed = checksum.bytes();
  yield* feed.need(padding + computed.length);
  expectZeros(feed, padding, 'has a block padding that is not zero');
  expectBytes(feed, computed, `does not match its ${check} checksum`);
  return { unpaddedSize: feed.offset - start - padding, uncompressedSize };
}

interface BlockHeader {
  readonly compressedSize: number | undefined;
  readonly uncompressedSize: number | undefined;
  readonly dictionarySize: number;
}

/** Section 3.1. */
function* readBlockHeader(feed: ByteFeed): Steps<never, BlockHeader> {
  const start = feed.offset;
  const size = (feed.peek(1) + 1) * 4;
  yield* feed.need(size);
  const fields = feed.part('xz block header', size - CRC_SIZE);
  const content = feed.take(size - CRC_SIZE);
  expectBytes(feed, crc32Bytes(content), 'has a damaged block header');

  fields.take(1);
  const flags = fields.uint8();
  if ((flags & 0x3c) !== 0) throw fields.error('has unknown block flags', start + 1);
  const compressedSize = (flags & 0x40) === 0 ? undefined : readVarint(fields);
  const uncompressedSize = (flags & 0x80) === 0 ? undefined : readVarint(fields);
  const filters = (flags & 0x03) + 1;
  const dictionarySize = readLzma2Filter(fields);
  if (filters !== 1) throw fields.error('uses filters other than LZMA2');
  expectZeros(fields, fields.available, 'has unknown fields');
  return { compressedSize, uncompressedSize, dictionarySize };
}

/** The size of the dictionary in bytes. Other filters precede LZMA2 in a chain, so the first filter decides. */
function readLzma2Filter(fields: ByteFeed): number {
  const start = fields.offset;
  const filter = readVarint(fields);
  if (filter !== container.LZMA2_FILTER) {
    const name = container.OTHER_FILTERS[filter] ?? `0x${filter.toString(16)}`;
    throw fields.error(`uses the filter ${name}, only LZMA2 is supported,`, start, UnsupportedError);
  }
  const propertiesSize = readVarint(fields);
  const code = fields.uint8();
  if (propertiesSize !== 1 || code > 40)
    throw fields.error('has an invalid dictionary size', fields.offset - 1);
  return container.dictionarySize(code);
}

/**
 * The blocks that were read, as far as the index is compared with them: a stream may have so many that their sizes would
 * fill the memory.
 */
class BlockList {
  count = 0;
  /** CRC32 of the sizes of all blocks. */
  crc = 0;

  add({ unpaddedSize, uncompressedSize }: container.BlockRecord): void {
    this.count++;
    this.crc = crc32(new Uint8Array(Float64Array.of(unpaddedSize, uncompressedSize).buffer), this.crc);
  }
}

/** Section 4: it has to list exactly the blocks that were read. Returns its size in bytes. */
function* readIndex(feed: ByteFeed, blocks: BlockList): Steps<never, number> {
  const start = feed.offset;
  const crc = startChecksum('crc32');
  const readNumber = function* (): Steps<never, number> {
    yield* feed.need(MAX_VARINT_SIZE);
    const { index } = feed;
    const value = readVarint(feed);
    crc.update(feed.bytes.subarray(index, feed.index));
    return value;
  };
  crc.update(feed.take(1));
  const listed = new BlockList();
  const count = yield* readNumber();
  while (count === blocks.count && listed.count < count) {
    listed.add({ unpaddedSize: yield* readNumber(), uncompressedSize: yield* readNumber() });
  }
  if (count !== blocks.count || listed.crc !== blocks.crc) {
    throw feed.error('has an index that does not match its blocks', start);
  }
  const padding = container.paddingOf(feed.offset - start);
  yield* feed.need(padding + CRC_SIZE);
  expectZeros(feed, padding, 'has an index padding that is not zero');
  crc.update(new Uint8Array(padding));
  expectBytes(feed, crc.bytes(), 'has a damaged index');
  return feed.offset - start;
}

/** Section 2.1.2. */
function* readStreamFooter(feed: ByteFeed, check: IntegrityCheck, indexSize: number): Steps<never> {
  const start = feed.offset;
  yield* feed.need(STREAM_FOOTER_SIZE);
  const storedCrc = feed.take(4);
  const content = feed.take(6);
  const matches =
    same(storedCrc, crc32Bytes(content)) &&
    same(content, container.footerContent(check, indexSize)) &&
    same(feed.take(2), container.FOOTER_MAGIC);
  if (!matches) throw feed.error('has a damaged stream footer', start);
}

/** A number of up to 63 bits, seven a byte (section 1.2). Past 2^53 it is inexact, and too large for anything here. */
function readVarint(feed: ByteFeed): number {
  const start = feed.offset;
  let value = 0;
  for (let index = 0; index < MAX_VARINT_SIZE; index++) {
    const byte = feed.uint8();
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) {
      if (byte === 0 && index > 0) break;
      return value;
    }
  }
  throw feed.error('has a malformed number', start);
}

function expectZeros(feed: ByteFeed, length: number, problem: string): void {
  expectBytes(feed, new Uint8Array(length), problem);
}

function expectBytes(feed: ByteFeed, expected: Uint8Array, problem: string): void {
  const start = feed.offset;
  if (!same(feed.take(expected.length), expected)) throw feed.error(problem, start);
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

// LZMA2: a row of chunks that are stored or coded by LZMA, each with its sizes (xz file format 5.3.1).

interface Lzma2Limits {
  /** More unpacked bytes than this are an error. */
  readonly maxBytes: number;
  /** Maximum size of the dictionary in bytes; content that requires more is an error. */
  readonly maxWindow: number;
}

/** Decodes one block after the other. */
interface Lzma2Decoder {
  readonly feed: ByteFeed;
  readonly limits: Lzma2Limits;
  readonly lzma: LzmaDecoder;
  /** Unpacked bytes of all blocks so far. */
  length: number;
}

/** Decodes the chunks of one block. `dictionarySize` in bytes. */
function* decodeLzma2Block(decoder: Lzma2Decoder, dictionarySize: number): Steps<Uint8Array> {
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
    const properties = chunk.parseProperties(feed.uint8());
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
      const problem = `requires a larger dictionary than ${limits.maxWindow} bytes`;
      throw feed.error(problem, feed.offset, UnsupportedError);
    }
    const start = lzma.head;
    if (!fill(Math.min(start + size - done, lzma.ring.length), done)) return false;
    done += lzma.head - start;
    yield takeOutput(lzma);
  }
  return true;
}
