/**
 * One look into the compressed blocks of zstandard data (RFC 8878, section 4.2.1): fzstd reads Huffman weights of which a
 * single one has all of the probability for ever, as no bit is used up. zstd itself refuses them, and makes none.
 */

/** Kind of literals that come with a Huffman tree. */
const WITH_TREE = 2;
/** From here on the weights follow as they are. */
const DIRECT_WEIGHTS = 128;
const LITERALS_HEADER = [3, 3, 4, 5];

/** Whether fzstd would not come to an end with this block. */
export function hasEndlessWeights(block: Uint8Array): boolean {
  const first = block[0] ?? 0;
  if ((first & 3) !== WITH_TREE) return false;
  const tree = LITERALS_HEADER[(first >> 2) & 3] ?? 0;
  return (block[tree] ?? DIRECT_WEIGHTS) < DIRECT_WEIGHTS && isOneSymbol(block, tree + 1);
}

/** Section 4.1.1: whether the first symbol with a probability has all of it. */
function isOneSymbol(block: Uint8Array, start: number): boolean {
  const bitAt = (bit: number): number => ((block[start + (bit >> 3)] ?? 0) >> (bit & 7)) & 1;
  const take = (bit: number, count: number): number => {
    let value = 0;
    for (let index = 0; index < count; index++) value |= bitAt(bit + index) << index;
    return value;
  };
  const accuracy = take(0, 4) + 5;
  const all = 1 << accuracy;
  let bit = 4;
  while (bit >> 3 < block.length) {
    // Values are 0 to `all` + 1, of which the largest have one bit more; 0 stands for a probability below 1, 1 for none.
    const width = accuracy + 1;
    const short = take(bit, width - 1);
    const isShort = short < (1 << width) - 1 - (all + 1);
    const long = take(bit, width);
    const value = isShort ? short : long >= 1 << (width - 1) ? long - ((1 << width) - 2 - all) : long;
    bit += isShort ? width - 1 : width;
    if (value !== 1) return value - 1 === all;
    let repeats = 3;
    while (repeats === 3 && bit >> 3 < block.length) {
      repeats = take(bit, 2);
      bit += 2;
    }
  }
  return false;
}
