/**
 * Encodes the symbols of LZMA with a range coder, the counterpart of lzmaDecoder.ts; encode.ts chooses what to encode. The
 * properties are fixed: three bits of the previous byte choose the coder of a literal, and the position is not used, which
 * suits text.
 */

import * as lzma from './lzmaModel.ts';

// The range encoder of LZMA, the counterpart of rangeDecoder.ts. It writes into a buffer that is as large as a chunk.

/** `low` and `range` are unsigned 32-bit numbers, kept as signed ones: those stay small integers in V8. */
interface RangeEncoder {
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
function encodeBit(encoder: RangeEncoder, index: number, bit: number): void {
  const { model } = encoder;
  const probability = model[index]!;
  const bound = Math.imul(encoder.range >>> lzma.PROBABILITY_BITS, probability);
  if (bit === 0) {
    encoder.range = bound;
    model[index] = probability + ((lzma.PROBABILITY_ONE - probability) >> lzma.ADAPT_SHIFT);
  } else {
    addToLow(encoder, bound);
    encoder.range = (encoder.range - bound) | 0;
    model[index] = probability - (probability >> lzma.ADAPT_SHIFT);
  }
  normalize(encoder);
}

/** A symbol of `bits` bits, most significant first, with the tree at `base`. */
function encodeTree(encoder: RangeEncoder, base: number, symbol: number, bits: number): void {
  let node = 1;
  for (let shift = bits - 1; shift >= 0; shift--) {
    const bit = (symbol >>> shift) & 1;
    encodeBit(encoder, base + node, bit);
    node = (node << 1) | bit;
  }
}

/** Bits that are as likely 0 as 1. */
function encodeDirectBits(encoder: RangeEncoder, value: number, bits: number): void {
  for (let shift = bits - 1; shift >= 0; shift--) {
    encoder.range >>>= 1;
    if (((value >>> shift) & 1) === 1) addToLow(encoder, encoder.range);
    normalize(encoder);
  }
}

/** Adds a carry to the bytes that are already written. */
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

export const PROPERTIES: lzma.LzmaProperties = { lc: 3, lp: 0, pb: 0 };

export interface LzmaEncoder extends RangeEncoder {
  readonly data: Uint8Array;
  state: number;
  /** The last four distances, the latest first, in bytes: 1 is the byte before. */
  readonly reps: Int32Array;
}

/** Model and output, which all encoders use in turn: allocating them takes longer than encoding a small file. */
let shared: Pick<RangeEncoder, 'model' | 'output'> | undefined;

/** Makes the encoders before it unusable. */
export function createLzmaEncoder(data: Uint8Array): LzmaEncoder {
  shared ??= { model: lzma.createModel(), output: new Uint8Array(lzma.MAX_COMPRESSED) };
  const { model, output } = shared;
  const reps = new Int32Array(4);
  // V8 compiles the encoder for one shape of this object, and would give it a new shape each time with a spread.
  const encoder = { model, output, position: 0, low: 0, range: 0, data, state: 0, reps };
  resetLzmaEncoder(encoder);
  return encoder;
}

/** Forgets what was learned, as the decoder does at a state reset. */
export function resetLzmaEncoder(encoder: LzmaEncoder): void {
  lzma.resetModel(encoder.model);
  encoder.state = 0;
  encoder.reps.fill(1);
}

export function encodeLiteral(encoder: LzmaEncoder, position: number): void {
  const { data, state } = encoder;
  const byte = data[position]!;
  const base = literalBase(encoder, position);
  encodeBit(encoder, lzma.IS_MATCH + (state << 4), 0);
  if (state < lzma.FIRST_STATE_AFTER_MATCH) {
    encodeTree(encoder, base, byte, 8);
  } else {
    encodeMatchedLiteral(encoder, base, byte, data[position - encoder.reps[0]!]!);
  }
  encoder.state = lzma.stateAfterLiteral(state);
}

/** Where the probabilities of the literal at `position` are. */
export function literalBase({ data }: LzmaEncoder, position: number): number {
  const previous = position === 0 ? 0 : data[position - 1]!;
  return lzma.LITERAL + lzma.LITERAL_CODER * (previous >> (8 - PROPERTIES.lc));
}

function encodeMatchedLiteral(encoder: LzmaEncoder, base: number, byte: number, matched: number): void {
  let node = 1;
  let expected = matched;
  let differs = false;
  for (let shift = 7; shift >= 0; shift--) {
    expected <<= 1;
    const bit = (byte >> shift) & 1;
    const expectedBit = expected & 0x100;
    encodeBit(encoder, differs ? base + node : base + 0x100 + expectedBit + node, bit);
    differs ||= expectedBit >> 8 !== bit;
    node = (node << 1) | bit;
  }
}

/** A match at a new distance. */
export function encodeMatch(encoder: LzmaEncoder, length: number, distance: number): void {
  const { state, reps } = encoder;
  encodeBit(encoder, lzma.IS_MATCH + (state << 4), 1);
  encodeBit(encoder, lzma.IS_REP + state, 0);
  encodeLength(encoder, lzma.MATCH_LENGTH, length);
  encodeDistance(encoder, length, distance - 1);
  reps.copyWithin(1, 0, 3);
  reps[0] = distance;
  encoder.state = lzma.stateAfterMatch(state);
}

/** A match at the distance `reps[index]`. Only at the latest distance it may be a single byte. */
export function encodeRep(encoder: LzmaEncoder, length: number, index: number): void {
  const { state, reps } = encoder;
  encodeBit(encoder, lzma.IS_MATCH + (state << 4), 1);
  encodeBit(encoder, lzma.IS_REP + state, 1);
  encodeBit(encoder, lzma.IS_REP_0 + state, index === 0 ? 0 : 1);
  if (index === 0) {
    encodeBit(encoder, lzma.IS_REP_0_LONG + (state << 4), length === 1 ? 0 : 1);
  } else {
    encodeBit(encoder, lzma.IS_REP_1 + state, index === 1 ? 0 : 1);
    if (index > 1) encodeBit(encoder, lzma.IS_REP_2 + state, index === 2 ? 0 : 1);
    const distance = reps[index]!;
    reps.copyWithin(1, 0, index);
    reps[0] = distance;
  }
  if (length === 1) {
    encoder.state = lzma.stateAfterShortRep(state);
  } else {
    encodeLength(encoder, lzma.REP_LENGTH, length);
    encoder.state = lzma.stateAfterRep(state);
  }
}

function encodeLength(encoder: LzmaEncoder, base: number, length: number): void {
  const symbol = length - lzma.MIN_MATCH;
  encodeBit(encoder, base + lzma.LENGTH_CHOICE, symbol < 8 ? 0 : 1);
  if (symbol < 8) {
    encodeTree(encoder, base + lzma.LENGTH_LOW, symbol, 3);
    return;
  }
  encodeBit(encoder, base + lzma.LENGTH_CHOICE_2, symbol < 16 ? 0 : 1);
  if (symbol < 16) {
    encodeTree(encoder, base + lzma.LENGTH_MID, symbol - 8, 3);
  } else {
    encodeTree(encoder, base + lzma.LENGTH_HIGH, symbol - 16, 8);
  }
}

/** `distance` is less one here. */
function encodeDistance(encoder: LzmaEncoder, length: number, distance: number): void {
  const lengthState = Math.min(length - lzma.MIN_MATCH, 3);
  const slot = distanceSlot(distance);
  encodeTree(encoder, lzma.DISTANCE_SLOT + (lengthState << 6), slot, 6);
  if (slot < 4) return;
  const bits = (slot >> 1) - 1;
  const high = (2 | (slot & 1)) << bits;
  if (slot < 14) {
    const low = lzma.reverseBits(distance - high, bits);
    encodeTree(encoder, lzma.DISTANCE_SPECIAL + high - slot, low, bits);
  } else {
    encodeDirectBits(encoder, (distance - high) >>> 4, bits - 4);
    encodeTree(encoder, lzma.DISTANCE_ALIGN, lzma.reverseBits(distance, 4), 4);
  }
}

/** The two leading bits of a distance minus one, and their position. */
export function distanceSlot(distance: number): number {
  if (distance < 4) return distance;
  const bits = 31 - Math.clz32(distance);
  return bits * 2 + ((distance >>> (bits - 1)) & 1);
}
