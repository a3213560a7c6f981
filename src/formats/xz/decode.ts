/**
 * Decodes .xz streams: several blocks, any check. Not supported: filters other than LZMA2, which nothing in this field uses. What
 * follows the stream (padding, another stream) is the caller's.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { UnsupportedError } from '../../core/errors.ts';
import { ByteReader, sourceOfBytes } from '../byteReader.ts';
import { tooLarge } from '../codec.ts';
import { type IntegrityCheck, integrityChecks, uint32Bytes } from './checks.ts';
import { decodeLzma2Block, type Lzma2Decoder } from './lzma2.ts';
import { LzmaDecoder } from './lzmaDecoder.ts';

const STREAM_MAGIC = '\xfd7zXZ\0';
const STREAM_HEADER_SIZE = 12;
const FOOTER_MAGIC = 'YZ';
const STREAM_FOOTER_SIZE = 12;
const CRC_SIZE = 4;
const LZMA2_FILTER = 0x21;
/** A number may take this many bytes. Behind those of an index there are always more than that. */
const MAX_VARINT_SIZE = 9;

/**
 * Decodes exactly one stream (xz file format 1.2.1), with all its checks. A piece of the output is good until the next one is
 * asked for.
 *
 * @throws FormatError with the offset, when the stream is damaged, truncated, not supported or too large, or its content
 *   requires a larger dictionary than that of `xz -9`.
 */
export async function* unpackXz(reader: ByteReader, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  reader.format = 'xz';
  const decoder: Lzma2Decoder = { reader, maxBytes, lzma: new LzmaDecoder(), length: 0 };
  const check = await readStreamHeader(reader);
  const records = new IndexRecords();
  for (;;) {
    if (!(await reader.has(1))) throw reader.truncated();
    // A block starts with the size of its header, the index with 0.
    if (reader.bytes[0] === 0) break;
    records.add(yield* readBlock(decoder, check));
  }
  const indexSize = await readIndex(reader, records);
  await readStreamFooter(reader, check, indexSize);
}

/** Section 2.1.1. */
async function readStreamHeader(reader: ByteReader): Promise<IntegrityCheck> {
  const start = reader.offset;
  const header = await reader.take(STREAM_HEADER_SIZE);
  if (header.toString('latin1', 0, 6) !== STREAM_MAGIC) throw reader.error('lacks the magic number', start);
  if (header.readUInt32LE(8) !== crc32(header.subarray(6, 8))) {
    throw reader.error('has a damaged stream header', start + 8);
  }
  const check = integrityChecks.find(({ id }) => id === header.readUInt16BE(6));
  if (check === undefined) throw reader.error('has stream flags that are not supported', start + 6);
  return check;
}

/** A block as the index lists it, in bytes. */
interface BlockRecord {
  /** Header, compressed data and check, without padding. */
  readonly unpaddedSize: number;
  readonly uncompressedSize: number;
}

async function* readBlock(
  decoder: Lzma2Decoder,
  check: IntegrityCheck,
): AsyncGenerator<Uint8Array, BlockRecord> {
  const { reader, maxBytes } = decoder;
  const start = reader.offset;
  const header = await readBlockHeader(reader);
  if (decoder.length + (header.uncompressedSize ?? 0) > maxBytes) throw tooLarge('xz', maxBytes, start);

  const dataStart = reader.offset;
  const outputStart = decoder.length;
  const checksum = check.start();
  for await (const piece of decodeLzma2Block(decoder, header.dictionarySize)) {
    checksum.update(piece);
    yield piece;
  }
  const compressedSize = reader.offset - dataStart;
  const uncompressedSize = decoder.length - outputStart;
  if (
    (header.compressedSize ?? compressedSize) !== compressedSize ||
    (header.uncompressedSize ?? uncompressedSize) !== uncompressedSize
  ) {
    throw reader.error('does not match the sizes in the block header', start);
  }

  const padding = -compressedSize & 3;
  await expectBytes(reader, new Uint8Array(padding), 'has a block padding that is not zero');
  await expectBytes(reader, checksum.digest(), `does not match its ${check.name} checksum`);
  return { unpaddedSize: reader.offset - start - padding, uncompressedSize };
}

interface BlockHeader {
  readonly compressedSize: number | undefined;
  readonly uncompressedSize: number | undefined;
  readonly dictionarySize: number;
}

/** Section 3.1. */
async function readBlockHeader(reader: ByteReader): Promise<BlockHeader> {
  const start = reader.offset;
  if (!(await reader.has(1))) throw reader.truncated();
  const size = (reader.bytes[0]! + 1) * 4;
  const header = await reader.take(size);
  const content = header.subarray(0, size - CRC_SIZE);
  if (header.readUInt32LE(size - CRC_SIZE) !== crc32(content)) {
    throw reader.error('has a damaged block header', start + size - CRC_SIZE);
  }

  const fields = new ByteReader('xz block header', sourceOfBytes(content), start);
  const flags = (await fields.take(2))[1]!;
  if ((flags & 0x3c) !== 0) throw fields.error('has unknown block flags', start + 1);
  const compressedSize = (flags & 0x40) === 0 ? undefined : await readVarint(fields);
  const uncompressedSize = (flags & 0x80) === 0 ? undefined : await readVarint(fields);
  const filters = (flags & 0x03) + 1;
  const dictionarySize = await readLzma2Filter(fields);
  if (filters !== 1) throw fields.error('uses filters other than LZMA2');
  if (fields.bytes.some((byte) => byte !== 0)) throw fields.error('has unknown fields');
  return { compressedSize, uncompressedSize, dictionarySize };
}

/** The size of the dictionary in bytes (section 5.3.1). Other filters precede LZMA2 in a chain, so the first filter decides. */
async function readLzma2Filter(fields: ByteReader): Promise<number> {
  const start = fields.offset;
  const filter = await readVarint(fields);
  if (filter !== LZMA2_FILTER) {
    const problem = `uses the filter 0x${filter.toString(16)}, only LZMA2 is supported,`;
    throw fields.error(problem, start, UnsupportedError);
  }
  const propertiesSize = await readVarint(fields);
  const { offset } = fields;
  const code = (await fields.take(1))[0]!;
  if (propertiesSize !== 1 || code > 40) throw fields.error('has an invalid dictionary size', offset);
  return code === 40 ? 0xffff_ffff : (2 + (code & 1)) * 2 ** ((code >> 1) + 11);
}

/** The records that the index has to list (section 4). A digest is kept of them: a hostile stream has millions of empty blocks. */
class IndexRecords {
  count = 0;
  /** Bytes. */
  length = 0;
  readonly hash = createHash('sha256');

  add({ uncompressedSize, unpaddedSize }: BlockRecord): void {
    const record = Buffer.from([unpaddedSize, uncompressedSize].flatMap(varintBytes));
    this.count += 1;
    this.length += record.length;
    this.hash.update(record);
  }
}

/** Section 4: it has to list exactly the blocks that were read. Returns its size in bytes. */
async function readIndex(reader: ByteReader, records: IndexRecords): Promise<number> {
  const start = reader.offset;
  const problem = 'has an index that does not match its blocks';
  const head = Buffer.from([0, ...varintBytes(records.count)]);
  await expectBytes(reader, head, problem);
  let checksum = crc32(head);
  const listed = createHash('sha256');
  for (let left = records.length; left > 0;) {
    const piece = await reader.takeAtMost(left);
    if (piece.length === 0) throw reader.truncated();
    listed.update(piece);
    checksum = crc32(piece, checksum);
    left -= piece.length;
  }
  if (!listed.digest().equals(records.hash.digest())) throw reader.error(problem, start);
  const padding = new Uint8Array(-(reader.offset - start) & 3);
  await expectBytes(reader, padding, problem);
  await expectBytes(reader, uint32Bytes(crc32(padding, checksum)), 'has a damaged index');
  return reader.offset - start;
}

function varintBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varintBytes(Math.floor(value / 0x80))];
}

/** Section 2.1.2. */
async function readStreamFooter(reader: ByteReader, check: IntegrityCheck, indexSize: number): Promise<void> {
  const start = reader.offset;
  const footer = await reader.take(STREAM_FOOTER_SIZE);
  const isSound =
    footer.readUInt32LE() === crc32(footer.subarray(4, 10)) &&
    footer.readUInt32LE(4) === indexSize / 4 - 1 &&
    footer.readUInt16BE(8) === check.id &&
    footer.toString('latin1', 10) === FOOTER_MAGIC;
  if (!isSound) throw reader.error('has a damaged stream footer', start);
}

/** A number of up to 63 bits, seven a byte (section 1.2). Past 2^53 it is inexact, and too large for anything here. */
async function readVarint(reader: ByteReader): Promise<number> {
  await reader.has(MAX_VARINT_SIZE);
  let value = 0;
  for (const [index, byte] of reader.bytes.subarray(0, MAX_VARINT_SIZE).entries()) {
    value += (byte & 0x7f) * 128 ** index;
    if (byte >= 0x80) continue;
    if (byte === 0 && index > 0) throw reader.error('has a malformed number');
    reader.pass(index + 1);
    return value;
  }
  throw reader.bytes.length < MAX_VARINT_SIZE ? reader.truncated() : reader.error('has a malformed number');
}

async function expectBytes(reader: ByteReader, expected: Uint8Array, problem: string): Promise<void> {
  const start = reader.offset;
  if (!(await reader.take(expected.length)).equals(expected)) throw reader.error(problem, start);
}
