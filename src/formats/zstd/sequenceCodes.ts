/** The codes of sequences and how often they are unless a block says so (RFC 8878, section 3.1.1.3.2). */

import type { Distribution, DistributionLimits } from './fse.ts';

/** What a code stands for: a first value and so many more bits. */
export interface Codes extends DistributionLimits {
  readonly bases: Int32Array;
  readonly bits: Uint8Array;
  readonly usual: Distribution;
}

/** Codes of lengths: those below `plain` stand for themselves, from `first` on, the others have ever more bits. */
function lengthCodes(
  first: number,
  plain: number,
  more: readonly number[],
): Pick<Codes, 'bases' | 'bits' | 'maxSymbol'> {
  const bits = Uint8Array.from([...Array.from({ length: plain }, () => 0), ...more]);
  return { bases: basesOf(first, bits), bits, maxSymbol: bits.length - 1 };
}

/** Each code goes on where the one before ends. */
function basesOf(first: number, bits: Uint8Array): Int32Array {
  const bases = new Int32Array(bits.length);
  let base = first;
  for (const [code, count] of bits.entries()) {
    bases[code] = base;
    base += 2 ** count;
  }
  return bases;
}

export const LITERAL_LENGTHS: Codes = {
  name: 'literal lengths',
  maxLog: 9,
  ...lengthCodes(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
  usual: {
    log: 6,
    counts: [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], // prettier-ignore
  },
};

export const MATCH_LENGTHS: Codes = {
  name: 'match lengths',
  maxLog: 9,
  ...lengthCodes(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
  usual: {
    log: 6,
    counts: [1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], // prettier-ignore
  },
};

/** The code is the number of bits. Those above 30 stand for more than any window holds. */
export const OFFSETS: Codes = {
  name: 'offsets',
  maxLog: 8,
  bases: Int32Array.from({ length: 32 }, (_, code) => 2 ** Math.min(code, 30)),
  bits: Uint8Array.from({ length: 32 }, (_, code) => code),
  maxSymbol: 31,
  usual: {
    log: 5,
    counts: [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  },
};
