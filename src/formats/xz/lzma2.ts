/** LZMA2: a row of chunks that are stored or coded by LZMA, each with its sizes (xz file format 1.2.1, section 5.3.1). */

import { UnsupportedError } from '../../core/errors.ts';
import type { ByteReader } from '../byteReader.ts';
import { tooLarge } from '../codec.ts';
import { type LzmaDecoder, MAX_DICTIONARY } from './lzmaDecoder.ts';
import { parseProperties } from './lzmaModel.ts';

/** The byte that starts a chunk. */
const END = 0x00;
const STORED_AFTER_RESET = 0x01;
const STORED = 0x02;
/** The coded ones, whose low five bits belong to the size. Each of the following resets what those before it do, and more. */
const CODED = 0x80;
const STATE_RESET = 0xa0;
const NEW_PROPERTIES = 0xc0;
const DICTIONARY_RESET = 0xe0;

/** Decodes one block after the other. */
export interface Lzma2Decoder {
  readonly reader: ByteReader;
  readonly maxBytes: number;
  readonly lzma: LzmaDecoder;
  /** Unpacked bytes of all blocks so far. */
  length: number;
}

/** Decodes the chunks of one block. `dictionarySize` in bytes. */
export async function* decodeLzma2Block(
  decoder: Lzma2Decoder,
  dictionarySize: number,
): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  lzma.startBlock(dictionarySize);
  let needsDictionary = true;
  let needsProperties = true;
  for (;;) {
    const start = reader.offset;
    const control = (await reader.take(1))[0]!;
    if (control === END) return;
    if (control > STORED && control < CODED) throw reader.error('has an unknown kind of LZMA2 chunk', start);
    if (control === STORED_AFTER_RESET || control >= DICTIONARY_RESET) {
      lzma.resetDictionary();
      needsDictionary = false;
      needsProperties = true;
    }
    if (control >= NEW_PROPERTIES) needsProperties = false;
    if (needsDictionary || (control >= CODED && needsProperties)) {
      throw reader.error('has an LZMA2 chunk that lacks a reset', start);
    }
    yield* control < CODED ? copyChunk(decoder) : decodeChunk(decoder, control);
  }
}

async function* copyChunk(decoder: Lzma2Decoder): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  const size = (await reader.take(2)).readUInt16BE() + 1;
  const stored = await reader.take(size);
  countOutput(decoder, size);
  for (let rest = stored; rest.length > 0;) {
    const length = Math.min(rest.length, roomIn(decoder));
    yield lzma.store(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
}

async function* decodeChunk(decoder: Lzma2Decoder, control: number): AsyncGenerator<Uint8Array, void> {
  const { reader, lzma } = decoder;
  const header = await reader.take(control >= NEW_PROPERTIES ? 5 : 4);
  const uncompressedSize = (control & 0x1f) * 0x1_0000 + header.readUInt16BE() + 1;
  const compressedSize = header.readUInt16BE(2) + 1;
  if (control >= NEW_PROPERTIES) {
    const properties = parseProperties(header[4]!);
    if (properties === undefined) {
      throw reader.error('has LZMA properties that LZMA2 does not allow', reader.offset - 1);
    }
    lzma.properties = properties;
  }
  if (control >= STATE_RESET) lzma.resetState();

  const start = reader.offset;
  let isSound = lzma.startChunk(await reader.take(compressedSize));
  countOutput(decoder, uncompressedSize);
  for (let left = uncompressedSize; isSound && left > 0;) {
    const length = Math.min(left, roomIn(decoder));
    const piece = lzma.decode(length);
    isSound = piece !== undefined;
    if (piece !== undefined) yield piece;
    left -= length;
  }
  if (!isSound || !lzma.isChunkOver()) throw reader.error('is corrupt in the LZMA2 chunk', start);
}

function countOutput(decoder: Lzma2Decoder, size: number): void {
  const { reader, maxBytes } = decoder;
  decoder.length += size;
  if (decoder.length > maxBytes) throw tooLarge('xz', maxBytes, reader.offset);
}

function roomIn({ reader, lzma }: Lzma2Decoder): number {
  const room = lzma.room();
  if (room > 0) return room;
  const problem = `requires a larger dictionary than ${MAX_DICTIONARY} bytes`;
  throw reader.error(problem, reader.offset, UnsupportedError);
}
