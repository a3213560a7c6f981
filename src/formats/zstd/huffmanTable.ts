/** Huffman tables of literals (RFC 8878, section 4.2.1). */

import type { BlockReader } from './blockReader.ts';
import { buildFseTable, type FseTable, readDistribution } from './fse.ts';

/** By the next `log` bits: the symbol in the bits from 8 on, below the number of bits of its code. */
export interface HuffmanTable {
  readonly log: number;
  readonly entries: Uint16Array;
}

/** One bit more than the RFC has, as zstd reads it. */
export const MAX_CODE_LENGTH = 12;

/** From here on the first byte says how many weights follow as they are. */
const DIRECT_WEIGHTS = 128;
const MAX_WEIGHTS = 255;
const WEIGHTS = { name: 'Huffman weights', maxLog: 6, maxSymbol: 255 };
const DAMAGED = 'has a damaged Huffman table';

/** Reads the description of a table. */
export function readHuffmanTable(reader: BlockReader): HuffmanTable {
  const start = reader.index;
  const header = reader.uint(1, 'a Huffman table');
  const weights =
    header >= DIRECT_WEIGHTS ? directWeights(reader, header - 127) : packedWeights(reader, header);
  let total = 0;
  for (const weight of weights) {
    if (weight > MAX_CODE_LENGTH) throw reader.error(DAMAGED, start);
    total += (1 << weight) >> 1;
  }
  // The weight of the last symbol is what is missing to a power of two.
  const log = 32 - Math.clz32(total);
  const rest = (1 << log) - total;
  if (total === 0 || log > MAX_CODE_LENGTH || (rest & (rest - 1)) !== 0) throw reader.error(DAMAGED, start);
  weights.push(32 - Math.clz32(rest));
  if (weights.filter((weight) => weight === 1).length < 2) throw reader.error(DAMAGED, start);
  return buildTable(weights, log);
}

/** Two in a byte, the first one in the upper half. */
function directWeights(reader: BlockReader, count: number): number[] {
  const start = reader.skip((count + 1) >> 1, 'a Huffman table');
  return Array.from({ length: count }, (_, index) => {
    const pair = reader.bytes[start + (index >> 1)]!;
    return index % 2 === 0 ? pair >> 4 : pair & 15;
  });
}

function packedWeights(reader: BlockReader, size: number): number[] {
  return reader.within(size, 'a Huffman table', () =>
    readWeights(reader, buildFseTable(readDistribution(reader, WEIGHTS))),
  );
}

/** Two states take turns, until there are not enough bits for the next state of one of them. */
function readWeights(reader: BlockReader, { log, entries }: FseTable): number[] {
  const start = reader.index;
  const first = start * 8;
  let bit = reader.lastBit(start, reader.end);
  const take = (count: number): number => {
    bit -= count;
    return (reader.view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << count) - 1);
  };
  const weights: number[] = [];
  let state = take(log);
  let other = take(log);
  if (bit < first) throw reader.error(DAMAGED, start);
  while (weights.length < MAX_WEIGHTS - 1) {
    const entry = entries[state]!;
    weights.push(entry >>> 16);
    const next = (entry & 0xfff) + take((entry >>> 12) & 15);
    if (bit < first) {
      weights.push(entries[other]! >>> 16);
      return weights;
    }
    state = other;
    other = next;
  }
  throw reader.error(DAMAGED, start);
}

/** Longer codes come first, those of the same length in the order of their symbols. */
function buildTable(weights: readonly number[], log: number): HuffmanTable {
  const entries = new Uint16Array(1 << log);
  let start = 0;
  for (let weight = 1; weight <= log; weight++) {
    const span = 1 << (weight - 1);
    for (let symbol = weights.indexOf(weight); symbol >= 0; symbol = weights.indexOf(weight, symbol + 1)) {
      entries.fill((symbol << 8) | (log + 1 - weight), start, start + span);
      start += span;
    }
  }
  return { log, entries };
}
