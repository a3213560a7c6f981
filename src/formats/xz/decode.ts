/**
 * Decodes .xz streams: several blocks, any check, dictionaries of any size. Not supported: filters other than LZMA2,
 * which nothing in this field uses. What follows the stream (padding, another stream) is the caller's.
 */

import { ByteCursor } from '../byteCursor.ts';
import { tooLarge, type Decoded, type DecodeOptions } from '../codec.ts';
import { checkBytes, checkOfId, crc32Bytes, type Check } from './checks.ts';
import * as container from './container.ts';
import { createLzma2Decoder, decodeLzma2Block, type Lzma2Decoder } from './lzma2Decoder.ts';

/**
 * Decodes exactly one stream (xz file format 1.2.1), with all its checks.
 *
 * @throws FormatError with the offset, when the stream is damaged, cut off, not supported or too large.
 */
export function decodeXz(bytes: Uint8Array, { offset = 0, maxBytes }: DecodeOptions): Decoded {
  const cursor = new ByteCursor(bytes, offset, 'xz');
  const decoder = createLzma2Decoder(cursor, maxBytes);
  const check = readStreamHeader(cursor);
  const records: container.BlockRecord[] = [];
  // A block starts with the size of its header, the index with 0.
  while (cursor.peek() !== 0) {
    records.push(readBlock(decoder, check));
  }
  const indexSize = readIndex(cursor, records);
  readStreamFooter(cursor, check, indexSize);
  return { data: decoder.lzma.output.subarray(0, decoder.lzma.length), end: cursor.offset };
}

function readStreamHeader(cursor: ByteCursor): Check {
  const start = cursor.offset;
  if (!same(cursor.take(container.STREAM_MAGIC.length), container.STREAM_MAGIC)) {
    throw cursor.error('lacks the magic number', start);
  }
  const flagsStart = cursor.offset;
  const flags = cursor.take(2);
  expectBytes(cursor, crc32Bytes(flags), 'has a damaged stream header');
  const check = checkOfFlags(flags);
  if (check === undefined) throw cursor.error('has stream flags that are not supported', flagsStart);
  return check;
}

function checkOfFlags(flags: Uint8Array): Check | undefined {
  return flags[0] === 0 ? checkOfId(flags[1] ?? -1) : undefined;
}

function readBlock(decoder: Lzma2Decoder, check: Check): container.BlockRecord {
  const { cursor, lzma, maxBytes } = decoder;
  const start = cursor.offset;
  const header = readBlockHeader(cursor);
  if (lzma.length + (header.uncompressedSize ?? 0) > maxBytes) throw tooLarge('xz', maxBytes, start);

  const dataStart = cursor.offset;
  const outputStart = lzma.length;
  decodeLzma2Block(decoder, header.dictionarySize);
  const compressedSize = cursor.offset - dataStart;
  const uncompressedSize = lzma.length - outputStart;
  if (
    (header.compressedSize ?? compressedSize) !== compressedSize ||
    (header.uncompressedSize ?? uncompressedSize) !== uncompressedSize
  ) {
    throw cursor.error('has other sizes than the block header says', start);
  }

  expectZeros(cursor, container.paddingOf(compressedSize), 'has a block padding that is not zero');
  const checkStart = cursor.offset;
  const computed = checkBytes(check, lzma.output.subarray(outputStart, lzma.length));
  expectBytes(cursor, computed, `does not match its ${check} checksum`);
  return {
    unpaddedSize: checkStart - start - container.paddingOf(compressedSize) + computed.length,
    uncompressedSize,
  };
}

interface BlockHeader {
  readonly compressedSize: number | undefined;
  readonly uncompressedSize: number | undefined;
  readonly dictionarySize: number;
}

/** Section 3.1. */
function readBlockHeader(cursor: ByteCursor): BlockHeader {
  const start = cursor.offset;
  const size = (cursor.uint8() + 1) * 4;
  cursor.offset = start;
  const content = cursor.take(size - 4);
  expectBytes(cursor, crc32Bytes(content), 'has a damaged block header');

  const fields = new ByteCursor(
    cursor.bytes.subarray(0, start + content.length),
    start + 1,
    'xz block header',
  );
  const flags = fields.uint8();
  if ((flags & 0x3c) !== 0) throw fields.error('has unknown block flags', start + 1);
  const compressedSize = (flags & 0x40) === 0 ? undefined : readVarint(fields);
  const uncompressedSize = (flags & 0x80) === 0 ? undefined : readVarint(fields);
  const filters = (flags & 0x03) + 1;
  const dictionarySize = readLzma2Filter(fields);
  if (filters !== 1) throw fields.error('has more filters than LZMA2');
  expectZeros(fields, start + content.length - fields.offset, 'has unknown fields');
  return { compressedSize, uncompressedSize, dictionarySize };
}

/** The size of the dictionary in bytes. Another filter comes before LZMA2 in a chain, so the first one tells. */
function readLzma2Filter(fields: ByteCursor): number {
  const start = fields.offset;
  const filter = readVarint(fields);
  if (filter !== container.LZMA2_FILTER) {
    const name = container.OTHER_FILTERS[filter] ?? `0x${filter.toString(16)}`;
    throw fields.error(`uses the filter ${name}, only LZMA2 is supported,`, start);
  }
  const propertiesSize = readVarint(fields);
  const code = fields.uint8();
  if (propertiesSize !== 1 || code > 40) throw fields.error('has a wrong dictionary size', fields.offset - 1);
  return container.dictionarySize(code);
}

/** Section 4: it has to list exactly the blocks that were read. Returns its size in bytes. */
function readIndex(cursor: ByteCursor, records: readonly container.BlockRecord[]): number {
  const start = cursor.offset;
  cursor.take(1);
  let matches = readVarint(cursor) === records.length;
  for (const record of matches ? records : []) {
    matches &&= readVarint(cursor) === record.unpaddedSize;
    matches &&= readVarint(cursor) === record.uncompressedSize;
  }
  if (!matches) throw cursor.error('has an index that does not match its blocks', start);
  expectZeros(cursor, container.paddingOf(cursor.offset - start), 'has an index padding that is not zero');
  const content = cursor.bytes.subarray(start, cursor.offset);
  expectBytes(cursor, crc32Bytes(content), 'has a damaged index');
  return cursor.offset - start;
}

/** Section 2.1.2. */
function readStreamFooter(cursor: ByteCursor, check: Check, indexSize: number): void {
  const start = cursor.offset;
  const storedCrc = cursor.take(4);
  const content = cursor.take(6);
  const matches =
    same(storedCrc, crc32Bytes(content)) &&
    same(content, container.footerContent(check, indexSize)) &&
    same(cursor.take(2), container.FOOTER_MAGIC);
  if (!matches) throw cursor.error('has a damaged stream footer', start);
}

/** A number of up to 63 bits, seven a byte (section 1.2). Past 2^53 it is inexact, and too large for anything here. */
function readVarint(cursor: ByteCursor): number {
  const start = cursor.offset;
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = cursor.uint8();
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) {
      if (byte === 0 && index > 0) break;
      return value;
    }
  }
  throw cursor.error('has a malformed number', start);
}

function expectZeros(cursor: ByteCursor, length: number, problem: string): void {
  expectBytes(cursor, new Uint8Array(length), problem);
}

function expectBytes(cursor: ByteCursor, expected: Uint8Array, problem: string): void {
  const start = cursor.offset;
  if (!same(cursor.take(expected.length), expected)) throw cursor.error(problem, start);
}

function same(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
