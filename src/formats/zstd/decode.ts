/**
 * Zstandard data (RFC 8878): consecutive frames as one stream. The blocks are walked here, which shows where a frame ends and
 * about where an error is; Node's zlib decodes them, or before Node 22.15 the package fzstd, which does not verify the
 * checksums of frames. Left out: dictionaries, and windows that zstd itself takes only with `--long=31`.
 */

import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { ByteReader } from '../byteReader.ts';
import { tooLarge, ZlibUnpacker } from '../codec.ts';
import { hasEndlessWeights } from './endlessWeights.ts';
import { CHECKSUM_SIZE, type FrameHeader, isZstd, MAGIC_SIZE, readFrameHeader } from './frames.ts';

/** Decodes one frame, which it gets in pieces. It throws where they are damaged. */
export interface FrameDecoder {
  unpack(piece: Uint8Array, isLast: boolean): Promise<readonly Uint8Array[]>;
  close(): void;
}

/**
 * Decodes consecutive frames as one stream, up to the first bytes that start no frame. A piece is good until the next one
 * is asked for.
 *
 * @param startDecoder default: the decoder of Node if it has one
 * @throws FormatError with the offset, when a frame is damaged, truncated, not supported or too large.
 */
export async function* unpackZstd(
  reader: ByteReader,
  maxBytes: number,
  startDecoder = startNodeDecoder() ?? startFzstd,
): AsyncGenerator<Uint8Array, void> {
  reader.format = 'zstd';
  let room = maxBytes;
  do {
    const { offset } = reader;
    const header = await readFrameHeader(reader);
    if (header !== 'skippable') {
      if ((header.contentSize ?? 0) > room) throw tooLarge('zstd', maxBytes, offset);
      for await (const piece of unpackFrame(header, reader, await startDecoder())) {
        room -= piece.length;
        if (room < 0) throw tooLarge('zstd', maxBytes, offset);
        yield piece;
      }
    }
    await reader.has(MAGIC_SIZE);
  } while (isZstd(reader.bytes));
}

const OUTPUT_SIZE = 64 * 1024;

/** Undefined before Node 22.15. A function, as loading zlib takes 3 ms, which `validate` seldom needs. */
export function startNodeDecoder(): (() => FrameDecoder) | undefined {
  // Node's types of the oldest supported version do not know it.
  const {
    createZstdDecompress,
  }: typeof zlib & {
    readonly createZstdDecompress?: (options: {
      readonly chunkSize: number;
    }) => Transform & { readonly bytesWritten: number };
  } = zlib;
  return createZstdDecompress && (() => new ZlibUnpacker(createZstdDecompress({ chunkSize: OUTPUT_SIZE })));
}

export async function startFzstd(): Promise<FrameDecoder> {
  const { Decompress } = await import('fzstd');
  let unpacked: Uint8Array[] = [];
  const decoder = new Decompress((piece) => unpacked.push(piece));
  return {
    unpack: async (piece, isLast) => {
      unpacked = [];
      decoder.push(Uint8Array.from(piece), isLast); // it keeps the first bytes until there are enough of them
      return unpacked;
    },
    close: () => undefined,
  };
}

async function* unpackFrame(
  header: FrameHeader,
  reader: ByteReader,
  decoder: FrameDecoder,
): AsyncGenerator<Uint8Array, void> {
  const { bytes, contentSize, hasChecksum, start, windowSize } = header;
  let length = 0;
  const decode = async (part: Uint8Array, isLast: boolean, offset: number, problem: string) => {
    const unpacked = await decoder.unpack(part, isLast).catch(() => {
      throw reader.error(problem, offset);
    });
    for (const piece of unpacked) length += piece.length;
    return unpacked;
  };
  try {
    yield* await decode(bytes, false, start, 'has a damaged frame header');
    for (let isLast = false; !isLast;) {
      const { offset } = reader;
      const block = await takeBlock(reader, Math.min(windowSize, MAX_BLOCK));
      ({ isLast } = block);
      yield* await decode(block.bytes, isLast && !hasChecksum, offset, DAMAGED_BLOCK);
    }
    if (hasChecksum) {
      const { offset } = reader;
      yield* await decode(await reader.take(CHECKSUM_SIZE), true, offset, 'does not match its checksum');
    }
  } finally {
    decoder.close();
  }
  if (length !== (contentSize ?? length))
    throw reader.error('has a length that differs from its frame header');
}

const DAMAGED_BLOCK = 'has a damaged block';

/** Takes a block with its header (RFC 8878, section 3.1.1.2). @param maxBlock bytes that it has at most, packed and unpacked */
async function takeBlock(
  reader: ByteReader,
  maxBlock: number,
): Promise<{ readonly bytes: Uint8Array; readonly isLast: boolean }> {
  const { offset } = reader;
  if (!(await reader.has(BLOCK_HEADER_SIZE))) throw reader.truncated();
  const header = reader.bytes.readUIntLE(0, BLOCK_HEADER_SIZE);
  const kind = BLOCK_KINDS[(header >> 1) & 3];
  const size = header >> 3;
  if (kind === undefined) throw reader.error('has an unknown kind of block', offset);
  if (size > maxBlock) throw reader.error('has a block that is too large', offset);
  const bytes = await reader.take(BLOCK_HEADER_SIZE + (kind === 'repeated' ? 1 : size));
  if (kind === 'compressed' && hasEndlessWeights(bytes.subarray(BLOCK_HEADER_SIZE)))
    throw reader.error(DAMAGED_BLOCK, offset);
  return { bytes, isLast: (header & 1) === 1 };
}

const BLOCK_HEADER_SIZE = 3;
const BLOCK_KINDS = ['raw', 'repeated', 'compressed'] as const;
const MAX_BLOCK = 128 * 1024;
