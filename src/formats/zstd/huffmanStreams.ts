/** Literals out of streams of Huffman codes (RFC 8878, section 4.2.2). */

import type { BlockReader } from './blockReader.ts';
import { type HuffmanTable, MAX_CODE_LENGTH } from './huffmanTable.ts';

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

/** Two codes at most, which any four bytes hold from whatever bit on. */
const TWO_CODES = 2 * MAX_CODE_LENGTH;
/** Fewer literals are not split. */
const MIN_SPLIT = 6;
const WHAT = 'the sizes of literals';

/** The rest of `reader` up to `end` as one stream that fills `output`. */
export function decodeOneStream(reader: BlockReader, table: HuffmanTable, output: Uint8Array): void {
  decodeRest(reader, table, { output, stream: openStream(reader, reader.left, [0, output.length]) });
}

/** The same in four streams, each with a fourth of the output. Their sizes come first, but for the last. */
export function decodeFourStreams(reader: BlockReader, table: HuffmanTable, output: Uint8Array): void {
  const quarter = (output.length + 3) >> 2;
  if (output.length < MIN_SPLIT) throw reader.error('has too few literals for four streams');
  const sizes = [reader.uint(2, WHAT), reader.uint(2, WHAT), reader.uint(2, WHAT)];
  const streams = sizes.map((size, index) =>
    openStream(reader, size, [index * quarter, (index + 1) * quarter]),
  );
  streams.push(openStream(reader, reader.left, [3 * quarter, output.length]));
  decodeTogether(reader.view, table, { output, streams });
  for (const stream of streams) decodeRest(reader, table, { output, stream });
}

function openStream(reader: BlockReader, size: number, [index, end]: readonly [number, number]): Stream {
  const start = reader.skip(size, 'its literals');
  return { bit: reader.lastBit(start, start + size), last: start * 8, index, end };
}

interface Streams {
  readonly output: Uint8Array;
  readonly streams: readonly Stream[];
}

/** All of four streams but their ends: a processor works on the four at a time, as none waits for another. */
function decodeTogether(view: DataView, { log, entries }: HuffmanTable, { output, streams }: Streams): void {
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

interface RestOfStream {
  readonly output: Uint8Array;
  readonly stream: Stream;
}

/** What is left of a stream; it has to have just as many bits as that takes. */
function decodeRest(
  reader: BlockReader,
  { log, entries }: HuffmanTable,
  { output, stream: { bit: firstBit, last, index: start, end } }: RestOfStream,
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
  if (bit !== last) throw reader.error('has literals of another length than it says', last >> 3);
}
