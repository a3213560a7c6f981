/**
 * gzip members (RFC 1952). In streams, the header and the trailer are read here and not by zlib, which goes on into whatever
 * follows the member and fails there when that is no gzip.
 */

import { constants, crc32, createInflateRaw, gunzipSync, gzipSync } from 'node:zlib';
import { FormatError } from '../core/errors.ts';
import type { ByteReader } from './byteReader.ts';
import { tooLarge, ZlibUnpacker } from './codec.ts';

const MAGIC = 0x8b1f;
const DEFLATE = 8;

/** Bits of the header's flags (RFC 1952, section 2.3.1). */
const HEADER_CRC = 0x02;
const EXTRA = 0x04;
const NAME = 0x08;
const COMMENT = 0x10;
const RESERVED = 0xe0;

/** Where the byte with the operating system is, and what says that it is unknown. */
const OS_OFFSET = 9;
const OS_UNKNOWN = 255;

/** Bytes of the input that zlib gets at a time, and of its output. */
const INPUT_SIZE = 32 * 1024;
const OUTPUT_SIZE = 64 * 1024;
const TRAILER_SIZE = 8;

/**
 * Decodes all members, one behind the other until the end, as Go's gzip reader does.
 *
 * @throws FormatError where a member is damaged or truncated, something else follows, or all are too large together
 */
export function decodeGzip(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    // zlib takes no limit of 0. Node's types do not know what it returns with `info`.
    const options = { info: true, maxOutputLength: Math.max(maxBytes, 1), chunkSize: 256 * 1024 };
    const result: object = gunzipSync(bytes, options);
    if (!isInflated(result)) throw new TypeError('zlib returned no info');
    const { buffer, engine } = result;
    if (buffer.length > maxBytes) throw tooLarge('gzip', maxBytes, 0);
    const offset = engine.bytesWritten; // zlib passes over zeros behind the last member
    if (offset < bytes.length)
      throw new FormatError(`The gzip data is followed by other data at byte ${offset}`, { offset });
    return buffer;
  } catch (error) {
    switch (errorCode(error)) {
      case 'ERR_BUFFER_TOO_LARGE':
        throw tooLarge('gzip', maxBytes, 0);
      case 'Z_BUF_ERROR':
        throw new FormatError(`The gzip data is truncated at byte ${bytes.length}`, { offset: bytes.length });
      case 'Z_DATA_ERROR':
        throw new FormatError(`The gzip data is corrupt: ${error instanceof Error ? error.message : ''}`);
      default:
        throw error;
    }
  }
}

interface Inflated {
  readonly buffer: Uint8Array;
  /** `bytesWritten` is what zlib consumed. */
  readonly engine: { readonly bytesWritten: number };
}

function isInflated(result: object): result is Inflated {
  return 'engine' in result;
}

/**
 * Unpacks one member of a stream, and checks its CRC and length. A piece is good until the next one is asked for.
 *
 * @throws FormatError with the offset, when the member is damaged, truncated or too large.
 */
export async function* unpackGzip(reader: ByteReader, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  reader.format = 'gzip';
  await readHeader(reader);
  const start = reader.offset;
  let crc = 0;
  let length = 0;
  for await (const piece of inflate(reader)) {
    crc = crc32(piece, crc);
    length += piece.length;
    if (length > maxBytes) throw tooLarge('gzip', maxBytes, start);
    yield piece;
  }
  const { offset } = reader;
  const trailer = await reader.take(TRAILER_SIZE);
  if (trailer.readUInt32LE(0) !== crc) throw reader.error('does not match its CRC32', offset);
  if (trailer.readUInt32LE(4) !== length % 2 ** 32)
    throw reader.error('does not match its length', offset + 4);
}

/** One member at the best level, with nothing in the header that depends on the machine or the time. */
export function encodeGzip(data: Uint8Array): Uint8Array {
  const member = gzipSync(data, { level: constants.Z_BEST_COMPRESSION });
  member[OS_OFFSET] = OS_UNKNOWN;
  return member;
}

/** Moves past the header. */
async function readHeader(reader: ByteReader): Promise<void> {
  const start = reader.offset;
  if ((await reader.take(2)).readUInt16LE() !== MAGIC) throw reader.error('lacks the magic number', start);
  if ((await reader.take(1))[0] !== DEFLATE)
    throw reader.error('has an unknown compression method', start + 2);
  const flags = (await reader.take(1)).readUInt8();
  if ((flags & RESERVED) !== 0) throw reader.error('has unknown flags', start + 3);
  await reader.take(6);
  if ((flags & EXTRA) !== 0) await reader.take((await reader.take(2)).readUInt16LE());
  for (const text of [NAME, COMMENT]) {
    if ((flags & text) !== 0) while ((await reader.take(1))[0] !== 0);
  }
  if ((flags & HEADER_CRC) !== 0) await reader.take(2); // the data have a checksum of their own
}

/** The output of the deflate stream, behind which the reader is then. */
async function* inflate(reader: ByteReader): AsyncGenerator<Uint8Array, void> {
  const start = reader.offset;
  const unpacker = new ZlibUnpacker(createInflateRaw({ chunkSize: OUTPUT_SIZE }));
  try {
    for (let isOver = false; !isOver && (await reader.has(1));) {
      const piece = reader.bytes.subarray(0, INPUT_SIZE);
      const { used } = unpacker;
      yield* await unpacker.unpack(piece);
      reader.pass(unpacker.used - used);
      isOver = unpacker.used - used < piece.length;
    }
  } catch (error) {
    throw errorCode(error) === 'Z_DATA_ERROR'
      ? reader.error('is corrupt in the deflate stream', start)
      : error;
  } finally {
    unpacker.close();
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
