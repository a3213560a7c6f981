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

// XXH64 with seed 0, of which zstandard keeps the lower half (RFC 8878, section 3.1.1). What is done for every byte works on
// halves of 32 bits, as bigints take many times as long.

/** Computes the checksum of data that comes in pieces. */
interface Xxh64 {
  update(piece: Uint8Array): void;
  /** The lower 32 bits; nothing more is added then. */
  digest(): number;
}

const LANES = 4;
const LANE_SIZE = 8;
const STRIPE = LANES * LANE_SIZE;

const PRIME1 = 0x9e3779b1_85ebca87n;
const PRIME2 = 0xc2b2ae3d_27d4eb4fn;
const PRIME3 = 0x165667b1_9e3779f9n;
const PRIME4 = 0x85ebca77_c2b2ae63n;
const PRIME5 = 0x27d4eb2f_165667c5n;
const [PRIME1_LOW, PRIME1_HIGH] = halves(PRIME1);
const [PRIME2_LOW, PRIME2_HIGH] = halves(PRIME2);

export function startXxh64(): Xxh64 {
  const lanes = Int32Array.from([PRIME1 + PRIME2, PRIME2, 0n, -PRIME1].flatMap(halves));
  const rest = new Uint8Array(STRIPE);
  let length = 0;
  return {
    update: (piece) => {
      const buffered = length % STRIPE;
      const taken = buffered === 0 ? 0 : Math.min(STRIPE - buffered, piece.length);
      length += piece.length;
      rest.set(piece.subarray(0, taken), buffered);
      if (buffered + taken === STRIPE) addStripes(lanes, rest);
      if (buffered + taken < STRIPE && buffered > 0) return;
      const end = piece.length - ((piece.length - taken) % STRIPE);
      addStripes(lanes, piece.subarray(taken, end));
      rest.set(piece.subarray(end));
    },
    digest: () => Number(BigInt.asUintN(32, finish(lanes, rest, length))),
  };
}

/** Whole stripes, lane by lane: an accumulator of two halves for each eighth byte. */
function addStripes(lanes: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let lane = 0; lane < LANES; lane++) {
    let low = lanes[2 * lane]!;
    let high = lanes[2 * lane + 1]!;
    for (let at = lane * LANE_SIZE; at < bytes.length; at += STRIPE) {
      const inputLow = view.getInt32(at, true);
      const inputHigh = view.getInt32(at + 4, true);
      const addedLow = Math.imul(inputLow, PRIME2_LOW);
      const addedHigh =
        upperProduct(inputLow, PRIME2_LOW) +
        Math.imul(inputHigh, PRIME2_LOW) +
        Math.imul(inputLow, PRIME2_HIGH);
      const sumLow = (low + addedLow) | 0;
      const carry = sumLow >>> 0 < low >>> 0 ? 1 : 0;
      const sumHigh = (high + addedHigh + carry) | 0;
      const turnedLow = (sumLow << 31) | (sumHigh >>> 1);
      const turnedHigh = (sumHigh << 31) | (sumLow >>> 1);
      low = Math.imul(turnedLow, PRIME1_LOW);
      high =
        (upperProduct(turnedLow, PRIME1_LOW) +
          Math.imul(turnedHigh, PRIME1_LOW) +
          Math.imul(turnedLow, PRIME1_HIGH)) |
        0;
    }
    lanes[2 * lane] = low;
    lanes[2 * lane + 1] = high;
  }
}

/** Bits 32 to 63 of the product of two unsigned numbers of 32 bits. */
function upperProduct(a: number, b: number): number {
  const mixed = Math.imul(a & 0xffff, b >>> 16);
  const otherMixed = Math.imul(a >>> 16, b & 0xffff);
  const carries = (Math.imul(a & 0xffff, b & 0xffff) >>> 16) + (mixed & 0xffff) + (otherMixed & 0xffff);
  return (Math.imul(a >>> 16, b >>> 16) + (mixed >>> 16) + (otherMixed >>> 16) + (carries >>> 16)) | 0;
}

function finish(lanes: Int32Array, rest: Uint8Array, length: number): bigint {
  const accumulators = Array.from({ length: LANES }, (_, lane) =>
    joined(lanes[2 * lane]!, lanes[2 * lane + 1]!),
  );
  let hash = length < STRIPE ? PRIME5 : merged(accumulators);
  hash += BigInt(length);
  const view = new DataView(rest.buffer, rest.byteOffset, length % STRIPE);
  let at = 0;
  for (; at + 8 <= view.byteLength; at += 8) {
    hash = rotated(hash ^ round(view.getBigUint64(at, true)), 27n) * PRIME1 + PRIME4;
  }
  if (at + 4 <= view.byteLength) {
    hash = rotated(hash ^ wrapped(BigInt(view.getUint32(at, true)) * PRIME1), 23n) * PRIME2 + PRIME3;
    at += 4;
  }
  for (; at < view.byteLength; at++) {
    hash = rotated(hash ^ wrapped(BigInt(view.getUint8(at)) * PRIME5), 11n) * PRIME1;
  }
  hash = wrapped(hash);
  hash = wrapped((hash ^ (hash >> 33n)) * PRIME2);
  hash = wrapped((hash ^ (hash >> 29n)) * PRIME3);
  return hash ^ (hash >> 32n);
}

function merged(accumulators: readonly bigint[]): bigint {
  const turns = [1n, 7n, 12n, 18n];
  const start = accumulators.reduce((sum, lane, index) => sum + rotated(lane, turns[index] ?? 0n), 0n);
  return accumulators.reduce((hash, lane) => (wrapped(hash) ^ round(lane)) * PRIME1 + PRIME4, start);
}

function round(input: bigint): bigint {
  return wrapped(rotated(input * PRIME2, 31n) * PRIME1);
}

function rotated(value: bigint, count: bigint): bigint {
  const bits = wrapped(value);
  return wrapped(bits << count) | (bits >> (64n - count));
}

function wrapped(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function halves(value: bigint): [low: number, high: number] {
  return [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))];
}

function joined(low: number, high: number): bigint {
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
