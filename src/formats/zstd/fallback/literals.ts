/** The literals of a compressed block (RFC 8878, section 3.1.1.3.1): the bytes that its sequences do not copy. */

import { type BlockReader, MARGIN } from './blockReader.ts';
import { decodeFourStreams, decodeOneStream, type HuffmanTable, readHuffmanTable } from './huffman.ts';

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
