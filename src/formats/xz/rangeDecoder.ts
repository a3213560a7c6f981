/** The range decoder of LZMA: bits from bytes, by adaptive probabilities or by halves. */

import { ADAPT_SHIFT, PROBABILITY_BITS, PROBABILITY_ONE } from './lzmaModel.ts';

/** `range` and `code` are unsigned 32-bit numbers, kept as signed ones: those stay small integers in V8. */
export interface RangeDecoder {
  readonly input: Uint8Array;
  /** The probabilities (see lzmaModel.ts). */
  readonly model: Uint16Array;
  /** Next byte of the input; bytes past its end count as 0, so whoever drives this compares it with the end. */
  position: number;
  range: number;
  code: number;
}

/** Bytes that start every range-coded chunk. */
export const RANGE_CODER_HEADER = 5;

/** Reads the five bytes that start a chunk; false if they cannot be such a start. */
export function startRangeDecoder(decoder: RangeDecoder, position: number): boolean {
  const { input } = decoder;
  decoder.position = position + RANGE_CODER_HEADER;
  decoder.range = -1;
  decoder.code =
    (input[position + 1]! << 24) |
    (input[position + 2]! << 16) |
    (input[position + 3]! << 8) |
    input[position + 4]!;
  return input[position] === 0;
}

/** Whether the chunk ended where the encoder ended it. */
export function endRangeDecoder(decoder: RangeDecoder, end: number): boolean {
  normalize(decoder);
  return decoder.position === end && decoder.code === 0;
}

/** One bit by the probability at `index`, which then follows the bit. */
export function decodeBit(decoder: RangeDecoder, index: number): number {
  normalize(decoder);
  const { model } = decoder;
  const probability = model[index]!;
  const bound = Math.imul(decoder.range >>> PROBABILITY_BITS, probability);
  if (decoder.code >>> 0 < bound >>> 0) {
    decoder.range = bound;
    model[index] = probability + ((PROBABILITY_ONE - probability) >> ADAPT_SHIFT);
    return 0;
  }
  decoder.range = (decoder.range - bound) | 0;
  decoder.code = (decoder.code - bound) | 0;
  model[index] = probability - (probability >> ADAPT_SHIFT);
  return 1;
}

/** A symbol of `bits` bits, most significant first, from the tree at `base`. */
export function decodeTree(decoder: RangeDecoder, base: number, bits: number): number {
  let node = 1;
  for (let bit = 0; bit < bits; bit++) {
    node = (node << 1) | decodeBit(decoder, base + node);
  }
  return node - (1 << bits);
}

/** The same, least significant bit first. */
export function decodeReverseTree(decoder: RangeDecoder, base: number, bits: number): number {
  let node = 1;
  let symbol = 0;
  for (let bit = 0; bit < bits; bit++) {
    const value = decodeBit(decoder, base + node);
    node = (node << 1) | value;
    symbol |= value << bit;
  }
  return symbol;
}

/** Bits that are as likely 0 as 1. */
export function decodeDirectBits(decoder: RangeDecoder, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) {
    normalize(decoder);
    decoder.range >>>= 1;
    const one = decoder.code >>> 0 >= decoder.range ? 1 : 0;
    decoder.code = (decoder.code - (one === 1 ? decoder.range : 0)) | 0;
    result = (result << 1) | one;
  }
  return result;
}

function normalize(decoder: RangeDecoder): void {
  if (decoder.range >>> 24 === 0) {
    decoder.range <<= 8;
    decoder.code = (decoder.code << 8) | decoder.input[decoder.position++]!;
  }
}
