/**
 * Encodes .xz streams that the kernel's decoder reads too: LZMA2 with a dictionary as small as the data allows.
 * Deterministic. Left out: sizes in block headers, compression levels, checks that no one here writes.
 */

import * as container from './container.ts';
import { checkBytes, crc32Bytes } from './container.ts';
import {
  createLzmaEncoder,
  distanceSlot,
  encodeLiteral,
  encodeMatch,
  encodeRep,
  endRangeEncoder,
  literalBase,
  type LzmaEncoder,
  PROPERTIES,
  RANGE_CODER_TAIL,
  resetLzmaEncoder,
  startRangeEncoder,
} from './lzmaEncoder.ts';
import * as lzma from './lzmaModel.ts';
import {
  createMatchFinder,
  findMatches,
  type MatchFinder,
  matchLength,
  skipPositions,
} from './matchFinder.ts';

/**
 * One stream with a block for each of `blocks`, which are compressed independently of each other (xz file format
 * 1.2.1). The kernel's decoder knows CRC32 and not CRC64.
 */
export function encodeXz(blocks: readonly Uint8Array[], check: 'crc32' | 'crc64'): Uint8Array {
  const flags = container.streamFlags(check);
  const pieces = [container.STREAM_MAGIC, flags, crc32Bytes(flags)];
  const records: container.BlockRecord[] = [];
  for (const data of blocks) {
    const header = blockHeader(data.length);
    const compressed = encodeLzma2Block(data);
    const checksum = checkBytes(check, data);
    pieces.push(header, compressed, new Uint8Array(container.paddingOf(compressed.length)), checksum);
    records.push({
      unpaddedSize: header.length + compressed.length + checksum.length,
      uncompressedSize: data.length,
    });
  }
  const index = indexOf(records);
  const footer = container.footerContent(check, index.length);
  return Buffer.concat([...pieces, index, crc32Bytes(footer), footer, container.FOOTER_MAGIC]);
}

/** Section 3.1: size of the header, no flags, the one filter with its property, padding. */
function blockHeader(dataLength: number): Uint8Array {
  const code = container.dictionaryCode(dataLength);
  const content = Uint8Array.of(2, 0, container.LZMA2_FILTER, 1, code, 0, 0, 0);
  return Buffer.concat([content, crc32Bytes(content)]);
}

/** Section 4. */
function indexOf(records: readonly container.BlockRecord[]): Uint8Array {
  const sizes = records.flatMap((record) => [record.unpaddedSize, record.uncompressedSize]);
  const fields = Uint8Array.from([0, ...[records.length, ...sizes].flatMap(varint)]);
  const content = Buffer.concat([fields, new Uint8Array(container.paddingOf(fields.length))]);
  return Buffer.concat([content, crc32Bytes(content)]);
}

/** Section 1.2: seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
}

/** More bytes than one symbol can take. */
const MAX_SYMBOL = 32;

/** The chunks of one block, up to their end mark. The dictionary has to be as large as the data. */
function encodeLzma2Block(data: Uint8Array): Uint8Array {
  const encoder = createLzmaEncoder(data);
  const parser: LzmaParser = { finder: createMatchFinder(data), position: -1, length: 0, distance: 0 };
  const pieces: Uint8Array[] = [];
  let control = lzma.DICTIONARY_RESET;
  for (let start = 0; start < data.length;) {
    const end = encodeSymbols(parser, encoder, start);
    const compressed = endRangeEncoder(encoder);
    if (compressed.length < end - start) {
      pieces.push(codedHeader(control, end - start, compressed.length), compressed.slice());
      control = lzma.CODED;
    } else {
      pieces.push(storedHeader(control, end - start), data.subarray(start, end));
      resetLzmaEncoder(encoder);
      control = control >= lzma.NEW_PROPERTIES ? lzma.NEW_PROPERTIES : lzma.STATE_RESET;
    }
    start = end;
  }
  return Buffer.concat([...pieces, Uint8Array.of(lzma.END)]);
}

/** Encodes as much as fits into one chunk and returns where that ends. */
function encodeSymbols(parser: LzmaParser, encoder: LzmaEncoder, start: number): number {
  const lastStart = Math.min(encoder.data.length, start + lzma.MAX_UNCOMPRESSED - lzma.MAX_MATCH + 1);
  const room = lzma.MAX_COMPRESSED - MAX_SYMBOL - RANGE_CODER_TAIL;
  startRangeEncoder(encoder);
  let position = start;
  while (position < lastStart && encoder.position <= room) {
    position += encodeNextSymbol(parser, encoder, position);
  }
  return position;
}

function codedHeader(control: number, uncompressedSize: number, compressedSize: number): Uint8Array {
  const size = uncompressedSize - 1;
  const header = [control | (size >> 16), size >> 8, size, (compressedSize - 1) >> 8, compressedSize - 1];
  return Uint8Array.from(
    control >= lzma.NEW_PROPERTIES ? [...header, lzma.formatProperties(PROPERTIES)] : header,
  );
}

function storedHeader(control: number, size: number): Uint8Array {
  const kind = control === lzma.DICTIONARY_RESET ? lzma.STORED_AFTER_RESET : lzma.STORED;
  return Uint8Array.of(kind, (size - 1) >> 8, size - 1);
}

/**
 * Chooses what the encoder writes next: a literal, a match or a repeated match. Lazy matching: a match gives way to a
 * literal when a better one starts a byte later. Short matches have to be cheaper than their literals. No optimal
 * parse, which would save another few percent for several times the work.
 */
interface LzmaParser {
  readonly finder: MatchFinder;
  /** Where a match was last looked for; `length` and `distance` are what was found there, `length` 0 for nothing. */
  position: number;
  length: number;
  distance: number;
}

/** Matches of this length are taken at once. */
const GOOD_LENGTH = 128;
/** Longer matches are always cheaper than their literals. */
const LONGEST_PRICED = 4;
/** Two bytes from farther away are always dearer; there are many of those, so it is worth a rule. */
const FARTHEST_OF_TWO = 128;

interface Rep {
  readonly length: number;
  /** Which of the last four distances. */
  readonly index: number;
}

/** Encodes the next symbol and returns the number of bytes it covers. */
function encodeNextSymbol(parser: LzmaParser, encoder: LzmaEncoder, position: number): number {
  const maxLength = Math.min(lzma.MAX_MATCH, encoder.data.length - position);
  findBestMatch(parser, encoder, position);
  const { length, distance } = parser;
  const rep = longestRep(encoder, position, maxLength);
  if (rep.length >= lzma.MIN_MATCH && isRepBetter(rep.length, length, distance)) {
    encodeRep(encoder, rep.length, rep.index);
    skipPositions(parser.finder, position + 1, position + rep.length);
    return rep.length;
  }
  if (length < lzma.MIN_MATCH || startsBetterLater(parser, encoder, position)) {
    encodeByte(encoder, position);
    return 1;
  }
  encodeMatch(encoder, length, distance);
  skipPositions(parser.finder, Math.max(parser.position, position) + 1, position + length);
  return length;
}

/** One byte: a repeated match of one byte where there is one, as it is mostly cheaper. */
function encodeByte(encoder: LzmaEncoder, position: number): void {
  const distance = encoder.reps[0]!;
  if (distance <= position && encoder.data[position - distance] === encoder.data[position]) {
    encodeRep(encoder, 1, 0);
  } else {
    encodeLiteral(encoder, position);
  }
}

/** Looks for a match at `position`, unless that was done when the byte before was looked at. */
function findBestMatch(parser: LzmaParser, encoder: LzmaEncoder, position: number): void {
  if (parser.position === position) return;
  const { finder } = parser;
  const maxLength = Math.min(lzma.MAX_MATCH, encoder.data.length - position);
  let last = findMatches(finder, position, maxLength) - 1;
  while (last > 0 && isOneByteDear(finder, last)) last--;
  parser.position = position;
  parser.length = last < 0 ? 0 : finder.lengths[last]!;
  parser.distance = last < 0 ? 0 : finder.distances[last]!;
  if (parser.length >= lzma.MIN_MATCH && !paysOff(encoder, parser)) parser.length = 0;
}

/** Whether the match is only a byte longer than the one before it, but much farther away. */
function isOneByteDear({ lengths, distances }: MatchFinder, index: number): boolean {
  return lengths[index - 1]! + 1 === lengths[index] && distances[index]! >> 6 > distances[index - 1]!;
}

function paysOff(encoder: LzmaEncoder, { position, length, distance }: LzmaParser): boolean {
  if (length > LONGEST_PRICED) return true;
  if (length === lzma.MIN_MATCH && distance > FARTHEST_OF_TWO) return false;
  return matchPrice(encoder, length, distance) < literalsPrice(encoder, position, length);
}

function longestRep(encoder: LzmaEncoder, position: number, maxLength: number): Rep {
  const { data, reps } = encoder;
  let length = 0;
  let index = 0;
  for (let candidate = 0; candidate < reps.length; candidate++) {
    const distance = reps[candidate]!;
    if (distance > position) continue;
    const found = matchLength(data, position - distance, position, maxLength);
    if (found > length) {
      length = found;
      index = candidate;
    }
  }
  return { length, index };
}

/** A repeated match saves its distance, so it may be shorter, the more so the farther away the match is. */
function isRepBetter(repLength: number, length: number, distance: number): boolean {
  const allowance = distance >= 1 << 15 ? 3 : distance >= 1 << 9 ? 2 : 1;
  return repLength >= GOOD_LENGTH || repLength + allowance >= length;
}

/** Whether to put the match at `position` off for what starts at the next byte. Leaves that in the parser. */
function startsBetterLater(parser: LzmaParser, encoder: LzmaEncoder, position: number): boolean {
  const { length, distance } = parser;
  const maxLength = Math.min(lzma.MAX_MATCH, encoder.data.length - position - 1);
  if (length >= GOOD_LENGTH || length > maxLength) return false;
  findBestMatch(parser, encoder, position + 1);
  return (
    isLaterBetter(parser, length, distance) ||
    longestRep(encoder, position + 1, maxLength).length >= Math.max(lzma.MIN_MATCH, length - 1)
  );
}

function isLaterBetter(later: LzmaParser, length: number, distance: number): boolean {
  if (later.length < lzma.MIN_MATCH) return false;
  if (later.length > length + 1) return true;
  if (later.length === length + 1) return later.distance >> 4 <= distance;
  if (later.length === length) return later.distance < distance;
  return later.length === length - 1 && length > lzma.MIN_MATCH && distance >> 7 > later.distance;
}

/** The price of a bit that is as likely 0 as 1. */
const EVEN_BIT = 16;

/** Prices of a bit by its probability, of which the lowest four bits do not matter. */
const BIT_PRICES = new Uint8Array(lzma.PROBABILITY_ONE >> 4);
for (const index of BIT_PRICES.keys()) {
  BIT_PRICES[index] = Math.round(-Math.log2((index * 16 + 8) / lzma.PROBABILITY_ONE) * EVEN_BIT);
}

/** The price of `length` literals from `position` on, roughly: as if none of them followed a match. */
function literalsPrice(encoder: LzmaEncoder, position: number, length: number): number {
  const { data, model } = encoder;
  let price = 0;
  let { state } = encoder;
  for (let index = position; index < position + length; index++) {
    price += bitPrice(model, lzma.IS_MATCH + (state << 4), 0);
    price += treePrice(model, literalBase(encoder, index), data[index]!, 8);
    state = lzma.stateAfterLiteral(state);
  }
  return price;
}

/**
 * The price of a match at a new distance, roughly: the low bits of the distance count in full.
 * @param length nine bytes at most, which have the shortest code; longer ones pay off at any price
 */
function matchPrice(encoder: LzmaEncoder, length: number, distance: number): number {
  const { model, state } = encoder;
  const lengthState = Math.min(length - lzma.MIN_MATCH, 3);
  const slot = distanceSlot(distance - 1);
  return (
    bitPrice(model, lzma.IS_MATCH + (state << 4), 1) +
    bitPrice(model, lzma.IS_REP + state, 0) +
    lengthPrice(model, lzma.MATCH_LENGTH, length) +
    treePrice(model, lzma.DISTANCE_SLOT + (lengthState << 6), slot, 6) +
    (slot < 4 ? 0 : ((slot >> 1) - 1) * EVEN_BIT)
  );
}

/** Of a length that has the shortest code. */
function lengthPrice(model: Uint16Array, base: number, length: number): number {
  const symbol = length - lzma.MIN_MATCH;
  return bitPrice(model, base + lzma.LENGTH_CHOICE, 0) + treePrice(model, base + lzma.LENGTH_LOW, symbol, 3);
}

function treePrice(model: Uint16Array, base: number, symbol: number, bits: number): number {
  let price = 0;
  let node = symbol | (1 << bits);
  do {
    price += bitPrice(model, base + (node >> 1), node & 1);
    node >>= 1;
  } while (node > 1);
  return price;
}

function bitPrice(model: Uint16Array, index: number, bit: number): number {
  const probability = model[index]!;
  return BIT_PRICES[(bit === 0 ? probability : lzma.PROBABILITY_ONE - probability) >> 4]!;
}
