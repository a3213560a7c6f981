/**
 * Decodes the frames of zstandard data, and checks their lengths and checksums (RFC 8878, section 3.1.1). This folder is
 * for Node before 22.15, whose zlib does not decode zstandard: delete it when Node 20 is no longer supported.
 */

import { type ByteFeed, runSteps, type Steps } from '../../byteFeed.ts';
import {
  BLOCK_HEADER_SIZE,
  type BlockHeader,
  CHECKSUM_SIZE,
  type FrameDecoder,
  type FrameHeader,
  maxBlockOf,
  OTHER_CHECKSUM,
  OTHER_LENGTH,
  peekBlockHeader,
} from '../headers.ts';
import { BlockReader } from './blockReader.ts';
import { createLiteralsDecoder, type Literals, readLiterals } from './literals.ts';
import { createSequencesDecoder, readSequences, resetSequences, type Sequences } from './sequences.ts';
import { startXxh64 } from './xxh64.ts';

export const decodeFrames: FrameDecoder = (input) => {
  const decoder = new BlockDecoder(input.feed);
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

/** Decodes the blocks of one frame after the other (RFC 8878, section 3.1.1.2); its memory serves for all of them. */
class BlockDecoder {
  readonly feed: ByteFeed;
  readonly reader: BlockReader;
  readonly literals = createLiteralsDecoder();
  readonly sequences = createSequencesDecoder();
  readonly window = createWindow();

  constructor(feed: ByteFeed) {
    this.feed = feed;
    this.reader = new BlockReader(feed);
  }
}

/** The content of a frame, whose blocks are the next bytes; a piece is good until the next step. */
function* decodeBlocks(decoder: BlockDecoder, header: FrameHeader): Steps<Uint8Array> {
  const { feed, window } = decoder;
  const maxBlock = maxBlockOf(header);
  resetWindow(window, header.windowSize, maxBlock);
  resetSequences(decoder.sequences);
  decoder.literals.huffman = undefined;
  for (let isLast = false; !isLast;) {
    yield* feed.need(BLOCK_HEADER_SIZE);
    const block = peekBlockHeader(feed, maxBlock);
    yield* feed.need(BLOCK_HEADER_SIZE + block.length);
    feed.take(BLOCK_HEADER_SIZE);
    makeRoom(window);
    const length = decodeBlock(decoder, block);
    if (length > 0) yield advance(window, length);
    isLast = block.isLast;
  }
}

/** Puts the content of a block at the head of the window and returns its length. */
function decodeBlock(decoder: BlockDecoder, { kind, size }: BlockHeader): number {
  const { feed, window } = decoder;
  if (kind === 'compressed') return decodeCompressed(decoder, size);
  if (kind === 'raw') window.ring.set(feed.take(size), window.head);
  else window.ring.fill(feed.uint8(), window.head, window.head + size);
  return size;
}

function decodeCompressed({ feed, reader, literals, sequences, window }: BlockDecoder, size: number): number {
  const start = feed.offset;
  reader.load(size);
  const bytes = readLiterals(reader, literals, window.maxBlock);
  const length = execute(window, bytes, readSequences(reader, sequences, window.maxBlock));
  if (length === undefined) throw feed.error('has sequences that do not fit', start);
  return length;
}

interface Window {
  ring: Uint8Array<ArrayBuffer>;
  /** The same memory. */
  view: DataView;
  /** Where the next byte goes. */
  head: number;
  /** Where the ring was left at its end to go round. */
  turn: number;
  /** Bytes of the frame so far. */
  length: number;
  /** How far back a match may reach. */
  size: number;
  /** Bytes of a block, at most. */
  maxBlock: number;
}

const FIRST_SIZE = 128 * 1024;
/** What was outgrown stays in memory until it is collected: a large step leaves little behind. */
const GROWTH = 8;

/** Short copies are of whole words, which may end so far behind. */
const WORD = 4;
const SLACK = WORD - 1;
/** Above this length, a native copy is faster. */
const LONG_COPY = 80;

/**
 * What was decoded last, which matches refer to, as a ring: a block never goes round its end. The ring grows as it
 * fills, so that memory follows the content where that is smaller than the window which a frame declares.
 */
function createWindow(): Window {
  const ring = new Uint8Array(0);
  return { ring, view: new DataView(ring.buffer), head: 0, turn: 0, length: 0, size: 0, maxBlock: 0 };
}

/** For a new frame. */
function resetWindow(window: Window, size: number, maxBlock: number): void {
  Object.assign(window, { head: 0, turn: 0, length: 0, size, maxBlock });
}

/** Makes room for a block at `head`. */
function makeRoom(window: Window): void {
  const { ring, head, size, maxBlock } = window;
  if (head + maxBlock + SLACK <= ring.length) return;
  // A block overwrites at most what is two blocks and the window back, seen from its end.
  const enough = size + 2 * (maxBlock + SLACK);
  if (ring.length < enough) {
    const grown = new Uint8Array(
      Math.min(Math.max(ring.length * GROWTH, FIRST_SIZE, head + maxBlock + SLACK), enough),
    );
    grown.set(ring.subarray(0, head));
    window.ring = grown;
    window.view = new DataView(grown.buffer);
    return;
  }
  window.turn = head;
  window.head = 0;
}

/** Says that so many bytes were put at `head`; a view of them that is good until more are. */
function advance(window: Window, length: number): Uint8Array {
  const start = window.head;
  window.head += length;
  window.length += length;
  return window.ring.subarray(start, window.head);
}

/**
 * Puts the content of a compressed block at `head`.
 *
 * @returns its length, undefined where the sequences are not valid
 */
function execute(window: Window, literals: Literals, sequences: Sequences): number | undefined {
  const { ring, view, head: start, size, maxBlock } = window;
  const { bytes, view: literalView, end: literalsEnd } = literals;
  const { count, literalLengths, matchLengths, offsets } = sequences;
  const end = start + maxBlock;
  const before = window.length - start;
  let head = start;
  let literal = literals.start;
  for (let index = 0; index < count; index++) {
    const match = head + literalLengths[index]!;
    const next = match + matchLengths[index]!;
    const offset = offsets[index]!;
    const literalEnd = literal + match - head;
    if (next > end || literalEnd > literalsEnd) return undefined;
    if (offset === 0 || offset > size || offset > before + match) return undefined;

    if (match - head > LONG_COPY) ring.set(bytes.subarray(literal, literalEnd), head);
    else {
      for (let to = head, from = literal; to < match; to += WORD, from += WORD) {
        view.setInt32(to, literalView.getInt32(from, true), true);
      }
    }
    literal = literalEnd;

    if (offset > match) copyAround(window, match, next, offset);
    else if (next - match > LONG_COPY) copyLong(ring, match, next, offset);
    else if (offset < WORD) {
      for (let to = match, from = match - offset; to < next; to++, from++) ring[to] = ring[from]!;
    } else {
      for (let to = match, from = match - offset; to < next; to += WORD, from += WORD) {
        view.setInt32(to, view.getInt32(from, true), true);
      }
    }
    head = next;
  }
  const length = head - start + literalsEnd - literal;
  if (length > maxBlock) return undefined;
  ring.set(bytes.subarray(literal, literalsEnd), head);
  return length;
}

/** Puts at `start` to `end` what is `offset` bytes before. */
function copyLong(ring: Uint8Array, start: number, end: number, offset: number): void {
  if (offset === 1) {
    ring.fill(ring[start - 1]!, start, end);
    return;
  }
  // What overlaps repeats itself: each round copies as much as is there already.
  for (let to = start; to < end;) {
    const length = Math.min(end - to, to - start + offset);
    ring.copyWithin(to, start - offset, start - offset + length);
    to += length;
  }
}

/** A match that starts before the ring went round. */
function copyAround({ ring, turn }: Window, start: number, end: number, offset: number): void {
  let from = turn + start - offset;
  for (let to = start; to < end; to++) {
    if (from === turn) from = 0;
    ring[to] = ring[from++]!;
  }
}
