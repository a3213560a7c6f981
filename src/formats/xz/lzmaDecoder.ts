/**
 * Decodes the symbols of LZMA: literals, matches, repeated matches. The output so far is the dictionary, so memory
 * grows with the output and not with the dictionary size that a stream declares.
 */

import * as lzma from './lzmaModel.ts';
import {
  decodeBit,
  decodeDirectBits,
  decodeReverseTree,
  decodeTree,
  type RangeDecoder,
} from './rangeDecoder.ts';

export interface LzmaDecoder extends RangeDecoder {
  /** Large enough for what is to be decoded next. */
  output: Uint8Array;
  /** Bytes of `output` in use. */
  length: number;
  /** Where in `output` the dictionary starts. */
  dictionaryStart: number;
  dictionarySize: number;
  properties: lzma.LzmaProperties;
  state: number;
  /** Distances of the last matches, the latest first, less one. */
  rep0: number;
  rep1: number;
  rep2: number;
  rep3: number;
}

export function createLzmaDecoder(input: Uint8Array): LzmaDecoder {
  return {
    input,
    position: 0,
    range: 0,
    code: 0,
    model: lzma.createModel(),
    output: new Uint8Array(0),
    length: 0,
    dictionaryStart: 0,
    dictionarySize: 0,
    properties: { lc: 0, lp: 0, pb: 0 },
    state: 0,
    rep0: 0,
    rep1: 0,
    rep2: 0,
    rep3: 0,
  };
}

/** Forgets what was learned; the dictionary stays. */
export function resetLzmaState(decoder: LzmaDecoder): void {
  lzma.resetModel(decoder.model);
  decoder.state = 0;
  decoder.rep0 = 0;
  decoder.rep1 = 0;
  decoder.rep2 = 0;
  decoder.rep3 = 0;
}

/** Decodes until `length` is `end`; false if a match reaches before the dictionary or past `end`. */
export function decodeSymbols(decoder: LzmaDecoder, end: number): boolean {
  const positionMask = (1 << decoder.properties.pb) - 1;
  while (decoder.length < end) {
    const { state } = decoder;
    const position = (decoder.length - decoder.dictionaryStart) & positionMask;
    if (decodeBit(decoder, lzma.IS_MATCH + (state << 4) + position) === 0) {
      decodeLiteral(decoder);
      continue;
    }
    const isRep = decodeBit(decoder, lzma.IS_REP + state) === 1;
    const length = isRep ? decodeRep(decoder, position) : decodeMatch(decoder, position);
    if (!copyMatch(decoder, length, end)) return false;
  }
  return true;
}

function decodeLiteral(decoder: LzmaDecoder): void {
  const { output, state } = decoder;
  const { lc, lp } = decoder.properties;
  const position = decoder.length - decoder.dictionaryStart;
  const previous = position === 0 ? 0 : output[decoder.length - 1]!;
  const coder = ((position & ((1 << lp) - 1)) << lc) + (previous >> (8 - lc));
  const base = lzma.LITERAL + lzma.LITERAL_CODER * coder;
  const byte =
    state < lzma.FIRST_STATE_AFTER_MATCH
      ? decodeTree(decoder, base, 8)
      : decodeMatchedLiteral(decoder, base, output[decoder.length - decoder.rep0 - 1]!);
  output[decoder.length++] = byte;
  decoder.state = lzma.stateAfterLiteral(state);
}

/** A literal after a match: it differs from the byte that would have continued the match, which is known. */
function decodeMatchedLiteral(decoder: LzmaDecoder, base: number, matched: number): number {
  let node = 1;
  let expected = matched;
  while (node < 0x100) {
    expected <<= 1;
    const expectedBit = expected & 0x100;
    const bit = decodeBit(decoder, base + 0x100 + expectedBit + node);
    node = (node << 1) | bit;
    if (expectedBit >> 8 !== bit) break;
  }
  while (node < 0x100) {
    node = (node << 1) | decodeBit(decoder, base + node);
  }
  return node & 0xff;
}

/** A match at a new distance: leaves the distance in `rep0`, returns the length. */
function decodeMatch(decoder: LzmaDecoder, position: number): number {
  decoder.rep3 = decoder.rep2;
  decoder.rep2 = decoder.rep1;
  decoder.rep1 = decoder.rep0;
  decoder.state = lzma.stateAfterMatch(decoder.state);
  const length = decodeLength(decoder, lzma.MATCH_LENGTH, position);
  decoder.rep0 = decodeDistance(decoder, length);
  return length;
}

/** A match at one of the last four distances: moves it to `rep0`, returns the length. */
function decodeRep(decoder: LzmaDecoder, position: number): number {
  const { state } = decoder;
  if (decodeBit(decoder, lzma.IS_REP_0 + state) === 0) {
    if (decodeBit(decoder, lzma.IS_REP_0_LONG + (state << 4) + position) === 0) {
      decoder.state = lzma.stateAfterShortRep(state);
      return 1;
    }
  } else {
    moveRepToFront(decoder);
  }
  decoder.state = lzma.stateAfterRep(state);
  return decodeLength(decoder, lzma.REP_LENGTH, position);
}

function moveRepToFront(decoder: LzmaDecoder): void {
  const { state } = decoder;
  let distance = decoder.rep1;
  if (decodeBit(decoder, lzma.IS_REP_1 + state) === 1) {
    distance = decoder.rep2;
    if (decodeBit(decoder, lzma.IS_REP_2 + state) === 1) {
      distance = decoder.rep3;
      decoder.rep3 = decoder.rep2;
    }
    decoder.rep2 = decoder.rep1;
  }
  decoder.rep1 = decoder.rep0;
  decoder.rep0 = distance;
}

function decodeLength(decoder: LzmaDecoder, base: number, position: number): number {
  if (decodeBit(decoder, base + lzma.LENGTH_CHOICE) === 0) {
    return lzma.MIN_MATCH + decodeTree(decoder, base + lzma.LENGTH_LOW + (position << 3), 3);
  }
  if (decodeBit(decoder, base + lzma.LENGTH_CHOICE_2) === 0) {
    return lzma.MIN_MATCH + 8 + decodeTree(decoder, base + lzma.LENGTH_MID + (position << 3), 3);
  }
  return lzma.MIN_MATCH + 16 + decodeTree(decoder, base + lzma.LENGTH_HIGH, 8);
}

/** The distance less one, as an unsigned number. */
function decodeDistance(decoder: LzmaDecoder, length: number): number {
  const lengthState = Math.min(length - lzma.MIN_MATCH, 3);
  const slot = decodeTree(decoder, lzma.DISTANCE_SLOT + (lengthState << 6), 6);
  if (slot < 4) return slot;
  const bits = (slot >> 1) - 1;
  const high = (2 | (slot & 1)) << bits;
  if (slot < 14) {
    return high + decodeReverseTree(decoder, lzma.DISTANCE_SPECIAL + high - slot, bits);
  }
  const middle = decodeDirectBits(decoder, bits - 4) << 4;
  return (high + middle + decodeReverseTree(decoder, lzma.DISTANCE_ALIGN, 4)) >>> 0;
}

function copyMatch(decoder: LzmaDecoder, length: number, end: number): boolean {
  const { output, rep0 } = decoder;
  const start = decoder.length;
  if (rep0 >= start - decoder.dictionaryStart || rep0 >= decoder.dictionarySize || length > end - start) {
    return false;
  }
  // The bytes may overlap: a match longer than its distance repeats them.
  for (let index = start; index < start + length; index++) {
    output[index] = output[index - rep0 - 1]!;
  }
  decoder.length = start + length;
  return true;
}
