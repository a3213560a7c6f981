/** Decodes the symbols of LZMA (literals, matches, repeated matches) into a ring, whose end may come within a match. */

import * as lzma from './lzmaModel.ts';
import { RangeDecoder } from './rangeDecoder.ts';

const MIN_MATCH = 2;
/** States below this one follow a literal. */
const FIRST_STATE_AFTER_MATCH = 7;
/** From this length on, a call that copies takes less than copying byte by byte. */
const LONG_MATCH = 64;
/** Bytes of the largest dictionary in memory: of the one that `xz -9` declares. */
export const MAX_DICTIONARY = 64 * 1024 * 1024;

export class LzmaDecoder {
  properties: lzma.LzmaProperties = { lc: 0, lp: 0, pb: 0 };
  readonly #bits = new RangeDecoder();
  /** LZMA's dictionary: the latest bytes, which matches refer to. Bytes are overwritten only once they have been handed out. */
  #ring: Uint8Array = new Uint8Array(0);
  /** How far back a match may reach. */
  #dictionarySize = 0;
  /** Where the next byte goes. */
  #head = 0;
  /** Bytes since the dictionary was reset, those from the start of the ring to `head` left out. */
  #before = 0;
  #state = 0;
  /** Distances of the last matches, the latest first, less one. */
  #rep0 = 0;
  #rep1 = 0;
  #rep2 = 0;
  #rep3 = 0;
  /** Bytes of the last match that are still to be copied. */
  #pending = 0;

  /** Begins a block, whose first chunk has to reset the dictionary. */
  startBlock(dictionarySize: number): void {
    const size = Math.min(dictionarySize, MAX_DICTIONARY);
    if (size !== this.#ring.length) this.#ring = new Uint8Array(size);
    this.#dictionarySize = dictionarySize;
    this.#head = 0;
  }

  /** Forgets all bytes. */
  resetDictionary(): void {
    this.#before = -this.#head;
  }

  /** Forgets what was learned; the dictionary stays. */
  resetState(): void {
    this.#bits.reset();
    this.#state = 0;
    this.#rep0 = 0;
    this.#rep1 = 0;
    this.#rep2 = 0;
    this.#rep3 = 0;
  }

  /**
   * Bytes until the end of the ring. It goes on at its start where all of it was handed out; 0 if it is smaller than the
   * dictionary and full.
   */
  room(): number {
    if (this.#head === this.#ring.length && this.#ring.length >= this.#dictionarySize) {
      this.#before += this.#head;
      this.#head = 0;
    }
    return this.#ring.length - this.#head;
  }

  /** Adds bytes, for which there is room. Returns them as they are in the ring, good until more are added. */
  store(bytes: Uint8Array): Uint8Array {
    const start = this.#head;
    this.#ring.set(bytes, start);
    this.#head += bytes.length;
    return this.#ring.subarray(start, this.#head);
  }

  /** Begins a chunk of coded bytes; false if they cannot be such a chunk. */
  startChunk(input: Uint8Array): boolean {
    return this.#bits.start(input);
  }

  /** Whether all of the chunk was used. */
  isChunkOver(): boolean {
    return this.#pending === 0 && this.#bits.isAtEnd();
  }

  /** Decodes so many bytes, for which there is room; undefined if a match reaches before the dictionary. */
  decode(length: number): Uint8Array | undefined {
    const start = this.#head;
    const end = start + length;
    const positionMask = (1 << this.properties.pb) - 1;
    this.#copyPending(end);
    while (this.#head < end) {
      const position = (this.#before + this.#head) & positionMask;
      if (this.#bits.bit(lzma.IS_MATCH + (this.#state << 4) + position) === 0) {
        this.#decodeLiteral();
        continue;
      }
      const isRep = this.#bits.bit(lzma.IS_REP + this.#state) === 1;
      this.#pending = isRep ? this.#decodeRep(position) : this.#decodeMatch(position);
      if (this.#rep0 >= this.#before + this.#head || this.#rep0 >= this.#dictionarySize) return undefined;
      this.#copyPending(end);
    }
    return this.#ring.subarray(start, end);
  }

  #decodeLiteral(): void {
    const { lc, lp } = this.properties;
    const position = this.#before + this.#head;
    const previous = position === 0 ? 0 : this.#byteBefore(0);
    const coder = ((position & ((1 << lp) - 1)) << lc) + (previous >> (8 - lc));
    const base = lzma.LITERAL + lzma.LITERAL_CODER * coder;
    const state = this.#state;
    this.#ring[this.#head] =
      state < FIRST_STATE_AFTER_MATCH
        ? this.#bits.tree(base, 8)
        : this.#bits.matchedByte(base, this.#byteBefore(this.#rep0));
    this.#head += 1;
    this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  /** The byte at a distance, less one, from the next one. */
  #byteBefore(distance: number): number {
    const from = this.#head - distance - 1;
    return this.#ring[from < 0 ? from + this.#ring.length : from]!;
  }

  /** A match at a new distance: leaves the distance in `rep0`, returns the length. */
  #decodeMatch(position: number): number {
    this.#rep3 = this.#rep2;
    this.#rep2 = this.#rep1;
    this.#rep1 = this.#rep0;
    this.#state = this.#state < FIRST_STATE_AFTER_MATCH ? 7 : 10;
    const length = this.#decodeLength(lzma.MATCH_LENGTH, position);
    this.#rep0 = this.#decodeDistance(length);
    return length;
  }

  /** A match at one of the last four distances: moves it to `rep0`, returns the length. */
  #decodeRep(position: number): number {
    const state = this.#state;
    if (this.#bits.bit(lzma.IS_REP_0 + state) === 1) this.#moveRepToFront();
    else if (this.#bits.bit(lzma.IS_REP_0_LONG + (state << 4) + position) === 0) {
      this.#state = state < FIRST_STATE_AFTER_MATCH ? 9 : 11;
      return 1;
    }
    this.#state = state < FIRST_STATE_AFTER_MATCH ? 8 : 11;
    return this.#decodeLength(lzma.REP_LENGTH, position);
  }

  #moveRepToFront(): void {
    let distance = this.#rep1;
    if (this.#bits.bit(lzma.IS_REP_1 + this.#state) === 1) {
      distance = this.#rep2;
      if (this.#bits.bit(lzma.IS_REP_2 + this.#state) === 1) {
        distance = this.#rep3;
        this.#rep3 = this.#rep2;
      }
      this.#rep2 = this.#rep1;
    }
    this.#rep1 = this.#rep0;
    this.#rep0 = distance;
  }

  #decodeLength(base: number, position: number): number {
    if (this.#bits.bit(base + lzma.LENGTH_CHOICE) === 0) {
      return MIN_MATCH + this.#bits.tree(base + lzma.LENGTH_LOW + (position << 3), 3);
    }
    if (this.#bits.bit(base + lzma.LENGTH_CHOICE_2) === 0) {
      return MIN_MATCH + 8 + this.#bits.tree(base + lzma.LENGTH_MID + (position << 3), 3);
    }
    return MIN_MATCH + 16 + this.#bits.tree(base + lzma.LENGTH_HIGH, 8);
  }

  /** The distance less one, as an unsigned number. */
  #decodeDistance(length: number): number {
    const lengthState = Math.min(length - MIN_MATCH, 3);
    const slot = this.#bits.tree(lzma.DISTANCE_SLOT + (lengthState << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << bits;
    if (slot < 14) return high + this.#bits.reversedTree(lzma.DISTANCE_SPECIAL + high - slot, bits);
    const middle = this.#bits.directBits(bits - 4) << 4;
    return (high + middle + this.#bits.reversedTree(lzma.DISTANCE_ALIGN, 4)) >>> 0;
  }

  /** Copies what is still to be copied of a match, up to `end`. */
  #copyPending(end: number): void {
    const ring = this.#ring;
    const head = this.#head;
    const length = Math.min(this.#pending, end - head);
    const from = head - this.#rep0 - 1;
    if (from >= 0 && length >= LONG_MATCH && length <= this.#rep0) {
      ring.copyWithin(head, from, from + length);
    } else {
      const wrapped = Math.min(length, Math.max(0, -from)); // at the end of the ring
      for (let index = 0; index < wrapped; index++) ring[head + index] = ring[from + ring.length + index]!;
      // The bytes may overlap: a match longer than its distance repeats them.
      for (let index = wrapped; index < length; index++) ring[head + index] = ring[from + index]!;
    }
    this.#head = head + length;
    this.#pending -= length;
  }
}
