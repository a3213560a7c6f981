/**
 * The range decoder of LZMA: bits from bytes, by adaptive probabilities or by halves. Unpacking an initramfs is mostly
 * this, so symbols of several bits keep the state in variables meanwhile, and repeat what a bit takes.
 */

import { ADAPT_SHIFT, PROBABILITY_BITS, PROBABILITY_ONE } from './lzmaModel.ts';

/** `range` and `code` are unsigned 32-bit numbers, kept as signed ones: those stay small integers in V8. */
export interface RangeDecoder {
  input: Uint8Array;
  /** The probabilities (see lzmaModel.ts). */
  readonly model: Uint16Array;
  /** Next byte of the input; bytes past its end count as 0, so the caller compares it with the end. */
  position: number;
  range: number;
  code: number;
}

/** Bytes that start every range-coded chunk. */
export const RANGE_CODER_HEADER = 5;

/** Reads the five bytes that start a chunk; false if they cannot be such a start. */
export function startRangeDecoder(decoder: RangeDecoder, input: Uint8Array): boolean {
  decoder.input = input;
  decoder.position = RANGE_CODER_HEADER;
  decoder.range = -1;
  decoder.code = (input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!;
  return input[0] === 0;
}

/** Whether the chunk ended where the encoder ended it. */
export function endRangeDecoder(decoder: RangeDecoder): boolean {
  if (decoder.range >>> 24 === 0) shiftIn(decoder);
  return decoder.position === decoder.input.length && decoder.code === 0;
}

/** One bit by the probability at `index`, which then follows the bit. */
export function decodeBit(decoder: RangeDecoder, index: number): number {
  if (decoder.range >>> 24 === 0) shiftIn(decoder);
  const { model, range, code } = decoder;
  const probability = model[index]!;
  const bound = Math.imul(range >>> PROBABILITY_BITS, probability);
  if (code >>> 0 < bound >>> 0) {
    decoder.range = bound;
    model[index] = probability + ((PROBABILITY_ONE - probability) >> ADAPT_SHIFT);
    return 0;
  }
  decoder.range = (range - bound) | 0;
  decoder.code = (code - bound) | 0;
  model[index] = probability - (probability >> ADAPT_SHIFT);
  return 1;
}

/** A symbol of `bits` bits, most significant first, from the tree at `base`. */
export function decodeTree(decoder: RangeDecoder, base: number, bits: number): number {
  const { model, input } = decoder;
  let { range, code, position } = decoder;
  let node = 1;
  for (let bit = 0; bit < bits; bit++) {
    if (range >>> 24 === 0) {
      range <<= 8;
      code = (code << 8) | input[position++]!;
    }
    const probability = model[base + node]!;
    const bound = Math.imul(range >>> PROBABILITY_BITS, probability);
    if (code >>> 0 < bound >>> 0) {
      range = bound;
      model[base + node] = probability + ((PROBABILITY_ONE - probability) >> ADAPT_SHIFT);
      node <<= 1;
    } else {
      range = (range - bound) | 0;
      code = (code - bound) | 0;
      model[base + node] = probability - (probability >> ADAPT_SHIFT);
      node = (node << 1) | 1;
    }
  }
  decoder.range = range;
  decoder.code = code;
  decoder.position = position;
  return node - (1 << bits);
}

/**
 * A byte from the three trees at `base`: as long as its bits are those of `expected`, that one's next bit chooses between
 * the second and the third.
 */
export function decodeMatchedTree(decoder: RangeDecoder, base: number, expected: number): number {
  const { model, input } = decoder;
  let { range, code, position } = decoder;
  let node = 1;
  let pattern = expected;
  let tree = 0x100;
  while (node < 0x100) {
    pattern <<= 1;
    const chosen = pattern & tree;
    const index = base + tree + chosen + node;
    if (range >>> 24 === 0) {
      range <<= 8;
      code = (code << 8) | input[position++]!;
    }
    const probability = model[index]!;
    const bound = Math.imul(range >>> PROBABILITY_BITS, probability);
    if (code >>> 0 < bound >>> 0) {
      range = bound;
      model[index] = probability + ((PROBABILITY_ONE - probability) >> ADAPT_SHIFT);
      node <<= 1;
      tree &= ~chosen;
    } else {
      range = (range - bound) | 0;
      code = (code - bound) | 0;
      model[index] = probability - (probability >> ADAPT_SHIFT);
      node = (node << 1) | 1;
      tree &= chosen;
    }
  }
  decoder.range = range;
  decoder.code = code;
  decoder.position = position;
  return node & 0xff;
}

/** Bits that are as likely 0 as 1. */
export function decodeDirectBits(decoder: RangeDecoder, bits: number): number {
  const { input } = decoder;
  let { range, code, position } = decoder;
  let result = 0;
  for (let bit = 0; bit < bits; bit++) {
    if (range >>> 24 === 0) {
      range <<= 8;
      code = (code << 8) | input[position++]!;
    }
    range >>>= 1;
    code = (code - range) | 0;
    const isZero = code >> 31; // -1 where the subtraction went below zero, as `range` has 31 bits
    code = (code + (range & isZero)) | 0;
    result = (result << 1) + 1 + isZero;
  }
  decoder.range = range;
  decoder.code = code;
  decoder.position = position;
  return result;
}

function shiftIn(decoder: RangeDecoder): void {
  decoder.range <<= 8;
  decoder.code = (decoder.code << 8) | decoder.input[decoder.position++]!;
}
