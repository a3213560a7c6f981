/**
 * Zstandard data (RFC 8878). The frames are walked here, which tells where they end; their blocks are decoded by Node's
 * zlib (from 22.15 on), or else by fzstd, which does not look at the checksum of a frame and takes longer. Left out:
 * dictionaries, and windows that zstd itself takes only with `--long=31`.
 */

import * as zlib from 'node:zlib';
import { ByteCursor } from './byteCursor.ts';
import { errorCode, OUTPUT_TOO_LARGE, tooLarge, type Decoded, type DecodeOptions } from './codec.ts';

/** Decodes one frame. Throws whatever it likes when it cannot, with Node's code `ERR_BUFFER_TOO_LARGE` past `maxBytes`. */
export type ZstdEngine = (frame: Uint8Array, maxBytes: number) => Uint8Array;

export interface ZstdOptions extends DecodeOptions {
  /** What decodes a frame; the fastest that is there unless given. */
  readonly engine?: ZstdEngine;
}

const FRAME_MAGIC = 0xfd2f_b528;
const SKIPPABLE_MAGIC = 0x184d_2a50;

/** Bits of the frame header descriptor (RFC 8878, section 3.1.1.1.1). */
const SINGLE_SEGMENT = 0x20;
const RESERVED = 0x08;
const HAS_CHECKSUM = 0x04;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];

/** The largest window that zstd decodes unless told otherwise. */
const MAX_WINDOW = 128 * 1024 * 1024;
const MAX_BLOCK = 128 * 1024;
const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

/** Whether a zstd frame or a skippable frame starts at `offset`. */
export function isZstd(bytes: Uint8Array, offset = 0): boolean {
  if (bytes.length - offset < 4) return false;
  const magic = new ByteCursor(bytes, offset, 'zstd').uint32();
  return magic === FRAME_MAGIC || isSkippable(magic);
}

/**
 * Decodes consecutive frames as one stream, up to the first bytes that start no frame.
 *
 * @throws FormatError with the offset, when a frame is damaged, cut off, not supported or too large.
 */
export async function decodeZstd(bytes: Uint8Array, options: ZstdOptions): Promise<Decoded> {
  const { offset = 0, maxBytes, engine = nodeEngine ?? (await loadFzstd()) } = options;
  const cursor = new ByteCursor(bytes, offset, 'zstd');
  const pieces: Uint8Array[] = [];
  let length = 0;
  do {
    const start = cursor.offset;
    const frame = walkFrame(cursor);
    if (frame === 'skippable') continue;
    const room = maxBytes - length;
    if ((frame.contentSize ?? 0) > room) throw tooLarge('zstd', maxBytes, start);
    const data = runEngine(engine, bytes.subarray(start, cursor.offset), room);
    if (data === 'too large') throw tooLarge('zstd', maxBytes, start);
    if (data === 'corrupt' || data.length !== (frame.contentSize ?? data.length)) {
      throw cursor.error('is corrupt in the frame', start);
    }
    pieces.push(data);
    length += data.length;
  } while (isZstd(bytes, cursor.offset));
  return { data: joined(pieces), end: cursor.offset };
}

/** Decodes frames by fzstd. */
export async function loadFzstd(): Promise<ZstdEngine> {
  const { Decompress } = await import('fzstd');
  return (frame, maxBytes) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const stream = new Decompress((piece) => {
      length += piece.length;
      if (length > maxBytes) throw Object.assign(new Error('too much output'), { code: OUTPUT_TOO_LARGE });
      pieces.push(piece);
    });
    stream.push(frame, true);
    return joined(pieces);
  };
}

type ZstdDecompress = (data: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** Decodes frames by Node, where it can. */
export const nodeEngine: ZstdEngine | undefined = findNodeEngine();

function findNodeEngine(): ZstdEngine | undefined {
  // Node's types of the oldest supported version do not know it.
  const decompress: unknown = Reflect.get(zlib, 'zstdDecompressSync');
  return isZstdDecompress(decompress)
    ? (frame, maxBytes) => decompress(frame, { maxOutputLength: Math.max(maxBytes, 1) })
    : undefined;
}

function isZstdDecompress(value: unknown): value is ZstdDecompress {
  return typeof value === 'function';
}

function runEngine(
  engine: ZstdEngine,
  frame: Uint8Array,
  maxBytes: number,
): Uint8Array | 'too large' | 'corrupt' {
  try {
    const data = engine(frame, maxBytes);
    return data.length > maxBytes ? 'too large' : data;
  } catch (error) {
    return errorCode(error) === OUTPUT_TOO_LARGE ? 'too large' : 'corrupt';
  }
}

interface Frame {
  /** Bytes, where the frame says so. */
  readonly contentSize: number | undefined;
}

/** Moves the cursor past one frame (RFC 8878, section 3.1). */
function walkFrame(cursor: ByteCursor): Frame | 'skippable' {
  const start = cursor.offset;
  const magic = cursor.uint32();
  if (isSkippable(magic)) {
    cursor.take(cursor.uint32());
    return 'skippable';
  }
  if (magic !== FRAME_MAGIC) throw cursor.error('lacks the magic number', start);
  const descriptor = cursor.uint8();
  const contentSize = readFrameHeader(cursor, descriptor);
  walkBlocks(cursor);
  if ((descriptor & HAS_CHECKSUM) !== 0) cursor.take(4);
  return { contentSize };
}

function isSkippable(magic: number): boolean {
  return (magic & ~0xf) >>> 0 === SKIPPABLE_MAGIC;
}

/** Reads what follows the descriptor and returns the size of the content. */
function readFrameHeader(cursor: ByteCursor, descriptor: number): number | undefined {
  const start = cursor.offset - 1;
  if ((descriptor & RESERVED) !== 0) throw cursor.error('has unknown flags in a frame header', start);
  const isSingleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  if (!isSingleSegment && windowSize(cursor.uint8()) > MAX_WINDOW) {
    throw cursor.error('needs too large a window', start + 1);
  }
  if (cursor.uint(DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) !== 0) {
    throw cursor.error('needs a dictionary, which is not supported,', start);
  }
  const sizeCode = descriptor >> 6;
  if (sizeCode === 0) return isSingleSegment ? cursor.uint8() : undefined;
  // The size in two bytes starts where that in one byte ends.
  return cursor.uint(CONTENT_SIZE_BYTES[sizeCode] ?? 0) + (sizeCode === 1 ? 256 : 0);
}

function windowSize(code: number): number {
  const base = 2 ** (10 + (code >> 3));
  return base + (base / 8) * (code & 7);
}

/** Section 3.1.1.2. */
function walkBlocks(cursor: ByteCursor): void {
  for (let isLast = false; !isLast;) {
    const start = cursor.offset;
    const header = cursor.uint(3);
    const type = (header >> 1) & 3;
    const size = header >> 3;
    if (type === BLOCK_RESERVED || size > MAX_BLOCK)
      throw cursor.error('has an unknown kind of block', start);
    cursor.take(type === BLOCK_RLE ? 1 : size);
    isLast = (header & 1) === 1;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(0), ...rest] = pieces;
  return rest.length === 0 ? first : Buffer.concat(pieces);
}
