/**
 * gzip members (RFC 1952). The header and the trailer are read here and not by zlib, which goes on into whatever
 * follows the member and fails there when that is no gzip.
 */

import { constants, crc32, createInflateRaw, gzipSync, inflateRawSync } from 'node:zlib';
import { ByteFeed, type ByteInput, hasMore, runAll, runWhole, type Steps } from './byteFeed.ts';
import { countStream, type Decoded, type DecodeOptions, throughZlib, tooLarge } from './codec.ts';

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
/** The same where the output is used up at once, and how much zlib is given at a time. */
const PIECE_SIZE = 32 * 1024;
const TRAILER_SIZE = 8;

/**
 * Decodes exactly one member and checks its CRC and length.
 *
 * @throws FormatError with the offset, when the member is damaged, truncated or too large.
 */
export function decodeGzip(bytes: Uint8Array, { offset = 0, maxBytes }: DecodeOptions): Decoded {
  const feed = ByteFeed.whole('gzip', bytes, offset);
  runWhole(readHeader(feed));
  const data = inflate(feed, maxBytes);
  runWhole(checkTrailer(feed, crc32(data), data.length));
  return { data, end: feed.offset };
}

/**
 * Decodes all members, one behind the other until the end, as Go's gzip reader does.
 *
 * @throws FormatError where a member is damaged or truncated, something else follows, or all are too large together
 */
export function decodeGzipMembers(
  bytes: Uint8Array,
  { maxBytes }: { readonly maxBytes: number },
): Uint8Array {
  const parts: Uint8Array[] = [];
  const streams = { left: MAX_MEMBERS };
  let room = maxBytes;
  for (let offset = 0; offset < bytes.length || parts.length === 0;) {
    countStream(streams, offset);
    const { data, end } = decodeGzip(bytes, { offset, maxBytes: room });
    parts.push(data);
    room -= data.length;
    offset = end;
  }
  const [only = new Uint8Array(), ...others] = parts;
  return others.length === 0 ? only : Buffer.concat(parts);
}

/** Each takes time, however little is in it; programs that write several make them of 64 KiB or more. */
const MAX_MEMBERS = 4096;

/**
 * The same for a stream, piece by piece.
 *
 * @throws FormatError with the offset, when the member is damaged, truncated or too large.
 */
export async function* unpackGzip(
  input: ByteInput,
  { maxBytes }: { readonly maxBytes: number },
): AsyncGenerator<Uint8Array, void> {
  const { feed } = input;
  feed.format = 'gzip';
  await runAll(readHeader(feed), input);
  const start = feed.offset;
  let crc = 0;
  let length = 0;
  try {
    for await (const piece of inflateMember(input)) {
      crc = crc32(piece, crc);
      length += piece.length;
      if (length > maxBytes) throw tooLarge('gzip', maxBytes, start);
      yield piece;
    }
  } catch (error) {
    throw inflateError(error, feed, start, maxBytes);
  }
  await runAll(checkTrailer(feed, crc, length), input);
}

/** One member at the best level, with nothing in the header that depends on the machine or the time. */
export function encodeGzip(data: Uint8Array): Uint8Array {
  const member = gzipSync(data, { level: constants.Z_BEST_COMPRESSION });
  member[OS_OFFSET] = OS_UNKNOWN;
  return member;
}

/** Moves past the header. Names and comments are as long as they like, so it is checked as it comes. */
function* readHeader(feed: ByteFeed): Steps<never> {
  const start = feed.offset;
  let crc = 0;
  const pass = (length: number): Uint8Array => {
    const bytes = feed.take(length);
    crc = crc32(bytes, crc);
    return bytes;
  };
  const take = function* (length: number): Steps<never, number> {
    yield* feed.need(length);
    return pass(length).reduceRight((value, byte) => value * 256 + byte, 0);
  };
  const skipString = function* (): Steps<never> {
    for (let end = -1; end < 0;) {
      yield* feed.need(1);
      end = feed.bytes.indexOf(0, feed.index);
      pass(end < 0 ? feed.available : end + 1 - feed.index);
    }
  };
  if ((yield* take(2)) !== MAGIC) throw feed.error('lacks the magic number', start);
  if ((yield* take(1)) !== DEFLATE) throw feed.error('has an unknown compression method', start + 2);
  const flags = yield* take(1);
  if ((flags & RESERVED) !== 0) throw feed.error('has unknown flags', start + 3);
  yield* take(6);
  if ((flags & EXTRA) !== 0) yield* take(yield* take(2));
  if ((flags & NAME) !== 0) yield* skipString();
  if ((flags & COMMENT) !== 0) yield* skipString();
  if ((flags & HEADER_CRC) !== 0) {
    const expected = crc & 0xffff;
    if ((yield* take(2)) !== expected) throw feed.error('has a damaged header', start);
  }
}

/** `crc` and `length` are those of what was unpacked. */
function* checkTrailer(feed: ByteFeed, crc: number, length: number): Steps<never> {
  const start = feed.offset;
  yield* feed.need(TRAILER_SIZE);
  if (feed.uint(4) !== crc) throw feed.error('does not match its CRC32', start);
  if (feed.uint(4) !== length % 2 ** 32) throw feed.error('does not match its length', start + 4);
}

function inflate(feed: ByteFeed, maxBytes: number): Uint8Array {
  const start = feed.offset;
  try {
    const result: object = inflateRawSync(feed.bytes.subarray(feed.index), {
      info: true,
      // zlib takes no limit of 0; one byte too many is still found below.
      maxOutputLength: Math.max(maxBytes, 1),
      chunkSize: CHUNK_SIZE,
    });
    if (!isInflated(result)) throw new TypeError('zlib returned no info');
    const { buffer, engine } = result;
    if (buffer.length > maxBytes) throw tooLarge('gzip', maxBytes, start);
    feed.take(engine.bytesWritten);
    return buffer;
  } catch (error) {
    throw inflateError(error, feed, start, maxBytes);
  }
}

/** The decompressed output of the current deflate stream; afterwards, the input is at its end. */
async function* inflateMember(input: ByteInput): AsyncGenerator<Uint8Array, void> {
  const inflater = createInflateRaw({ chunkSize: PIECE_SIZE });
  const { feed } = input;
  const pieces = async function* (): AsyncGenerator<Uint8Array, void> {
    while (await hasMore(input)) {
      const before = inflater.bytesWritten;
      const piece = feed.bytes.subarray(feed.index, feed.index + PIECE_SIZE);
      yield piece;
      const used = inflater.bytesWritten - before;
      feed.take(used);
      if (used < piece.length) return; // zlib takes no more than belongs to the stream
    }
  };
  yield* throughZlib(inflater, pieces());
}

interface Inflated {
  readonly buffer: Uint8Array;
  /** `bytesWritten` is what zlib consumed. */
  readonly engine: { readonly bytesWritten: number };
}

/** Node's types do not know what zlib returns with `info`. */
function isInflated(result: object): result is Inflated {
  return 'engine' in result;
}

/** `start` is the offset of the deflate stream. */
function inflateError(error: unknown, feed: ByteFeed, start: number, maxBytes: number): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ERR_BUFFER_TOO_LARGE':
      return tooLarge('gzip', maxBytes, start);
    case 'Z_BUF_ERROR':
      return feed.cutOff();
    case 'Z_DATA_ERROR':
      return feed.error('is corrupt in the deflate stream', start);
    default:
      return error;
  }
}
