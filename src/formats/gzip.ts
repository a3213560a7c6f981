/**
 * gzip members (RFC 1952). The header and the trailer are read here and not by zlib, which goes on into whatever
 * follows the member and fails there when that is no gzip.
 */

import { constants, crc32, gzipSync, inflateRawSync } from 'node:zlib';
import { ByteCursor } from './byteCursor.ts';
import { errorCode, OUTPUT_TOO_LARGE, tooLarge, type Decoded, type DecodeOptions } from './codec.ts';

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

/** zlib grows its output by this many bytes at a time. */
const CHUNK_SIZE = 256 * 1024;

/**
 * Decodes exactly one member and checks its CRC and length.
 *
 * @throws FormatError with the offset, when the member is damaged, cut off or too large.
 */
export function decodeGzip(bytes: Uint8Array, { offset = 0, maxBytes }: DecodeOptions): Decoded {
  const cursor = new ByteCursor(bytes, offset, 'gzip');
  readHeader(cursor);
  const data = inflate(cursor, maxBytes);
  const trailer = cursor.offset;
  if (cursor.uint32() !== crc32(data)) throw cursor.error('does not match its CRC32', trailer);
  if (cursor.uint32() !== data.length % 2 ** 32) throw cursor.error('does not match its length', trailer + 4);
  return { data, end: cursor.offset };
}

/** One member at the best level, with nothing in the header that depends on the machine or the time. */
export function encodeGzip(data: Uint8Array): Uint8Array {
  const member = gzipSync(data, { level: constants.Z_BEST_COMPRESSION });
  member[OS_OFFSET] = OS_UNKNOWN;
  return member;
}

function readHeader(cursor: ByteCursor): void {
  const start = cursor.offset;
  if (cursor.uint16() !== MAGIC) throw cursor.error('lacks the magic number', start);
  if (cursor.uint8() !== DEFLATE) throw cursor.error('has an unknown compression method', start + 2);
  const flags = cursor.uint8();
  if ((flags & RESERVED) !== 0) throw cursor.error('has unknown flags', start + 3);
  cursor.take(6);
  if ((flags & EXTRA) !== 0) cursor.take(cursor.uint16());
  if ((flags & NAME) !== 0) skipString(cursor);
  if ((flags & COMMENT) !== 0) skipString(cursor);
  if ((flags & HEADER_CRC) !== 0) {
    const crc = crc32(cursor.bytes.subarray(start, cursor.offset)) & 0xffff;
    if (cursor.uint16() !== crc) throw cursor.error('has a damaged header', start);
  }
}

function skipString(cursor: ByteCursor): void {
  const end = cursor.bytes.indexOf(0, cursor.offset);
  cursor.take(end < 0 ? Infinity : end + 1 - cursor.offset);
}

function inflate(cursor: ByteCursor, maxBytes: number): Uint8Array {
  const start = cursor.offset;
  try {
    const result: object = inflateRawSync(cursor.bytes.subarray(start), {
      info: true,
      // zlib takes no limit of 0; one byte too many is still found below.
      maxOutputLength: Math.max(maxBytes, 1),
      chunkSize: CHUNK_SIZE,
    });
    const { buffer, engine } = withInfo(result);
    if (buffer.length > maxBytes) throw tooLarge('gzip', maxBytes, start);
    cursor.take(engine.bytesWritten);
    return buffer;
  } catch (error) {
    throw inflateError(error, cursor, maxBytes);
  }
}

interface Inflated {
  readonly buffer: Uint8Array;
  /** `bytesWritten` is what zlib consumed. */
  readonly engine: { readonly bytesWritten: number };
}

/** What zlib returns with `info`, which Node's types do not know. */
function withInfo(result: object): Inflated {
  if (!isInflated(result)) throw new TypeError('zlib returned no info');
  return result;
}

function isInflated(result: object): result is Inflated {
  return 'engine' in result;
}

function inflateError(error: unknown, cursor: ByteCursor, maxBytes: number): unknown {
  switch (errorCode(error)) {
    case OUTPUT_TOO_LARGE:
      return tooLarge('gzip', maxBytes, cursor.offset);
    case 'Z_BUF_ERROR':
      return cursor.error('is cut off', cursor.bytes.length);
    case 'Z_DATA_ERROR':
      return cursor.error('is corrupt in the deflate stream');
    default:
      return error;
  }
}
