/**
 * Zstandard data (RFC 8878). The frames are walked here, which tells where they end; their blocks are decoded by Node's
 * zlib (from 22.15 on), or else by fzstd, which does not look at the checksum of a frame and takes longer. Left out:
 * dictionaries, and windows that zstd itself takes only with `--long=31`.
 */

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { FormatError } from '../errors.ts';
import { ByteCursor } from './byteCursor.ts';
import type { ByteFeed, Steps } from './byteFeed.ts';
import { type ByteInput, inputOfBytes, runAll, runSteps } from './byteSource.ts';
import { countStream, tooLarge, type Decoded, type DecodeOptions, type UnpackOptions } from './codec.ts';
import { hasEndlessWeights } from './zstdHuffman.ts';
import { throughZlib } from './zlibStream.ts';

/**
 * What one frame unpacks to. Throws whatever it likes when it cannot, but not before it has taken all of `pieces`: what is
 * found there comes first.
 */
export type ZstdEngine = (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

export interface ZstdOptions extends DecodeOptions {
  /** What decodes a frame; the fastest that is there unless given. */
  readonly engine?: ZstdEngine;
}

const FRAME_MAGIC = 0xfd2f_b528;
const MAGIC_SIZE = 4;
const CHECKSUM_SIZE = 4;
const SKIPPABLE_MAGIC = 0x184d_2a50;

/** Bits of the frame header descriptor (RFC 8878, section 3.1.1.1.1). */
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const HAS_CHECKSUM = 0x04;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** The largest window that zstd decodes unless told otherwise. */
const MAX_WINDOW = 128 * 1024 * 1024;
const MAX_BLOCK = 128 * 1024;
const BLOCK_HEADER_SIZE = 3;
const BLOCK_RLE = 1;
const BLOCK_COMPRESSED = 2;
const BLOCK_RESERVED = 3;

/** Blocks are handed on together up to so many bytes, packed or unpacked. */
const MAX_PIECE = 32 * 1024;
const MAX_PIECE_UNPACKED = 4 * 1024 * 1024;

/** Shorter beginnings of a frame wait in fzstd for more. */
const FZSTD_MIN_INPUT = 18;

/** Whether a zstd frame or a skippable frame starts at `offset`. */
export function isZstd(bytes: Uint8Array, offset = 0): boolean {
  if (bytes.length - offset < 4) return false;
  const magic = new ByteCursor(bytes, offset, 'zstd').uint32();
  return magic === FRAME_MAGIC || isSkippable(magic);
}

/**
 * Decodes consecutive frames as one stream, up to the first bytes that start no frame.
 *
 * @throws FormatError with the offset, when a frame is damaged, cut off, not supported or too large.
 */
export async function decodeZstd(bytes: Uint8Array, options: ZstdOptions): Promise<Decoded> {
  const { offset = 0, ...rest } = options;
  const input = inputOfBytes('zstd', bytes, offset);
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackZstd(input, { ...rest, streams: { left: Infinity } })) pieces.push(piece);
  return { data: joined(pieces), end: input.feed.offset };
}

/**
 * The same for a stream, piece by piece.
 *
 * @throws FormatError with the offset, when a frame is damaged, cut off, not supported or too large.
 */
export async function* unpackZstd(
  input: ByteInput,
  { maxBytes, streams, engine: chosen }: UnpackOptions & Pick<ZstdOptions, 'engine'>,
): AsyncGenerator<Uint8Array, void> {
  const { feed } = input;
  feed.format = 'zstd';
  const engine = chosen ?? nodeEngine ?? (await loadFzstd());
  let length = 0;
  do {
    const start = feed.offset;
    countStream(streams, start);
    const frame = await runAll(readFrameHeader(feed), input);
    if (frame !== 'skippable') {
      if (length + (frame.contentSize ?? 0) > maxBytes) throw tooLarge('zstd', maxBytes, start);
      for await (const piece of unpackFrame(frame, input, engine)) {
        length += piece.length;
        if (length > maxBytes) throw tooLarge('zstd', maxBytes, start);
        yield piece;
      }
    }
    await runAll(feed.has(MAGIC_SIZE), input);
  } while (isZstd(feed.bytes, feed.index));
}

/** Decodes frames by fzstd. */
export async function loadFzstd(): Promise<ZstdEngine> {
  const { Decompress } = await import('fzstd');
  return async function* (pieces) {
    let output: Uint8Array[] = [];
    const stream = new Decompress((piece) => output.push(piece));
    const failures: unknown[] = [];
    const push = (piece: Uint8Array, isFinal: boolean): Uint8Array[] => {
      output = [];
      try {
        if (failures.length === 0) stream.push(piece, isFinal);
      } catch (error) {
        failures.push(error);
      }
      return output;
    };
    for await (const piece of pieces) {
      // It keeps a piece that it does not decode at once, which are only the shortest, as pieces are whole blocks.
      yield* push(piece.length < FZSTD_MIN_INPUT ? Uint8Array.from(piece) : piece, false);
    }
    yield* push(new Uint8Array(0), true);
    if (failures.length > 0) throw failures[0];
  };
}

type CreateZstdDecompress = (options: { readonly chunkSize: number }) => Transform;

/** Decodes frames by Node, where it can. */
export const nodeEngine: ZstdEngine | undefined = findNodeEngine();

function findNodeEngine(): ZstdEngine | undefined {
  // Node's types of the oldest supported version do not know it.
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  return isCreateZstdDecompress(create)
    ? (pieces) => throughZlib(create({ chunkSize: MAX_PIECE }), pieces)
    : undefined;
}

function isCreateZstdDecompress(value: unknown): value is CreateZstdDecompress {
  return typeof value === 'function';
}

interface Frame {
  readonly start: number;
  /** Its first bytes, which say how to read the blocks. */
  readonly header: Uint8Array;
  /** Bytes, where the frame says so. */
  readonly contentSize: number | undefined;
  readonly hasChecksum: boolean;
}

/** Section 3.1 of RFC 8878. A skippable frame is passed over. */
function* readFrameHeader(feed: ByteFeed): Steps<never, Frame | 'skippable'> {
  const start = feed.offset;
  yield* feed.need(MAGIC_SIZE);
  const magic = feed.peek(MAGIC_SIZE);
  if (isSkippable(magic)) {
    yield* feed.need(2 * MAGIC_SIZE);
    feed.take(MAGIC_SIZE);
    if (!(yield* feed.skip(feed.uint(4)))) throw feed.cutOff();
    return 'skippable';
  }
  if (magic !== FRAME_MAGIC) throw feed.error('lacks the magic number', start);
  yield* feed.need(MAGIC_SIZE + 1);
  const from = feed.index;
  feed.take(MAGIC_SIZE);
  const descriptor = feed.uint8();
  if ((descriptor & RESERVED) !== 0) {
    throw feed.error('has unknown flags in a frame header', start + MAGIC_SIZE);
  }
  feed.index = from;
  yield* feed.need(MAGIC_SIZE + 1 + fieldsSize(descriptor));
  const beginning = feed.index;
  feed.take(MAGIC_SIZE + 1);
  const contentSize = readFields(feed, descriptor);
  const header = Uint8Array.from(feed.bytes.subarray(beginning, feed.index));
  return { start, header, contentSize, hasChecksum: (descriptor & HAS_CHECKSUM) !== 0 };
}

function isSkippable(magic: number): boolean {
  return (magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC;
}

/** Bytes of what follows the descriptor. */
function fieldsSize(descriptor: number): number {
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  const sizeCode = descriptor >> 6;
  return (
    (isSingleSegment ? 0 : 1) +
    (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) +
    (sizeCode === 0 && isSingleSegment ? 1 : (CONTENT_SIZE_BYTES[sizeCode] ?? 0))
  );
}

/** Reads what follows the descriptor and returns the size of the content. */
function readFields(feed: ByteFeed, descriptor: number): number | undefined {
  const start = feed.offset - 1;
  if ((descriptor & RESERVED) !== 0) throw feed.error('has unknown flags in a frame header', start);
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  if (!isSingleSegment && windowSize(feed.uint8()) > MAX_WINDOW) {
    throw feed.error('needs too large a window', start + 1);
  }
  if (feed.uint(DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) !== 0) {
    throw feed.error('needs a dictionary, which is not supported,', start);
  }
  const sizeCode = descriptor >> 6;
  if (sizeCode === 0) return isSingleSegment ? feed.uint8() : undefined;
  // The size in two bytes starts where that in one byte ends.
  const contentSize = feed.uint(CONTENT_SIZE_BYTES[sizeCode] ?? 0) + (sizeCode === 1 ? 256 : 0);
  if (isSingleSegment && contentSize > MAX_WINDOW) throw feed.error('needs too large a window', start + 1);
  return contentSize;
}

function windowSize(code: number): number {
  const base = 2 ** (10 + (code >> 3));
  return base + (base / 8) * (code & 7);
}

/** Tells what is wrong with the input from what an engine has against it. */
async function* noteFailure(
  pieces: AsyncIterable<Uint8Array>,
  failures: unknown[],
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* pieces;
  } catch (error) {
    failures.push(error);
    throw error;
  }
}

/** What a frame consists of, for an engine: some blocks at a time. */
async function* piecesOfFrame(
  { header, hasChecksum }: Frame,
  input: ByteInput,
): AsyncGenerator<Uint8Array, void> {
  yield header;
  yield* runSteps(takeBlocks(input.feed, hasChecksum), input);
}

/** Section 3.1.1.2. */
function* takeBlocks(feed: ByteFeed, hasChecksum: boolean): Steps<Uint8Array> {
  for (let isLast = false; !isLast;) {
    let length = 0;
    let unpacked = 0;
    do {
      yield* feed.need(length + BLOCK_HEADER_SIZE);
      const at = feed.index + length;
      const header = feed.bytes[at]! | (feed.bytes[at + 1]! << 8) | (feed.bytes[at + 2]! << 16);
      const type = (header >> 1) & 3;
      const size = header >> 3;
      if (type === BLOCK_RESERVED || size > MAX_BLOCK)
        throw feed.error('has an unknown kind of block', feed.offset + length);
      length += BLOCK_HEADER_SIZE + (type === BLOCK_RLE ? 1 : size);
      yield* feed.need(length);
      const block = feed.bytes.subarray(feed.index + length - size, feed.index + length);
      if (type === BLOCK_COMPRESSED && hasEndlessWeights(block)) {
        throw feed.error('has weights of no use', feed.offset + length - size);
      }
      unpacked += type === BLOCK_COMPRESSED ? MAX_BLOCK : size;
      isLast = (header & 1) === 1;
    } while (!isLast && length < MAX_PIECE && unpacked < MAX_PIECE_UNPACKED);
    yield feed.take(length);
  }
  if (!hasChecksum) return;
  yield* feed.need(CHECKSUM_SIZE);
  yield feed.take(CHECKSUM_SIZE);
}

async function* unpackFrame(
  frame: Frame,
  input: ByteInput,
  engine: ZstdEngine,
): AsyncGenerator<Uint8Array, void> {
  const corrupt = (): FormatError => input.feed.error('is corrupt in the frame', frame.start);
  const failures: unknown[] = [];
  const pieces = noteFailure(piecesOfFrame(frame, input), failures);
  let length = 0;
  try {
    for await (const piece of engine(pieces)) {
      length += piece.length;
      yield piece;
    }
  } catch {
    throw failures.length > 0 ? failures[0] : corrupt();
  }
  if (length !== (frame.contentSize ?? length)) throw corrupt();
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...rest] = pieces;
  return rest.length === 0 ? first : Buffer.concat(pieces);
}
