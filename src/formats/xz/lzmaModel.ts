/**
 * The probability model of LZMA: one array of adaptive probabilities in which every group of symbols has its place. After
 * Igor Pavlov's "LZMA specification" (lzma-specification.txt of the LZMA SDK).
 */

/** The types of the last symbols are one of so many states. */
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
/** LZMA2 allows lc + lp up to 4, which makes 16 literal coders. */
export const MODEL_SIZE = LITERAL + LITERAL_CODER * 16;

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
