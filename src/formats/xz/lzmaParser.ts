/**
 * Chooses what the encoder writes next: a literal, a match or a repeated match. Lazy matching: a match gives way to a
 * literal when a better one starts a byte later. Short matches have to be cheaper than their literals. No optimal
 * parse, which would save another few percent for several times the work.
 */

import { encodeLiteral, encodeMatch, encodeRep, type LzmaEncoder } from './lzmaEncoder.ts';
import { MAX_MATCH, MIN_MATCH } from './lzmaModel.ts';
import { literalsPrice, matchPrice } from './lzmaPrices.ts';
import { findMatches, matchLength, skipPositions, type MatchFinder } from './matchFinder.ts';

export interface LzmaParser {
  readonly finder: MatchFinder;
  /** Where a match was last looked for; `length` and `distance` are what was found there, `length` 0 for nothing. */
  position: number;
  length: number;
  distance: number;
}

/** Matches of this length are taken at once. */
const GOOD_LENGTH = 128;
/** Longer matches are always cheaper than their literals. */
const LONGEST_PRICED = 4;
/** Two bytes from farther away are always dearer; there are many of those, so it is worth a rule. */
const FARTHEST_OF_TWO = 128;

interface Rep {
  readonly length: number;
  /** Which of the last four distances. */
  readonly index: number;
}

export function createLzmaParser(finder: MatchFinder): LzmaParser {
  return { finder, position: -1, length: 0, distance: 0 };
}

/** Encodes the next symbol and returns how many bytes it stands for. */
export function encodeNextSymbol(parser: LzmaParser, encoder: LzmaEncoder, position: number): number {
  const maxLength = Math.min(MAX_MATCH, encoder.data.length - position);
  findBestMatch(parser, encoder, position);
  const { length, distance } = parser;
  const rep = longestRep(encoder, position, maxLength);
  if (rep.length >= MIN_MATCH && isRepBetter(rep.length, length, distance)) {
    encodeRep(encoder, rep.length, rep.index);
    skipPositions(parser.finder, position + 1, position + rep.length);
    return rep.length;
  }
  if (length < MIN_MATCH || startsBetterLater(parser, encoder, position)) {
    encodeByte(encoder, position);
    return 1;
  }
  encodeMatch(encoder, length, distance);
  skipPositions(parser.finder, Math.max(parser.position, position) + 1, position + length);
  return length;
}

/** One byte: a repeated match of one byte where there is one, as it is mostly cheaper. */
function encodeByte(encoder: LzmaEncoder, position: number): void {
  const distance = encoder.reps[0]!;
  if (distance <= position && encoder.data[position - distance] === encoder.data[position]) {
    encodeRep(encoder, 1, 0);
  } else {
    encodeLiteral(encoder, position);
  }
}

/** Looks for a match at `position`, unless that was done when the byte before was looked at. */
function findBestMatch(parser: LzmaParser, encoder: LzmaEncoder, position: number): void {
  if (parser.position === position) return;
  const { finder } = parser;
  const maxLength = Math.min(MAX_MATCH, encoder.data.length - position);
  let last = findMatches(finder, position, maxLength) - 1;
  while (last > 0 && isOneByteDear(finder, last)) last--;
  parser.position = position;
  parser.length = last < 0 ? 0 : finder.lengths[last]!;
  parser.distance = last < 0 ? 0 : finder.distances[last]!;
  if (parser.length >= MIN_MATCH && !paysOff(encoder, parser)) parser.length = 0;
}

/** Whether the match is only a byte longer than the one before it, but much farther away. */
function isOneByteDear({ lengths, distances }: MatchFinder, index: number): boolean {
  return lengths[index - 1]! + 1 === lengths[index] && distances[index]! >> 6 > distances[index - 1]!;
}

function paysOff(encoder: LzmaEncoder, { position, length, distance }: LzmaParser): boolean {
  if (length > LONGEST_PRICED) return true;
  if (length === MIN_MATCH && distance > FARTHEST_OF_TWO) return false;
  return matchPrice(encoder, length, distance) < literalsPrice(encoder, position, length);
}

function longestRep(encoder: LzmaEncoder, position: number, maxLength: number): Rep {
  const { data, reps } = encoder;
  let length = 0;
  let index = 0;
  for (let candidate = 0; candidate < reps.length; candidate++) {
    const distance = reps[candidate]!;
    if (distance > position) continue;
    const found = matchLength(data, position - distance, position, maxLength);
    if (found > length) {
      length = found;
      index = candidate;
    }
  }
  return { length, index };
}

/** A repeated match saves its distance, so it may be shorter, the more so the farther away the match is. */
function isRepBetter(repLength: number, length: number, distance: number): boolean {
  const allowance = distance >= 1 << 15 ? 3 : distance >= 1 << 9 ? 2 : 1;
  return repLength >= GOOD_LENGTH || repLength + allowance >= length;
}

/** Whether to put the match at `position` off for what starts at the next byte. Leaves that in the parser. */
function startsBetterLater(parser: LzmaParser, encoder: LzmaEncoder, position: number): boolean {
  const { length, distance } = parser;
  const maxLength = Math.min(MAX_MATCH, encoder.data.length - position - 1);
  if (length >= GOOD_LENGTH || length > maxLength) return false;
  findBestMatch(parser, encoder, position + 1);
  return (
    isLaterBetter(parser, length, distance) ||
    longestRep(encoder, position + 1, maxLength).length >= Math.max(MIN_MATCH, length - 1)
  );
}

function isLaterBetter(later: LzmaParser, length: number, distance: number): boolean {
  if (later.length < MIN_MATCH) return false;
  if (later.length > length + 1) return true;
  if (later.length === length + 1) return later.distance >> 4 <= distance;
  if (later.length === length) return later.distance < distance;
  return later.length === length - 1 && length > MIN_MATCH && distance >> 7 > later.distance;
}
