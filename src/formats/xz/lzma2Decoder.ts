/** Decodes LZMA2: a row of chunks that are stored or coded by LZMA, each with its sizes (xz file format 5.3.1). */

import type { ByteCursor } from '../byteCursor.ts';
import { tooLarge } from '../codec.ts';
import * as chunk from './lzma2Chunk.ts';
import { createLzmaDecoder, decodeSymbols, resetLzmaState, type LzmaDecoder } from './lzmaDecoder.ts';
import { parseProperties } from './lzmaModel.ts';
import { endRangeDecoder, RANGE_CODER_HEADER, startRangeDecoder } from './rangeDecoder.ts';

/** Decodes one block after the other into one output. */
export interface Lzma2Decoder {
  readonly cursor: ByteCursor;
  readonly maxBytes: number;
  readonly lzma: LzmaDecoder;
}

/** The cursor is moved past whatever is decoded. */
export function createLzma2Decoder(cursor: ByteCursor, maxBytes: number): Lzma2Decoder {
  return { cursor, maxBytes, lzma: createLzmaDecoder(cursor.bytes) };
}

/** Decodes the chunks of one block and appends their bytes to `lzma.output`. `dictionarySize` in bytes. */
export function decodeLzma2Block(decoder: Lzma2Decoder, dictionarySize: number): void {
  const { cursor, lzma } = decoder;
  lzma.dictionarySize = dictionarySize;
  let needsDictionary = true;
  let needsProperties = true;
  for (;;) {
    const start = cursor.offset;
    const control = cursor.uint8();
    if (control === chunk.END) return;
    if (control > chunk.STORED && control < chunk.CODED)
      throw cursor.error('has an unknown kind of LZMA2 chunk', start);
    if (control === chunk.STORED_AFTER_RESET || control >= chunk.DICTIONARY_RESET) {
      lzma.dictionaryStart = lzma.length;
      needsDictionary = false;
      needsProperties = true;
    }
    if (control >= chunk.NEW_PROPERTIES) needsProperties = false;
    if (needsDictionary || (control >= chunk.CODED && needsProperties)) {
      throw cursor.error('has an LZMA2 chunk that lacks a reset', start);
    }
    if (control < chunk.CODED) {
      copyChunk(decoder);
    } else {
      decodeChunk(decoder, control);
    }
  }
}

function copyChunk(decoder: Lzma2Decoder): void {
  const { cursor, lzma } = decoder;
  const size = cursor.uint16BigEndian() + 1;
  const stored = cursor.take(size);
  growOutput(decoder, size);
  lzma.output.set(stored, lzma.length);
  lzma.length += size;
}

function decodeChunk(decoder: Lzma2Decoder, control: number): void {
  const { cursor, lzma } = decoder;
  const uncompressedSize = (control & 0x1f) * 0x1_0000 + cursor.uint16BigEndian() + 1;
  const compressedSize = cursor.uint16BigEndian() + 1;
  if (control >= chunk.NEW_PROPERTIES) {
    const properties = parseProperties(cursor.uint8());
    if (properties === undefined) {
      throw cursor.error('has LZMA properties that LZMA2 does not allow', cursor.offset - 1);
    }
    lzma.properties = properties;
  }
  if (control >= chunk.STATE_RESET) resetLzmaState(lzma);

  const start = cursor.offset;
  cursor.take(compressedSize);
  growOutput(decoder, uncompressedSize);
  const sound =
    compressedSize >= RANGE_CODER_HEADER &&
    startRangeDecoder(lzma, start) &&
    decodeSymbols(lzma, lzma.length + uncompressedSize) &&
    endRangeDecoder(lzma, cursor.offset);
  if (!sound) throw cursor.error('is corrupt in the LZMA2 chunk', start);
}

/** Makes room for `size` more bytes, at least doubling the output so that copying stays linear. */
function growOutput({ cursor, lzma, maxBytes }: Lzma2Decoder, size: number): void {
  const needed = lzma.length + size;
  if (needed > maxBytes) throw tooLarge('xz', maxBytes, cursor.offset);
  if (needed <= lzma.output.length) return;
  const grown = new Uint8Array(Math.min(Math.max(needed, lzma.output.length * 2), maxBytes));
  grown.set(lzma.output.subarray(0, lzma.length));
  lzma.output = grown;
}
