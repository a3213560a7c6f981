/** A defect of fzstd: tables of compressed blocks (RFC 8878) with which it would not come to an end. */

/** Compressed literals with a table of their own, and the bytes of their header by its size format (section 3.1.1.3.1.1). */
const LITERALS_WITH_TABLE = 2;
const LITERALS_HEADER_SIZES = [3, 3, 4, 5];

/**
 * Whether the weights of the Huffman table are coded by a table that gives all of the probability to one weight (sections
 * 4.1.1 and 4.2.1.2). Such a block is invalid: its weights take no bits, and fzstd reads them for ever.
 */
export function hasEndlessWeights(block: Uint8Array): boolean {
  const [first = 0] = block;
  const start = LITERALS_HEADER_SIZES[(first >> 2) & 3]!;
  if ((first & 3) !== LITERALS_WITH_TABLE || block[start]! >= 128) return false;
  let at = (start + 1) * 8;
  const take = (bits: number): number => {
    const byte = at >> 3;
    const value = ((block[byte] ?? 0) | ((block[byte + 1] ?? 0) << 8)) >> (at & 7);
    at += bits;
    return value & ((1 << bits) - 1);
  };
  const accuracy = take(4) + 5;
  if (accuracy > 6) return false;
  for (;;) {
    const number = take(accuracy + 1);
    if (number === (2 << accuracy) - 1) return true;
    at--; // all smaller numbers that matter take one bit less
    if ((number & ((1 << accuracy) - 1)) !== 1) return false;
    while (take(2) === 3); // a probability of 0, and how many more follow
  }
}
