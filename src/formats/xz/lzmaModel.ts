/**
 * The probability model of LZMA: one array of adaptive probabilities in which every
 * group of symbols has its place, and the state that records the types of the last symbols. After Igor Pavlov's
 * "LZMA specification" (lzma-specification.txt of the LZMA SDK).
 */

export const MIN_MATCH = 2;

/** A probability is this many 2048ths that the next bit is 0. */
export const PROBABILITY_ONE = 2048;
export const PROBABILITY_BITS = 11;
/** How fast a probability follows its bits. */
export const ADAPT_SHIFT = 5;

const STATES = 12;
/** Position within a group of 16 bytes, at most: pb is 4. */
const POSITIONS = 16;

/** Places in a length model. Short lengths have a tree for each position. */
export const LENGTH_CHOICE = 0;
export const LENGTH_CHOICE_2 = 1;
export const LENGTH_LOW = 2;
export const LENGTH_MID = LENGTH_LOW + POSITIONS * 8;
export const LENGTH_HIGH = LENGTH_MID + POSITIONS * 8;
const LENGTH_MODEL = LENGTH_HIGH + 256;

/** Places in the model. */
export const IS_MATCH = 0;
export const IS_REP = IS_MATCH + STATES * POSITIONS;
export const IS_REP_0 = IS_REP + STATES;
export const IS_REP_1 = IS_REP_0 + STATES;
export const IS_REP_2 = IS_REP_1 + STATES;
export const IS_REP_0_LONG = IS_REP_2 + STATES;
export const MATCH_LENGTH = IS_REP_0_LONG + STATES * POSITIONS;
export const REP_LENGTH = MATCH_LENGTH + LENGTH_MODEL;
export const DISTANCE_SLOT = REP_LENGTH + LENGTH_MODEL;
export const DISTANCE_SPECIAL = DISTANCE_SLOT + 4 * 64;
export const DISTANCE_ALIGN = DISTANCE_SPECIAL + 128;
export const LITERAL = DISTANCE_ALIGN + 16;
/** Probabilities of one literal coder: a plain tree and two for literals after a match. */
export const LITERAL_CODER = 0x300;
/** LZMA2 allows lc + lp up to 4. */
const MAX_LITERAL_CODERS = 16;

/** All probabilities, at one half. */
export function createModel(): Uint16Array {
  return resetModel(new Uint16Array(LITERAL + LITERAL_CODER * MAX_LITERAL_CODERS));
}

export function resetModel(model: Uint16Array): Uint16Array {
  return model.fill(PROBABILITY_ONE / 2);
}

/** How many bits of position and of the previous byte choose among the coders. */
export interface LzmaProperties {
  /** Bits of the previous byte that choose the literal coder. */
  readonly lc: number;
  /** Bits of the position that choose the literal coder. */
  readonly lp: number;
  /** Bits of the position that choose the coders of matches. */
  readonly pb: number;
}

/** The properties that LZMA2 stores as this byte; undefined if it does not allow them. */
export function parseProperties(byte: number): LzmaProperties | undefined {
  const lc = byte % 9;
  const lp = Math.floor(byte / 9) % 5;
  const pb = Math.floor(byte / 45);
  return pb <= 4 && lc + lp <= 4 ? { lc, lp, pb } : undefined;
}

/** The lowest `bits` bits in reverse order: the low bits of a distance are coded least significant first. */
export function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) reversed = (reversed << 1) | ((value >> bit) & 1);
  return reversed;
}

/** States below this one follow a literal. */
export const FIRST_STATE_AFTER_MATCH = 7;

export function stateAfterLiteral(state: number): number {
  return state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
}

export function stateAfterMatch(state: number): number {
  return state < FIRST_STATE_AFTER_MATCH ? 7 : 10;
}

export function stateAfterRep(state: number): number {
  return state < FIRST_STATE_AFTER_MATCH ? 8 : 11;
}

export function stateAfterShortRep(state: number): number {
  return state < FIRST_STATE_AFTER_MATCH ? 9 : 11;
}
