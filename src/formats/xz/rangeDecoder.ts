/** The range decoder of LZMA: bits from bytes, by adaptive probabilities or by halves. */

import { MODEL_SIZE } from './lzmaModel.ts';

/** A probability is this many 2048ths that the next bit is 0. */
const ONE = 2048;
const ONE_BITS = 11;
/** How fast a probability follows its bits. */
const ADAPT_SHIFT = 5;
/** Bytes that start every range-coded chunk. */
const HEADER_SIZE = 5;

export class RangeDecoder {
  readonly #model = new Uint16Array(MODEL_SIZE);
  #input: Uint8Array = new Uint8Array(0);
  /** Next byte of the input; bytes past its end count as 0, so the position is compared with the end. */
  #position = 0;
  /** Both are unsigned 32-bit numbers, kept as signed ones: those stay small integers in V8. */
  #range = 0;
  #code = 0;

  /** Forgets what was learned: all probabilities are one half. */
  reset(): void {
    this.#model.fill(ONE / 2);
  }

  /** Reads the bytes that start a chunk; false if they cannot be such a start. */
  start(input: Uint8Array): boolean {
    this.#input = input;
    this.#position = HEADER_SIZE;
    this.#range = -1;
    this.#code = (input[1]! << 24) | (input[2]! << 16) | (input[3]! << 8) | input[4]!;
    return input.length >= HEADER_SIZE && input[0] === 0;
  }

  /** Whether the chunk ends where the encoder ended it. */
  isAtEnd(): boolean {
    this.#shiftIn();
    return this.#position === this.#input.length && this.#code === 0;
  }

  #shiftIn(): void {
    if (this.#range >>> 24 !== 0) return;
    this.#range <<= 8;
    this.#code = (this.#code << 8) | this.#input[this.#position++]!;
  }

  /** One bit by the probability at `index`, which then follows the bit. */
  bit(index: number): number {
    this.#shiftIn();
    const probability = this.#model[index]!;
    const bound = Math.imul(this.#range >>> ONE_BITS, probability);
    if (this.#code >>> 0 < bound >>> 0) {
      this.#range = bound;
      this.#model[index] = probability + ((ONE - probability) >> ADAPT_SHIFT);
      return 0;
    }
    this.#range = (this.#range - bound) | 0;
    this.#code = (this.#code - bound) | 0;
    this.#model[index] = probability - (probability >> ADAPT_SHIFT);
    return 1;
  }

  /** A symbol of `bits` bits, most significant first, from the tree at `base`. */
  tree(base: number, bits: number): number {
    let node = 1;
    for (let bit = 0; bit < bits; bit++) node = (node << 1) | this.bit(base + node);
    return node - (1 << bits);
  }

  /** The same, least significant bit first. */
  reversedTree(base: number, bits: number): number {
    let node = 1;
    let symbol = 0;
    for (let bit = 0; bit < bits; bit++) {
      const value = this.bit(base + node);
      node = (node << 1) | value;
      symbol |= value << bit;
    }
    return symbol;
  }

  /**
   * A byte from the three trees at `base`: as long as its bits are those of `expected`, that one's next bit chooses between
   * the second and the third.
   */
  matchedByte(base: number, expected: number): number {
    let node = 1;
    let tree = 0x100;
    for (let pattern = expected << 1; node < 0x100; pattern <<= 1) {
      const chosen = pattern & tree;
      const bit = this.bit(base + tree + chosen + node);
      node = (node << 1) | bit;
      tree &= bit === 1 ? chosen : ~chosen;
    }
    return node & 0xff;
  }

  /** Bits that are as likely 0 as 1. */
  directBits(bits: number): number {
    let result = 0;
    for (let bit = 0; bit < bits; bit++) {
      this.#shiftIn();
      this.#range >>>= 1;
      const isOne = this.#code >>> 0 >= this.#range;
      if (isOne) this.#code = (this.#code - this.#range) | 0;
      result = (result << 1) | Number(isOne);
    }
    return result;
  }
}
