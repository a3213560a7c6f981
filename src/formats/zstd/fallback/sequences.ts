/**
 * The sequences of a compressed block (RFC 8878, section 3.1.1.3.2): so many literals, then a match, which copies so many
 * bytes from so far back.
 */

import type { BlockReader } from './blockReader.ts';
import {
  buildFseTable,
  type Distribution,
  type DistributionLimits,
  type FseTable,
  readDistribution,
} from './fse.ts';

/** Of one block, until the next one; in bytes. */
export interface Sequences {
  count: number;
  literalLengths: Int32Array;
  matchLengths: Int32Array;
  /** How far back, 0 where that is not valid. */
  offsets: Int32Array;
}

/** What later blocks of a frame refer to. */
export interface SequencesDecoder {
  readonly sequences: Sequences;
  /** The latest tables. */
  tables: Readonly<Record<'literalLengths' | 'offsets' | 'matchLengths', FseTable>> | undefined;
  /** The three latest offsets, the newest first. */
  readonly repeats: Int32Array;
}

/** How a table is given, in two bits. */
const USUAL = 0;
const SINGLE_SYMBOL = 1;
const DESCRIBED = 2;

const FIRST_REPEATS = [1, 4, 8];
const MIN_MATCH = 3;
/** Offsets beyond are larger than any window. */
const MAX_OFFSET_BITS = 27;
const WHAT = 'its sequences';

export function createSequencesDecoder(): SequencesDecoder {
  const none = new Int32Array(0);
  return {
    sequences: { count: 0, literalLengths: none, matchLengths: none, offsets: none },
    tables: undefined,
    repeats: Int32Array.from(FIRST_REPEATS),
  };
}

/** For a new frame. */
export function resetSequences(decoder: SequencesDecoder): void {
  decoder.tables = undefined;
  decoder.repeats.set(FIRST_REPEATS);
}

/** Reads the rest of a block. `maxSize` are the bytes that all sequences may make. */
export function readSequences(reader: BlockReader, decoder: SequencesDecoder, maxSize: number): Sequences {
  const start = reader.index;
  const { sequences } = decoder;
  sequences.count = readCount(reader);
  if (sequences.count === 0) {
    if (reader.left > 0) throw reader.error('has bytes after the sequences of a block');
    return sequences;
  }
  if (sequences.count * MIN_MATCH > maxSize)
    throw reader.error('has more sequences than fill a block', start);
  makeRoom(sequences);
  decoder.tables = readTables(reader, decoder.tables);
  decodeCodes(reader, decoder.tables, sequences);
  resolveRepeats(sequences, decoder.repeats);
  return sequences;
}

function readCount(reader: BlockReader): number {
  const first = reader.uint(1, WHAT);
  if (first < 128) return first;
  return first < 255 ? (first - 128) * 256 + reader.uint(1, WHAT) : reader.uint(2, WHAT) + 0x7f00;
}

function makeRoom(sequences: Sequences): void {
  if (sequences.offsets.length >= sequences.count) return;
  const size = Math.max(sequences.count, 2 * sequences.offsets.length);
  sequences.literalLengths = new Int32Array(size);
  sequences.matchLengths = new Int32Array(size);
  sequences.offsets = new Int32Array(size);
}

type Tables = NonNullable<SequencesDecoder['tables']>;

function readTables(reader: BlockReader, latest: Tables | undefined): Tables {
  const start = reader.index;
  const modes = reader.uint(1, WHAT);
  if ((modes & 3) !== 0) throw reader.error('has unknown flags in a block', start);
  const literalLengths = readTable(reader, LITERAL_LENGTHS, modes >> 6, latest?.literalLengths);
  const offsets = readTable(reader, OFFSETS, (modes >> 4) & 3, latest?.offsets);
  const matchLengths = readTable(reader, MATCH_LENGTHS, (modes >> 2) & 3, latest?.matchLengths);
  return { literalLengths, offsets, matchLengths };
}

function readTable(reader: BlockReader, codes: Codes, mode: number, latest: FseTable | undefined): FseTable {
  switch (mode) {
    case USUAL:
      codes.usualTable ??= buildFseTable(codes.usual);
      return codes.usualTable;
    case SINGLE_SYMBOL: {
      const symbol = reader.uint(1, WHAT);
      if (symbol > codes.maxSymbol)
        throw reader.error(`has a damaged table of ${codes.name}`, reader.index - 1);
      // It takes no bits.
      return { log: 0, entries: Uint32Array.of(symbol << 16) };
    }
    case DESCRIBED:
      return buildFseTable(readDistribution(reader, codes));
    default:
      if (latest === undefined) throw reader.error(`has no table of ${codes.name} to repeat`);
      return latest;
  }
}

/** Section 3.1.1.3.2.1.2. Offsets come out as they are coded: up to 3 they repeat an earlier one. */
function decodeCodes(reader: BlockReader, tables: Tables, sequences: Sequences): void {
  const { view, index: start } = reader;
  const { count, literalLengths, matchLengths, offsets } = sequences;
  const { entries: literalEntries, log: literalLog } = tables.literalLengths;
  const { entries: offsetEntries, log: offsetLog } = tables.offsets;
  const { entries: matchEntries, log: matchLog } = tables.matchLengths;
  const last = start * 8;
  let bit = reader.lastBit(start, reader.end) - literalLog;
  let literalState = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << literalLog) - 1);
  bit -= offsetLog;
  let offsetState = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << offsetLog) - 1);
  bit -= matchLog;
  let matchState = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << matchLog) - 1);
  for (let index = 0; index < count; index++) {
    if (bit < last) break;
    const literalEntry = literalEntries[literalState]!;
    const offsetEntry = offsetEntries[offsetState]!;
    const matchEntry = matchEntries[matchState]!;

    const offsetBits = offsetEntry >>> 16;
    if (offsetBits > MAX_OFFSET_BITS) throw reader.error('has a match offset outside of the window', start);
    // Four bytes contain at least 25 bits at any bit position, so the lowest bits are read separately.
    bit -= offsetBits;
    const high = view.getInt32((bit + 4) >> 3, true) >>> ((bit + 4) & 7);
    const low = view.getInt32(bit >> 3, true) >>> (bit & 7);
    offsets[index] = (1 << offsetBits) | (((high << 4) | (low & 15)) & ((1 << offsetBits) - 1));

    const matchCode = matchEntry >>> 16;
    const matchBits = MATCH_LENGTHS.bits[matchCode]!;
    bit -= matchBits;
    const matchMore = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << matchBits) - 1);
    matchLengths[index] = MATCH_LENGTHS.bases[matchCode]! + matchMore;

    const literalCode = literalEntry >>> 16;
    const literalBits = LITERAL_LENGTHS.bits[literalCode]!;
    bit -= literalBits;
    const literalMore = (view.getInt32(bit >> 3, true) >>> (bit & 7)) & ((1 << literalBits) - 1);
    literalLengths[index] = LITERAL_LENGTHS.bases[literalCode]! + literalMore;
    if (index + 1 === count) break;

    const literalNext = (literalEntry >>> 12) & 15;
    bit -= literalNext;
    const literalWord = view.getInt32(bit >> 3, true) >>> (bit & 7);
    literalState = (literalEntry & 0xfff) + (literalWord & ((1 << literalNext) - 1));
    const matchNext = (matchEntry >>> 12) & 15;
    bit -= matchNext;
    const matchWord = view.getInt32(bit >> 3, true) >>> (bit & 7);
    matchState = (matchEntry & 0xfff) + (matchWord & ((1 << matchNext) - 1));
    const offsetNext = (offsetEntry >>> 12) & 15;
    bit -= offsetNext;
    const offsetWord = view.getInt32(bit >> 3, true) >>> (bit & 7);
    offsetState = (offsetEntry & 0xfff) + (offsetWord & ((1 << offsetNext) - 1));
  }
  if (bit !== last) throw reader.error('has sequences whose size differs from their block', start);
}

/** Section 3.1.1.5: puts the earlier offsets in where one is repeated. */
function resolveRepeats({ count, literalLengths, offsets }: Sequences, repeats: Int32Array): void {
  let [first, second, third] = [repeats[0]!, repeats[1]!, repeats[2]!];
  for (let index = 0; index < count; index++) {
    const coded = offsets[index]!;
    let offset = coded - 3;
    if (coded <= 3) {
      // Directly after another match, the newest offset would only make that match longer, so it is not used.
      const back = literalLengths[index] === 0 ? coded : coded - 1;
      offset = back === 0 ? first : back === 1 ? second : back === 2 ? third : first - 1;
      if (back === 0) {
        offsets[index] = first;
        continue;
      }
      if (back > 1) third = second;
    } else third = second;
    second = first;
    first = offset;
    offsets[index] = offset;
  }
  repeats.set([first, second, third]);
}

/** The value range of a code: a first value and a number of extra bits. */
interface Codes extends DistributionLimits {
  readonly bases: Int32Array;
  readonly bits: Uint8Array;
  readonly usual: Distribution;
  /** Made at the first use. */
  usualTable?: FseTable;
}

/** Codes of lengths: codes below `plain` equal their length, from `first` on; higher codes have more extra bits. */
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

/** The codes of sequences and how often they are unless a block says so (RFC 8878, section 3.1.1.3.2). */
const LITERAL_LENGTHS: Codes = {
  name: 'literal lengths',
  maxLog: 9,
  ...lengthCodes(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
  usual: {
    log: 6,
    counts: [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1], // prettier-ignore
  },
};

const MATCH_LENGTHS: Codes = {
  name: 'match lengths',
  maxLog: 9,
  ...lengthCodes(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
  usual: {
    log: 6,
    counts: [1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1], // prettier-ignore
  },
};

/** The code is the number of bits. Codes above 30 exceed every window. */
const OFFSETS: Codes = {
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
