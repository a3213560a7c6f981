/**
 * Decodes .xz streams: several blocks, any check, dictionaries of any size. Not supported: filters other than LZMA2,
 * which nothing in this field uses. What follows the stream (padding, another stream) is the caller's.
 */

import { crc32 } from 'node:zlib';
import { UnsupportedError } from '../../core/errors.ts';
import { ByteReader, sourceOfBytes } from '../byteReader.ts';
import { tooLarge, type UnpackOptions } from '../codec.ts';
import * as container from './container.ts';
import { checkOfId, crc32Bytes, type IntegrityCheck, startChecksum, uint32Bytes } from './container.ts';
import {
  createLzmaDecoder,
  decodeSymbols,
  type LzmaDecoder,
  makeRoom,
  resetLzmaState,
  resetWindow,
  takeOutput,
} from './lzmaDecoder.ts';
import * as chunk from './lzmaModel.ts';
import { endRangeDecoder, RANGE_CODER_HEADER, startRangeDecoder } from './rangeDecoder.ts';

const STREAM_HEADER_SIZE = 12;
const STREAM_FOOTER_SIZE = 12;
const CRC_SIZE = 4;
/** A number may take this many bytes. Behind those of an index there are always more than that. */
const MAX_VARINT_SIZE = 9;

/** The largest dictionary: the one that `xz -9` declares. */
const MAX_WINDOW = 64 * 1024 * 1024;

/**
 * Decodes exactly one stream (xz file format 1.2.1), with all its checks. A piece of the output is good until the next one is
 * asked for.
 *
 * @throws FormatError with the offset, when the stream is damaged, truncated, not supported or too large, or its content
 *   requires a dictionary of more than `maxWindow` bytes.
 */
export async function* unpackXz(
  reader: ByteReader,
  { maxBytes, maxWindow = MAX_WINDOW }: UnpackOptions & { readonly maxWindow?: number },
): AsyncGenerator<Uint8Array, void> {
  reader.format = 'xz';
  const decoder: Lzma2Decoder = { reader, maxBytes, maxWindow, lzma: createLzmaDecoder(), length: 0 };
  const check = await readStreamHeader(reader);
  const blocks = new BlockList();
  for (;;) {
    if (!(await reader.has(1))) throw reader.truncated();
    // A block starts with the size of its header, the index with 0.
    if (reader.bytes[0] === 0) break;
    blocks.add(yield* readBlock(decoder, check));
  }
  const indexSize = await readIndex(reader, blocks);
  await readStreamFooter(reader, check, indexSize);
}

async function readStreamHeader(reader: ByteReader): Promise<IntegrityCheck> {
  const start = reader.offset;
  const header = await reader.take(STREAM_HEADER_SIZE);
  if (!header.subarray(0, 6).equals(container.STREAM_MAGIC))
    throw reader.error('lacks the magic number', start);
  const flags = header.subarray(6, 8);
  if (!header.subarray(8).equals(crc32Bytes(flags)))
    throw reader.error('has a damaged stream header', start + 8);
  const check = flags[0] === 0 ? checkOfId(flags[1] ?? -1) : undefined;
  if (check === undefined) throw reader.error('has stream flags that are not supported', start + 6);
  return check;
}

async function* readBlock(
  decoder: Lzma2Decoder,
  check: IntegrityCheck,
): AsyncGenerator<Uint8Array, container.BlockRecord> {
  const { reader, maxBytes } = decoder;
  const start = reader.offset;
  const header = await readBlockHeader(reader);
  if (decoder.length + (header.uncompressedSize ?? 0) > maxBytes) throw tooLarge('xz', maxBytes, start);

  const dataStart = reader.offset;
  const outputStart = decoder.length;
  const checksum = startChecksum(check);
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

  const padding = container.paddingOf(compressedSize);
  await expectBytes(reader, new Uint8Array(padding), 'has a block padding that is not zero');
  await expectBytes(reader, checksum.bytes(), `does not match its ${check} checksum`);
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
  if (!header.subarray(size - CRC_SIZE).equals(crc32Bytes(content)))
    throw reader.error('has a damaged block header', start + size - CRC_SIZE);

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

/** The size of the dictionary in bytes. Other filters precede LZMA2 in a chain, so the first filter decides. */
async function readLzma2Filter(fields: ByteReader): Promise<number> {
  const start = fields.offset;
  const filter = await readVarint(fields);
  if (filter !== container.LZMA2_FILTER) {
    const name = container.OTHER_FILTERS[filter] ?? `0x${filter.toString(16)}`;
    throw fields.error(`uses the filter ${name}, only LZMA2 is supported,`, start, UnsupportedError);
  }
  const propertiesSize = await readVarint(fields);
  const { offset } = fields;
  const code = (await fields.take(1))[0]!;
  if (propertiesSize !== 1 || code > 40) throw fields.error('has an invalid dictionary size', offset);
  return container.dictionarySize(code);
}

/**
 * The blocks that were read, as far as the index is compared with them: a stream may have so many that their sizes would
 * fill the memory.
 */
class BlockList {
  count = 0;
  /** CRC32 of the sizes of all blocks. */
  crc = 0;

  add({ unpaddedSize, uncompressedSize }: container.BlockRecord): void {
    this.count++;
    this.crc = crc32(new Uint8Array(Float64Array.of(unpaddedSize, uncompressedSize).buffer), this.crc);
  }
}

/** Section 4: it has to list exactly the blocks that were read. Returns its size in bytes. */
async function readIndex(reader: ByteReader, blocks: BlockList): Promise<number> {
  const start = reader.offset;
  let crc = crc32(await reader.take(1));
  const readNumber = (): Promise<number> =>
    readVarint(reader, (bytes) => {
      crc = crc32(bytes, crc);
    });
  const listed = new BlockList();
  const count = await readNumber();
  while (count === blocks.count && listed.count < count) {
    listed.add({ unpaddedSize: await readNumber(), uncompressedSize: await readNumber() });
  }
  if (count !== blocks.count || listed.crc !== blocks.crc) {
    throw reader.error('has an index that does not match its blocks', start);
  }
  const padding = new Uint8Array(container.paddingOf(reader.offset - start));
  await expectBytes(reader, padding, 'has an index padding that is not zero');
  await expectBytes(reader, uint32Bytes(crc32(padding, crc)), 'has a damaged index');
  return reader.offset - start;
}

/** Section 2.1.2. */
async function readStreamFooter(reader: ByteReader, check: IntegrityCheck, indexSize: number): Promise<void> {
  const start = reader.offset;
  const footer = await reader.take(STREAM_FOOTER_SIZE);
  const content = container.footerContent(check, indexSize);
  const expected = Buffer.concat([crc32Bytes(content), content, container.FOOTER_MAGIC]);
  if (!footer.equals(expected)) throw reader.error('has a damaged stream footer', start);
}

/**
 * A number of up to 63 bits, seven a byte (section 1.2). Past 2^53 it is inexact, and too large for anything here.
 * @param see is shown the bytes of the number
 */
async function readVarint(reader: ByteReader, see?: (bytes: Uint8Array) => void): Promise<number> {
  await reader.has(MAX_VARINT_SIZE);
  let value = 0;
  for (const [index, byte] of reader.bytes.subarray(0, MAX_VARINT_SIZE).entries()) {
    value += (byte & 0x7f) * 128 ** index;
    if (byte >= 0x80) continue;
    if (byte === 0 && index > 0) throw reader.error('has a malformed number');
    const bytes = reader.pass(index + 1);
    see?.(bytes);
    return value;
  }
  throw reader.bytes.length < MAX_VARINT_SIZE ? reader.truncated() : reader.error('has a malformed number');
}

async function expectBytes(reader: ByteReader, expected: Uint8Array, problem: string): Promise<void> {
  const start = reader.offset;
  if (!(await reader.take(expected.length)).equals(expected)) throw reader.error(problem, start);
}

// LZMA2: a row of chunks that are stored or coded by LZMA, each with its sizes (xz file format 5.3.1).

/** Decodes one block after the other. */
interface Lzma2Decoder {
  readonly reader: ByteReader;
  readonly maxBytes: number;
  readonly maxWindow: number;
  readonly lzma: LzmaDecoder;
  /** Unpacked bytes of all blocks so far. */
  length: number;
}

/** Decodes the chunks of one block. `dictionarySize` in bytes. */
async function* decodeLzma2Block(
  decoder: Lzma2Decoder,
  dictionarySize: number,
): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  lzma.dictionarySize = dictionarySize;
  let needsDictionary = true;
  let needsProperties = true;
  for (;;) {
    const start = reader.offset;
    const control = (await reader.take(1))[0]!;
    if (control === chunk.END) return;
    if (control > chunk.STORED && control < chunk.CODED)
      throw reader.error('has an unknown kind of LZMA2 chunk', start);
    if (control === chunk.STORED_AFTER_RESET || control >= chunk.DICTIONARY_RESET) {
      resetWindow(lzma);
      needsDictionary = false;
      needsProperties = true;
    }
    if (control >= chunk.NEW_PROPERTIES) needsProperties = false;
    if (needsDictionary || (control >= chunk.CODED && needsProperties)) {
      throw reader.error('has an LZMA2 chunk that lacks a reset', start);
    }
    yield* control < chunk.CODED ? copyChunk(decoder) : decodeChunk(decoder, control);
  }
}

async function* copyChunk(decoder: Lzma2Decoder): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  const size = (await reader.take(2)).readUInt16BE() + 1;
  const stored = await reader.take(size);
  countOutput(decoder, size);
  yield* fillRing(decoder, size, (end, done) => {
    lzma.ring.set(stored.subarray(done, done + end - lzma.head), lzma.head);
    lzma.head = end;
    return true;
  });
}

async function* decodeChunk(decoder: Lzma2Decoder, control: number): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  const header = await reader.take(control >= chunk.NEW_PROPERTIES ? 5 : 4);
  const uncompressedSize = (control & 0x1f) * 0x1_0000 + header.readUInt16BE() + 1;
  const compressedSize = header.readUInt16BE(2) + 1;
  if (control >= chunk.NEW_PROPERTIES) {
    const properties = chunk.parseProperties(header[4]!);
    if (properties === undefined) {
      throw reader.error('has LZMA properties that LZMA2 does not allow', reader.offset - 1);
    }
    lzma.properties = properties;
  }
  if (control >= chunk.STATE_RESET) resetLzmaState(lzma);

  const start = reader.offset;
  const input = await reader.take(compressedSize);
  countOutput(decoder, uncompressedSize);
  const isSound =
    compressedSize >= RANGE_CODER_HEADER &&
    startRangeDecoder(lzma, input) &&
    (yield* fillRing(decoder, uncompressedSize, (end) => decodeSymbols(lzma, end))) &&
    lzma.pending === 0 &&
    endRangeDecoder(lzma);
  if (!isSound) throw reader.error('is corrupt in the LZMA2 chunk', start);
}

function countOutput(decoder: Lzma2Decoder, size: number): void {
  const { reader, maxBytes } = decoder;
  decoder.length += size;
  if (decoder.length > maxBytes) throw tooLarge('xz', maxBytes, reader.offset);
}

/**
 * Has `fill` add `size` bytes, in stretches that fit into the ring: up to `end`, when `done` have been added. The output
 * is handed out before it is overwritten. False once `fill` says so.
 */
function* fillRing(
  { reader, lzma, maxWindow }: Lzma2Decoder,
  size: number,
  fill: (end: number, done: number) => boolean,
): Generator<Uint8Array, boolean> {
  for (let done = 0; done < size;) {
    if (lzma.head === lzma.ring.length && !makeRoom(lzma, maxWindow)) {
      const problem = `requires a larger dictionary than ${maxWindow} bytes`;
      throw reader.error(problem, reader.offset, UnsupportedError);
    }
    const start = lzma.head;
    if (!fill(Math.min(start + size - done, lzma.ring.length), done)) return false;
    done += lzma.head - start;
    yield takeOutput(lzma);
  }
  return true;
}
