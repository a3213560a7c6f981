/**
 * Finds earlier occurrences of the bytes at a position: hash chains of four bytes, and the latest occurrence of two
 * and three bytes. The whole input is the dictionary.
 */

import { MAX_MATCH } from './lzmaModel.ts';

export interface MatchFinder {
  readonly data: Uint8Array;
  /** The matches found last: lengths rise, and each has the smallest distance that was found for it. */
  readonly lengths: Int32Array;
  readonly distances: Int32Array;
  /** How many matches were found last, and the length of the last of them. */
  count: number;
  longest: number;
  /** Makes a hash as short as the tables need. */
  readonly shift: number;
  readonly latest2: Int32Array;
  readonly latest3: Int32Array;
  readonly latest4: Int32Array;
  /** For each position the one before it with the same hash of four bytes. */
  readonly previous: Int32Array;
}

/** Bytes that are hashed; nearer to the end of the data nothing is found. */
const MIN_WORD = 4;
/** Candidates that are looked at for one position. */
const MAX_CANDIDATES = 128;

const MAX_HASH_BITS = 17;

/** The tables of all finders, which use them in turn: allocating them takes longer than compressing a small file. */
let shared: Pick<MatchFinder, 'latest2' | 'latest3' | 'latest4'> | undefined;

/** Makes the finders before it unusable. */
export function createMatchFinder(data: Uint8Array): MatchFinder {
  const bits = Math.min(Math.max(Math.ceil(Math.log2(data.length + 1)), 8), MAX_HASH_BITS);
  shared ??= {
    latest2: new Int32Array(1 << 16),
    latest3: new Int32Array(1 << MAX_HASH_BITS),
    latest4: new Int32Array(1 << MAX_HASH_BITS),
  };
  return {
    data,
    lengths: new Int32Array(MAX_MATCH),
    distances: new Int32Array(MAX_MATCH),
    count: 0,
    longest: 1,
    shift: 32 - bits,
    latest2: shared.latest2.fill(-1),
    latest3: shared.latest3.subarray(0, 1 << bits).fill(-1),
    latest4: shared.latest4.subarray(0, 1 << bits).fill(-1),
    previous: new Int32Array(data.length),
  };
}

/** Looks for matches at `position` of at most `maxLength` bytes and enters the position. Returns how many there are. */
export function findMatches(finder: MatchFinder, position: number, maxLength: number): number {
  const { data, previous } = finder;
  finder.count = 0;
  finder.longest = 1;
  if (data.length - position < MIN_WORD) return 0;
  const word = wordAt(data, position);
  const hash2 = word >>> 16;
  const hash3 = hashOf(word & ~0xff, finder.shift);
  const hash4 = hashOf(word, finder.shift);

  tryCandidate(finder, finder.latest2[hash2]!, position, maxLength);
  tryCandidate(finder, finder.latest3[hash3]!, position, maxLength);
  let candidate = finder.latest4[hash4]!;
  finder.latest2[hash2] = position;
  finder.latest3[hash3] = position;
  finder.latest4[hash4] = position;
  previous[position] = candidate;
  for (let tries = MAX_CANDIDATES; candidate >= 0 && tries > 0 && finder.longest < maxLength; tries--) {
    tryCandidate(finder, candidate, position, maxLength);
    candidate = previous[candidate]!;
  }
  return finder.count;
}

/** Notes the match at `candidate` if it is longer than those before it. */
function tryCandidate(finder: MatchFinder, candidate: number, position: number, maxLength: number): void {
  const { data, longest } = finder;
  if (candidate < 0 || data[candidate + longest] !== data[position + longest]) return;
  const length = matchLength(data, candidate, position, maxLength);
  if (length <= longest) return;
  finder.lengths[finder.count] = length;
  finder.distances[finder.count++] = position - candidate;
  finder.longest = length;
}

/** Enters positions without looking for matches. */
export function skipPositions(finder: MatchFinder, start: number, end: number): void {
  const { data, previous } = finder;
  const last = Math.min(end, data.length - MIN_WORD + 1);
  for (let position = start; position < last; position++) {
    const word = wordAt(data, position);
    const hash4 = hashOf(word, finder.shift);
    previous[position] = finder.latest4[hash4]!;
    finder.latest2[word >>> 16] = position;
    finder.latest3[hashOf(word & ~0xff, finder.shift)] = position;
    finder.latest4[hash4] = position;
  }
}

/** How many bytes at `candidate` are those at `position`, at most `maxLength`. */
export function matchLength(
  data: Uint8Array,
  candidate: number,
  position: number,
  maxLength: number,
): number {
  let length = 0;
  while (length < maxLength && data[candidate + length] === data[position + length]) length++;
  return length;
}

function wordAt(data: Uint8Array, position: number): number {
  return (
    (data[position]! << 24) | (data[position + 1]! << 16) | (data[position + 2]! << 8) | data[position + 3]!
  );
}

function hashOf(word: number, shift: number): number {
  return Math.imul(word, 0x9e37_79b1) >>> shift;
}
