/** Encodes LZMA2, the counterpart of lzma2Decoder.ts. Chunks that LZMA does not make smaller are stored. */

import * as chunk from './lzma2Chunk.ts';
import { createLzmaEncoder, PROPERTIES, resetLzmaEncoder, type LzmaEncoder } from './lzmaEncoder.ts';
import { formatProperties, MAX_MATCH } from './lzmaModel.ts';
import { createLzmaParser, encodeNextSymbol, type LzmaParser } from './lzmaParser.ts';
import { createMatchFinder } from './matchFinder.ts';
import { endRangeEncoder, RANGE_CODER_TAIL, startRangeEncoder } from './rangeEncoder.ts';

/** More bytes than one symbol can take. */
const MAX_SYMBOL = 32;

/** The chunks of one block, up to their end mark. The dictionary has to be as large as the data. */
export function encodeLzma2Block(data: Uint8Array): Uint8Array {
  const encoder = createLzmaEncoder(data, chunk.MAX_COMPRESSED);
  const parser = createLzmaParser(createMatchFinder(data));
  const pieces: Uint8Array[] = [];
  let control = chunk.DICTIONARY_RESET;
  for (let start = 0; start < data.length;) {
    const end = encodeSymbols(parser, encoder, start);
    const compressed = endRangeEncoder(encoder);
    if (compressed.length < end - start) {
      pieces.push(codedHeader(control, end - start, compressed.length), compressed.slice());
      control = chunk.CODED;
    } else {
      pieces.push(storedHeader(control, end - start), data.subarray(start, end));
      resetLzmaEncoder(encoder);
      control = control >= chunk.NEW_PROPERTIES ? chunk.NEW_PROPERTIES : chunk.STATE_RESET;
    }
    start = end;
  }
  return Buffer.concat([...pieces, Uint8Array.of(chunk.END)]);
}

/** Encodes as much as fits into one chunk and returns where that ends. */
function encodeSymbols(parser: LzmaParser, encoder: LzmaEncoder, start: number): number {
  const lastStart = Math.min(encoder.data.length, start + chunk.MAX_UNCOMPRESSED - MAX_MATCH + 1);
  const room = chunk.MAX_COMPRESSED - MAX_SYMBOL - RANGE_CODER_TAIL;
  startRangeEncoder(encoder);
  let position = start;
  while (position < lastStart && encoder.position <= room) {
    position += encodeNextSymbol(parser, encoder, position);
  }
  return position;
}

function codedHeader(control: number, uncompressedSize: number, compressedSize: number): Uint8Array {
  const size = uncompressedSize - 1;
  const header = [control | (size >> 16), size >> 8, size, (compressedSize - 1) >> 8, compressedSize - 1];
  return Uint8Array.from(
    control >= chunk.NEW_PROPERTIES ? [...header, formatProperties(PROPERTIES)] : header,
  );
}

function storedHeader(control: number, size: number): Uint8Array {
  const kind = control === chunk.DICTIONARY_RESET ? chunk.STORED_AFTER_RESET : chunk.STORED;
  return Uint8Array.of(kind, (size - 1) >> 8, size - 1);
}
