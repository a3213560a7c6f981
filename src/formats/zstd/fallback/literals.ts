/**
 * The literals of a compressed block (RFC 8878, section 3.1.1.3.1): the bytes that its sequences do not copy, raw or as
 * streams of Huffman codes.
 */

import { type BlockReader, MARGIN } from './blockReader.ts';
import { buildFseTable, type FseTable, readDistribution } from './fse.ts';

/** From `start` to `end` of `bytes`, behind which a word may be read without harm. */
export interface Literals {
  readonly bytes: Uint8Array;
  /** The same memory. */
  readonly view: DataView;
  readonly start: number;
  readonly end: number;
}

export interface LiteralsDecoder {
  /** The latest table of the frame. */
  huffman: HuffmanTable | undefined;
  /** Memory for decoded literals. */
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
}

/** Kinds of literals, in two bits. */
const RAW = 0;
const REPEATED = 1;
const WITH_TABLE = 2;

const WHAT = 'its literals';

export function createLiteralsDecoder(): LiteralsDecoder {
  const bytes = new Uint8Array(0);
  return { huffman: undefined, bytes, view: new DataView(bytes.buffer) };
}

/** The literals of the block, which are good until the next block; `maxSize` in bytes. */
export function readLiterals(reader: BlockReader, decoder: LiteralsDecoder, maxSize: number): Literals {
  const start = reader.index;
  const first = reader.uint(1, WHAT);
  const kind = first & 3;
  const format = (first >> 2) & 3;
  reader.index = start;
  const isPacked = kind !== RAW && kind !== REPEATED;
  const { size, packedSize } = isPacked ? readSizes(reader, format) : readSize(reader, format);
  if (size > maxSize) throw reader.error('has more literals than a block can contain', start);
  if (kind === RAW) {
    const at = reader.skip(size, WHAT);
    return { bytes: reader.bytes, view: reader.view, start: at, end: at + size };
  }
  const literals = roomFor(decoder, size);
  const output = literals.bytes.subarray(0, size);
  if (kind === REPEATED) {
    output.fill(reader.uint(1, WHAT));
    return literals;
  }
  reader.within(packedSize, WHAT, () => {
    if (kind === WITH_TABLE) decoder.huffman = readHuffmanTable(reader);
    if (decoder.huffman === undefined) throw reader.error('has literals without Huffman table', start);
    if (format === 0) decodeOneStream(reader, decoder.huffman, output);
    else decodeFourStreams(reader, decoder.huffman, output);
  });
  return literals;
}

interface Sizes {
  readonly size: number;
  readonly packedSize: number;
}

/** Size of literals that are not compressed. */
function readSize(reader: BlockReader, format: number): Sizes {
  const bytes = [1, 2, 1, 3][format]!;
  const size = reader.uint(bytes, WHAT) >> (bytes === 1 ? 3 : 4);
  return { size, packedSize: size };
}

/** Sizes of compressed literals: two numbers of 10, 14 or 18 bits behind the four bits of kind and format. */
function readSizes(reader: BlockReader, format: number): Sizes {
  const width = [10, 10, 14, 18][format]!;
  const low = reader.uint(3, WHAT);
  const high = reader.uint([0, 0, 1, 2][format]!, WHAT);
  const bits = low + high * 2 ** 24;
  const mask = 2 ** width;
  return { size: Math.floor(bits / 16) % mask, packedSize: Math.floor(bits / 16 / mask) };
}

function roomFor(decoder: LiteralsDecoder, size: number): Literals {
  if (decoder.bytes.length < size + MARGIN) {
    decoder.bytes = new Uint8Array(Math.max(size + MARGIN, 2 * decoder.bytes.length));
    decoder.view = new DataView(decoder.bytes.buffer);
  }
  return { bytes: decoder.bytes, view: decoder.view, start: 0, end: size };
}

// Huffman tables of literals (RFC 8878, section 4.2.1).

/** By the next `log` bits: the symbol in the bits from 8 on, below the number of bits of its code. */
interface HuffmanTable {
  readonly log: number;
  readonly entries: Uint16Array;
}

/** One bit more than the RFC has, as zstd reads it. */
const MAX_CODE_LENGTH = 12;

/** From this value on, the first byte is the number of uncompressed weights. */
const DIRECT_WEIGHTS = 128;
const MAX_WEIGHTS = 255;
const WEIGHTS = { name: 'Huffman weights', maxLog: 6, maxSymbol: 255 };
const DAMAGED = 'has a damaged Huffman table';

/** Reads the description of a table. */
function readHuffmanTable(reader: BlockReader): HuffmanTable {
  const start = reader.index;
  const header = reader.uint(1, 'a Huffman table');
  const weights =
    header >= DIRECT_WEIGHTS ? directWeights(reader, header - 127) : packedWeights(reader, header);
  let total = 0;
  for (const weight of weights) {
    if (weight > MAX_CODE_LENGTH) throw reader.error(DAMAGED, start);
    total += (1 << weight) >> 1;
  }
  // The weight of the last symbol is what is missing to a power of two.
  const log = 32 - Math.clz32(total);
  const rest = (1 << log) - total;
  if (total === 0 || log > MAX_CODE_LENGTH || (rest & (rest - 1)) !== 0) throw reader.error(DAMAGED, start);
  weights.push(32 - Math.clz32(rest));
  if (weights.filter((weight) => weight === 1).length < 2) throw reader.error(DAMAGED, start);
  return buildTable(weights, log);
}

/** Two in a byte, the first one in the upper half. */
function directWeights(reader: BlockReader, count: number): number[] {
  const start = reader.skip((count + 1) >> 1, 'a Huffman table');
  return Array.from({ length: count }, (_, index) => {
    const pair = reader.bytes[start + (index >> 1)]!;
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
}

function packedWeights(reader: BlockReader, size: number): number[] {
  return reader.within(size, 'a Huffman table', () =>
    readWeights(reader, buildFseTable(readDistribution(reader, WEIGHTS))),
  );
}

/** Two states take turns, until there are not enough bits for the next state of one of them. */
function readWeights(reader: BlockReader, { log, entries }: FseTable): number[] {
  const start = reader.index;
  const first = start * 8;
  let bit = reader.lastBit(start, reader.end);
  const take = (count: number): number => {
    bit -= count;
    return (reader.view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << count) - 1);
  };
  const weights: number[] = [];
  let state = take(log);
  let other = take(log);
  if (bit < first) throw reader.error(DAMAGED, start);
  while (weights.length < MAX_WEIGHTS - 1) {
    const entry = entries[state]!;
    weights.push(entry >>> 16);
    const next = (entry & 0xfff) + take((entry >>> 12) & 15);
    if (bit < first) {
      weights.push(entries[other]! >>> 16);
      return weights;
    }
    state = other;
    other = next;
  }
  throw reader.error(DAMAGED, start);
}

/** Longer codes come first, those of the same length in the order of their symbols. */
function buildTable(weights: readonly number[], log: number): HuffmanTable {
  const entries = new Uint16Array(1 << log);
  let start = 0;
  for (let weight = 1; weight <= log; weight++) {
    const span = 1 << (weight - 1);
    for (let symbol = weights.indexOf(weight); symbol >= 0; symbol = weights.indexOf(weight, symbol + 1)) {
      entries.fill((symbol << 8) | (log + 1 - weight), start, start + span);
      start += span;
    }
  }
  return { log, entries };
}

// Literals out of streams of Huffman codes (RFC 8878, section 4.2.2).

/** A stretch of output and the bits it is made of, from the last to the first. */
interface Stream {
  /** Number of the bit above the next one. */
  bit: number;
  /** Number of the last bit. */
  readonly last: number;
  /** Where the next literal goes. */
  index: number;
  readonly end: number;
}

/** At most two codes, which fit into any four bytes at any bit position. */
const TWO_CODES = 2 * MAX_CODE_LENGTH;
/** Fewer literals are not split. */
const MIN_SPLIT = 6;
const SIZES = 'the sizes of literals';

/** The rest of `reader` up to `end` as one stream that fills `output`. */
function decodeOneStream(reader: BlockReader, table: HuffmanTable, output: Uint8Array): void {
  decodeRest(reader, table, output, openStream(reader, reader.left, 0, output.length));
}

/** The same in four streams, each with a fourth of the output. Their sizes come first, but for the last. */
function decodeFourStreams(reader: BlockReader, table: HuffmanTable, output: Uint8Array): void {
  const quarter = (output.length + 3) >> 2;
  if (output.length < MIN_SPLIT) throw reader.error('has too few literals for four streams');
  const sizes = [reader.uint(2, SIZES), reader.uint(2, SIZES), reader.uint(2, SIZES)];
  const streams = sizes.map((size, index) =>
    openStream(reader, size, index * quarter, (index + 1) * quarter),
  );
  streams.push(openStream(reader, reader.left, 3 * quarter, output.length));
  decodeTogether(reader.view, table, output, streams);
  for (const stream of streams) decodeRest(reader, table, output, stream);
}

function openStream(reader: BlockReader, size: number, index: number, end: number): Stream {
  const start = reader.skip(size, 'its literals');
  return { bit: reader.lastBit(start, start + size), last: start * 8, index, end };
}

/** All of four streams but their ends: a processor works on the four at a time, as none waits for another. */
function decodeTogether(
  view: DataView,
  { log, entries }: HuffmanTable,
  output: Uint8Array,
  streams: readonly Stream[],
): void {
  const [one, two, three, four] = streams;
  if (one === undefined || two === undefined || three === undefined || four === undefined) return;
  const quarter = one.end;
  const shift = TWO_CODES - log;
  const mask = (1 << log) - 1;
  const indexEnd = four.end - four.index - 1;
  let [bit1, bit2, bit3, bit4] = [one.bit, two.bit, three.bit, four.bit];
  const [last1, last2, last3, last4] = [
    one.last + TWO_CODES,
    two.last + TWO_CODES,
    three.last + TWO_CODES,
    four.last + TWO_CODES,
  ];
  let index = 0;
  for (; index < indexEnd; index += 2) {
    if (((bit1 - last1) | (bit2 - last2) | (bit3 - last3) | (bit4 - last4)) < 0) break;
    const from1 = bit1 - TWO_CODES;
    const from2 = bit2 - TWO_CODES;
    const from3 = bit3 - TWO_CODES;
    const from4 = bit4 - TWO_CODES;
    const word1 = view.getInt32(from1 >> 3, true) >>> (from1 & 7);
    const word2 = view.getInt32(from2 >> 3, true) >>> (from2 & 7);
    const word3 = view.getInt32(from3 >> 3, true) >>> (from3 & 7);
    const word4 = view.getInt32(from4 >> 3, true) >>> (from4 & 7);
    const entry1 = entries[(word1 >>> shift) & mask]!;
    const entry2 = entries[(word2 >>> shift) & mask]!;
    const entry3 = entries[(word3 >>> shift) & mask]!;
    const entry4 = entries[(word4 >>> shift) & mask]!;
    const next1 = entries[(word1 >>> (shift - (entry1 & 0xff))) & mask]!;
    const next2 = entries[(word2 >>> (shift - (entry2 & 0xff))) & mask]!;
    const next3 = entries[(word3 >>> (shift - (entry3 & 0xff))) & mask]!;
    const next4 = entries[(word4 >>> (shift - (entry4 & 0xff))) & mask]!;
    bit1 -= (entry1 & 0xff) + (next1 & 0xff);
    bit2 -= (entry2 & 0xff) + (next2 & 0xff);
    bit3 -= (entry3 & 0xff) + (next3 & 0xff);
    bit4 -= (entry4 & 0xff) + (next4 & 0xff);
    output[index] = entry1 >> 8;
    output[index + 1] = next1 >> 8;
    output[index + quarter] = entry2 >> 8;
    output[index + quarter + 1] = next2 >> 8;
    output[index + 2 * quarter] = entry3 >> 8;
    output[index + 2 * quarter + 1] = next3 >> 8;
    output[index + 3 * quarter] = entry4 >> 8;
    output[index + 3 * quarter + 1] = next4 >> 8;
  }
  for (const [number, bit] of [bit1, bit2, bit3, bit4].entries()) {
    const stream = streams[number]!;
    stream.bit = bit;
    stream.index += index;
  }
}

/** What is left of a stream; it has to have just as many bits as that takes. */
function decodeRest(
  reader: BlockReader,
  { log, entries }: HuffmanTable,
  output: Uint8Array,
  { bit: firstBit, last, index: start, end }: Stream,
): void {
  const { view } = reader;
  const mask = (1 << log) - 1;
  let bit = firstBit;
  for (let index = start; index < end; index++) {
    const from = bit - log;
    const entry = entries[(view.getInt32(from >> 3, true) >>> (from & 7)) & mask]!;
    bit -= entry & 0xff;
    if (bit < last) break;
    output[index] = entry >> 8;
  }
  if (bit !== last) throw reader.error('has literals that do not match their length', last >> 3);
}
