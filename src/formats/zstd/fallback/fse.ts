/** Tables of finite state entropy coding (RFC 8878, section 4.1). */

import type { BlockReader } from './blockReader.ts';

/** Frequency of each symbol, of `1 << log` in total; -1 means less than one. */
export interface Distribution {
  readonly log: number;
  readonly counts: ArrayLike<number>;
}

/**
 * What to do in each of `1 << log` states: an entry is the symbol in the bits from 16 on, the number of bits to read in
 * four from 12 on, and below what to add to them for the next state.
 */
export interface FseTable {
  readonly log: number;
  readonly entries: Uint32Array;
}

export interface DistributionLimits {
  /** What is described, for errors. */
  readonly name: string;
  readonly maxLog: number;
  readonly maxSymbol: number;
}

const MIN_LOG = 5;

/** Section 4.1.1. */
export function readDistribution(
  reader: BlockReader,
  { name, maxLog, maxSymbol }: DistributionLimits,
): Distribution {
  const start = reader.index;
  const damaged = `has a damaged table of ${name}`;
  if (reader.left === 0) throw reader.error(damaged);
  const counts: number[] = [];
  const log = (reader.bytes[start]! & 15) + MIN_LOG;
  if (log > maxLog) throw reader.error(damaged);
  let bit = start * 8 + 4;
  let left = (1 << log) + 1;
  while (left > 1) {
    if (counts.length > maxSymbol || bit >> 3 >= reader.end) throw reader.error(damaged, start);
    // Values are 0 to `left`; those that would need no more than the lower half of the range take one bit less.
    const width = 32 - Math.clz32(left);
    const bits = bitsFrom(reader, bit);
    const half = 1 << (width - 1);
    const shortValues = 2 * half - 1 - left;
    const isShort = (bits & (half - 1)) < shortValues;
    const long = bits & (2 * half - 1);
    const value = isShort ? bits & (half - 1) : long - (long >= half ? shortValues : 0);
    bit += isShort ? width - 1 : width;
    counts.push(value - 1);
    left -= Math.abs(value - 1);
    if (value !== 1) continue;
    for (let repeats = 3; repeats === 3 && counts.length <= maxSymbol; bit += 2) {
      repeats = bitsFrom(reader, bit) & 3;
      for (let index = 0; index < repeats; index++) counts.push(0);
    }
  }
  reader.skip((bit + 7 - start * 8) >> 3, `the table of ${name}`);
  if (counts.length > maxSymbol + 1) throw reader.error(damaged, start);
  return { log, counts };
}

/** Bits from `bit` on, the first one lowest; at least 25 of them. */
function bitsFrom({ bytes, view, end }: BlockReader, bit: number): number {
  const byte = bit >> 3;
  if (byte + 4 > bytes.length || byte >= end) return 0;
  return view.getInt32(byte, true) >>> (bit & 7);
}

/** Section 4.1.1, "From normalized distribution to decoding tables". */
export function buildFseTable({ log, counts }: Distribution): FseTable {
  const size = 1 << log;
  const symbols = spreadSymbols(counts, size);
  const nexts = Array.from(counts, (count) => Math.abs(count));
  const entries = new Uint32Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state]!;
    const next = nexts[symbol]!++;
    const bits = log - (31 - Math.clz32(next));
    entries[state] = (symbol << 16) | (bits << 12) | ((next << bits) - size);
  }
  return { log, entries };
}

/** The symbol of each state: the rarest at the end, the others spread over the rest. */
function spreadSymbols(counts: ArrayLike<number>, size: number): Uint8Array {
  const symbols = new Uint8Array(size);
  let end = size;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    if (counts[symbol] === -1) symbols[--end] = symbol;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let state = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    for (let left = counts[symbol]!; left > 0; left--) {
      symbols[state] = symbol;
      do state = (state + step) & (size - 1);
      while (state >= end);
    }
  }
  return symbols;
}
