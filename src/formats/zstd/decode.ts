/**
 * Zstandard data (RFC 8878): consecutive frames as one stream. The blocks are walked here, which shows where a frame
 * ends and about where an error is; Node's zlib decodes them, or before Node 22.15 the package fzstd, which does not verify the
 * checksums of frames. Left out: dictionaries, and windows that zstd itself takes only with `--long=31`.
 */

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { type ByteFeed, type ByteInput, runAll, runSteps, type Steps } from '../byteFeed.ts';
import { countStream, throughZlib, tooLarge, type UnpackOptions } from '../codec.ts';
import {
  BLOCK_HEADER_SIZE,
  CHECKSUM_SIZE,
  type FrameDecoder,
  type FrameHeader,
  hasEndlessWeights,
  isZstd,
  MAGIC_SIZE,
  maxBlockOf,
  peekBlockHeader,
  readFrameHeader,
} from './headers.ts';

/**
 * Decodes consecutive frames as one stream, up to the first bytes that start no frame. A piece is good until the next one
 * is asked for.
 *
 * @param decoder decodes frames; default: the one of Node if it has one
 * @throws FormatError with the offset, when a frame is damaged, truncated, not supported or too large.
 */
export async function* unpackZstd(
  input: ByteInput,
  { maxBytes, streams }: UnpackOptions,
  decoder = nodeFrames() ?? fzstdFrames,
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

const DAMAGED_HEADER = 'has a damaged frame header';
const DAMAGED_BLOCK = 'has a damaged block';
const OTHER_LENGTH = 'has a length that differs from its frame header';

/** Blocks are handed on together up to so many bytes, packed or unpacked. */
const MAX_PIECE = 32 * 1024;
const MAX_PIECE_UNPACKED = 4 * 1024 * 1024;

/** The decoder of Node; undefined before Node 22.15. A function, as loading zlib takes 3 ms, which `validate` seldom needs. */
export function nodeFrames(): FrameDecoder | undefined {
  // Node's types of the oldest supported version do not know it.
  const {
    createZstdDecompress,
  }: typeof zlib & {
    readonly createZstdDecompress?: (options: { readonly chunkSize: number }) => Transform;
  } = zlib;
  return (
    createZstdDecompress &&
    ((input) => (header) => decodeByZlib(header, input, createZstdDecompress({ chunkSize: MAX_PIECE })))
  );
}

/** The decoder of the package fzstd. */
export const fzstdFrames: FrameDecoder = (input) => (header) => decodeByFzstd(header, input);

/** What a decoder is given at a time. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** The error if the decoder rejects it. */
  readonly problem: string;
}

async function* decodeByFzstd(header: FrameHeader, input: ByteInput): AsyncGenerator<Uint8Array, void> {
  const { Decompress } = await import('fzstd');
  const { feed } = input;
  const unpacked: Uint8Array[] = [];
  const decoder = new Decompress((piece) => unpacked.push(piece));
  let length = 0;
  const push = function* ({ bytes, offset, problem }: Piece, isLast = false): Generator<Uint8Array, void> {
    try {
      decoder.push(Uint8Array.from(bytes), isLast); // it keeps the first bytes until there are enough of them
    } catch {
      throw feed.error(problem, offset);
    }
    for (const piece of unpacked.splice(0)) {
      length += piece.length;
      yield piece;
    }
  };
  yield* push({ bytes: header.bytes, offset: header.start, problem: DAMAGED_HEADER });
  for await (const piece of runSteps(takePieces(feed, header), input)) yield* push(piece);
  yield* push({ bytes: new Uint8Array(), offset: feed.offset, problem: DAMAGED_BLOCK }, true);
  if (length !== (header.contentSize ?? length)) throw feed.error(OTHER_LENGTH);
}

async function* decodeByZlib(
  header: FrameHeader,
  input: ByteInput,
  transform: Transform,
): AsyncGenerator<Uint8Array, void> {
  const { feed } = input;
  let latest: Piece = { bytes: header.bytes, offset: header.start, problem: DAMAGED_HEADER };
  const failures: unknown[] = [];
  const pieces = async function* (): AsyncGenerator<Uint8Array, void> {
    yield latest.bytes;
    try {
      for await (const piece of runSteps(takePieces(feed, header), input)) {
        if (transform.errored !== null) return;
        latest = piece;
        yield piece.bytes;
      }
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  let length = 0;
  try {
    for await (const piece of throughZlib(transform, pieces())) {
      length += piece.length;
      yield piece;
    }
  } catch {
    throw failures.length > 0 ? failures[0] : feed.error(latest.problem, latest.offset);
  }
  if (length !== (header.contentSize ?? length)) throw feed.error(OTHER_LENGTH);
}

/** The blocks of a frame, some at a time, and its checksum. */
function* takePieces(feed: ByteFeed, header: FrameHeader): Steps<Piece> {
  const maxBlock = maxBlockOf(header);
  for (let isLast = false; !isLast;) {
    let length = 0;
    let unpacked = 0;
    do {
      yield* feed.need(length + BLOCK_HEADER_SIZE);
      const block = peekBlockHeader(feed, maxBlock, length);
      length += BLOCK_HEADER_SIZE + block.length;
      unpacked += block.kind === 'compressed' ? maxBlock : block.size;
      yield* feed.need(length);
      const content = feed.bytes.subarray(feed.index + length - block.length, feed.index + length);
      if (block.kind === 'compressed' && hasEndlessWeights(content)) throw feed.error(DAMAGED_BLOCK);
      isLast = block.isLast;
    } while (!isLast && length < MAX_PIECE && unpacked < MAX_PIECE_UNPACKED);
    const { offset } = feed;
    yield { bytes: feed.take(length), offset, problem: DAMAGED_BLOCK };
  }
  if (!header.hasChecksum) return;
  yield* feed.need(CHECKSUM_SIZE);
  const { offset } = feed;
  yield { bytes: feed.take(CHECKSUM_SIZE), offset, problem: 'does not match its checksum' };
}
