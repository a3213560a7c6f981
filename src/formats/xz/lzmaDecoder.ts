/** Decodes the symbols of LZMA (literals, matches, repeated matches) into a ring, whose end may come within a match. */

import * as lzma from './lzmaModel.ts';
import {
  decodeBit,
  decodeDirectBits,
  decodeMatchedTree,
  decodeTree,
  type RangeDecoder,
} from './rangeDecoder.ts';

export interface LzmaDecoder extends RangeDecoder {
  /**
   * LZMA's dictionary: the latest bytes, which matches refer to. It grows as it fills, so that memory follows the content where
   * that is smaller than the dictionary which a stream declares. Bytes are overwritten only once they have been handed out.
   */
  ring: Uint8Array;
  /** Where the next byte goes. */
  head: number;
  /** Where the bytes start that were not handed out yet. */
  tail: number;
  /** Bytes since the dictionary was reset, those from the start of the ring to `head` left out. */
  before: number;
  /** How far back a match may reach. */
  dictionarySize: number;
  properties: lzma.LzmaProperties;
  state: number;
  /** Distances of the last matches, the latest first, less one. */
  rep0: number;
  rep1: number;
  rep2: number;
  rep3: number;
  /** Bytes of the last match that are still to be copied. */
  pending: number;
}

const FIRST_SIZE = 64 * 1024;
/** What was outgrown stays in memory until it is collected: a large step leaves little behind. */
const GROWTH = 8;

export function createLzmaDecoder(): LzmaDecoder {
  return {
    input: new Uint8Array(0),
    position: 0,
    range: 0,
    code: 0,
    model: lzma.createModel(),
    ring: new Uint8Array(FIRST_SIZE),
    head: 0,
    tail: 0,
    before: 0,
    dictionarySize: 0,
    properties: { lc: 0, lp: 0, pb: 0 },
    state: 0,
    rep0: 0,
    rep1: 0,
    rep2: 0,
    rep3: 0,
    pending: 0,
  };
}

/** Forgets all bytes. */
export function resetDictionary(decoder: LzmaDecoder): void {
  decoder.before = -decoder.head;
}

/** The bytes that were added since the last call, as a view that is good until more are added. */
export function takeOutput(decoder: LzmaDecoder): Uint8Array {
  const output = decoder.ring.subarray(decoder.tail, decoder.head);
  decoder.tail = decoder.head;
  return output;
}

/**
 * Goes on where the ring is full and all of it was handed out: in a larger ring, or at its start once it is as large as the
 * dictionary.
 * @returns false where it had to be larger than `maxSize`
 */
export function growOrWrap(decoder: LzmaDecoder, maxSize: number): boolean {
  const { ring, dictionarySize } = decoder;
  if (ring.length >= dictionarySize) {
    decoder.before += ring.length;
    decoder.head = 0;
    decoder.tail = 0;
    return true;
  }
  if (ring.length >= maxSize) return false;
  const grown = new Uint8Array(Math.min(ring.length * GROWTH, dictionarySize, maxSize));
  grown.set(ring); // in order, as it did not go round yet
  decoder.ring = grown;
  return true;
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

/** Decodes until `head` is `end`, which lies within the ring; false if a match reaches before the dictionary. */
export function decodeSymbols(decoder: LzmaDecoder, end: number): boolean {
  const positionMask = (1 << decoder.properties.pb) - 1;
  copyPending(decoder, end);
  while (decoder.head < end) {
    const { state } = decoder;
    const position = (decoder.before + decoder.head) & positionMask;
    if (decodeBit(decoder, lzma.IS_MATCH + (state << 4) + position) === 0) {
      decodeLiteral(decoder);
      continue;
    }
    const isRep = decodeBit(decoder, lzma.IS_REP + state) === 1;
    decoder.pending = isRep ? decodeRep(decoder, position) : decodeMatch(decoder, position);
    const { rep0 } = decoder;
    if (rep0 >= decoder.before + decoder.head || rep0 >= decoder.dictionarySize) return false;
    copyPending(decoder, end);
  }
  return true;
}

function decodeLiteral(decoder: LzmaDecoder): void {
  const { ring, state, head } = decoder;
  const { lc, lp } = decoder.properties;
  const position = decoder.before + head;
  const previous = position === 0 ? 0 : ring[(head === 0 ? ring.length : head) - 1]!;
  const coder = ((position & ((1 << lp) - 1)) << lc) + (previous >> (8 - lc));
  const base = lzma.LITERAL + lzma.LITERAL_CODER * coder;
  if (state < lzma.FIRST_STATE_AFTER_MATCH) {
    ring[head] = decodeTree(decoder, base, 8);
  } else {
    const from = head - decoder.rep0 - 1;
    ring[head] = decodeMatchedTree(decoder, base, ring[from < 0 ? from + ring.length : from]!);
  }
  decoder.head = head + 1;
  decoder.state = lzma.stateAfterLiteral(state);
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
    return high + lzma.reverseBits(decodeTree(decoder, lzma.DISTANCE_SPECIAL + high - slot, bits), bits);
  }
  const middle = decodeDirectBits(decoder, bits - 4) << 4;
  return (high + middle + lzma.reverseBits(decodeTree(decoder, lzma.DISTANCE_ALIGN, 4), 4)) >>> 0;
}

/** From this length on, a call that copies takes less than copying byte by byte. */
const LONG_MATCH = 64;

/** Copies what is still to be copied of a match, up to `end`. */
function copyPending(decoder: LzmaDecoder, end: number): void {
  const { ring, head, rep0 } = decoder;
  const length = Math.min(decoder.pending, end - head);
  const from = head - rep0 - 1;
  if (from < 0) {
    const wrapped = Math.min(length, -from); // at the end of the ring
    for (let index = 0; index < wrapped; index++) ring[head + index] = ring[from + ring.length + index]!;
    for (let index = wrapped; index < length; index++) ring[head + index] = ring[from + index]!;
  } else if (length >= LONG_MATCH && length <= rep0) {
    ring.copyWithin(head, from, from + length);
  } else {
    // The bytes may overlap: a match longer than its distance repeats them.
    for (let index = 0; index < length; index++) ring[head + index] = ring[from + index]!;
  }
  decoder.head = head + length;
  decoder.pending -= length;
}
