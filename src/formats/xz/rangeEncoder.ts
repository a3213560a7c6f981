/** The range encoder of LZMA, the counterpart of rangeDecoder.ts. It writes into a buffer that its user makes large enough. */

import { ADAPT_SHIFT, createModel, PROBABILITY_BITS, PROBABILITY_ONE } from './lzmaModel.ts';

/** `low` and `range` are unsigned 32-bit numbers, kept as signed ones: those stay small integers in V8. */
export interface RangeEncoder {
  /** The probabilities (see lzmaModel.ts). */
  readonly model: Uint16Array;
  readonly output: Uint8Array;
  /** Bytes of `output` in use. */
  position: number;
  low: number;
  range: number;
}

/** Bytes that ending a chunk adds. */
export const RANGE_CODER_TAIL = 4;

export function createRangeEncoder(outputSize: number): RangeEncoder {
  return { model: createModel(), output: new Uint8Array(outputSize), position: 0, low: 0, range: 0 };
}

export function startRangeEncoder(encoder: RangeEncoder): void {
  encoder.output[0] = 0;
  encoder.position = 1;
  encoder.low = 0;
  encoder.range = -1;
}

/** The bytes of the chunk, as a view that the next chunk overwrites. */
export function endRangeEncoder(encoder: RangeEncoder): Uint8Array {
  for (let byte = 0; byte < RANGE_CODER_TAIL; byte++) {
    encoder.output[encoder.position++] = encoder.low >>> 24;
    encoder.low <<= 8;
  }
  return encoder.output.subarray(0, encoder.position);
}

/** One bit by the probability at `index`, which then follows the bit. */
export function encodeBit(encoder: RangeEncoder, index: number, bit: number): void {
  const { model } = encoder;
  const probability = model[index]!;
  const bound = Math.imul(encoder.range >>> PROBABILITY_BITS, probability);
  if (bit === 0) {
    encoder.range = bound;
    model[index] = probability + ((PROBABILITY_ONE - probability) >> ADAPT_SHIFT);
  } else {
    addToLow(encoder, bound);
    encoder.range = (encoder.range - bound) | 0;
    model[index] = probability - (probability >> ADAPT_SHIFT);
  }
  normalize(encoder);
}

/** A symbol of `bits` bits, most significant first, with the tree at `base`. */
export function encodeTree(encoder: RangeEncoder, base: number, symbol: number, bits: number): void {
  let node = 1;
  for (let shift = bits - 1; shift >= 0; shift--) {
    const bit = (symbol >>> shift) & 1;
    encodeBit(encoder, base + node, bit);
    node = (node << 1) | bit;
  }
}

/** The same, least significant bit first. */
export function encodeReverseTree(encoder: RangeEncoder, base: number, symbol: number, bits: number): void {
  let node = 1;
  for (let shift = 0; shift < bits; shift++) {
    const bit = (symbol >>> shift) & 1;
    encodeBit(encoder, base + node, bit);
    node = (node << 1) | bit;
  }
}

/** Bits that are as likely 0 as 1. */
export function encodeDirectBits(encoder: RangeEncoder, value: number, bits: number): void {
  for (let shift = bits - 1; shift >= 0; shift--) {
    encoder.range >>>= 1;
    if (((value >>> shift) & 1) === 1) addToLow(encoder, encoder.range);
    normalize(encoder);
  }
}

/** A carry goes right into the bytes that were already written. */
function addToLow(encoder: RangeEncoder, value: number): void {
  const low = (encoder.low + value) | 0;
  if (low >>> 0 < value >>> 0) {
    const { output } = encoder;
    let index = encoder.position - 1;
    while (output[index] === 0xff) output[index--] = 0;
    output[index]!++;
  }
  encoder.low = low;
}

function normalize(encoder: RangeEncoder): void {
  if (encoder.range >>> 24 === 0) {
    encoder.output[encoder.position++] = encoder.low >>> 24;
    encoder.low <<= 8;
    encoder.range <<= 8;
  }
}
