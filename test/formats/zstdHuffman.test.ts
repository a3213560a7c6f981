import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.ts';
import { decodeZstd, loadFzstd, nodeEngine } from '../../src/formats/zstd.ts';
import { hasEndlessWeights } from '../../src/formats/zstdHuffman.ts';

/** Found by fuzzing: fzstd reads the weights of its block for ever. */
const endless = Buffer.from(
  '28b52ffd0468fd010012040d11f0eb00c242daaed9c9554942e47de4f404c0d7c5b48fcca3a84db2dadfa6c5fe665d5324dcb31d096e' +
    '06271d49918fe1ffffffffffffffff014a14d17a',
  'hex',
);

describe('hasEndlessWeights', () => {
  it('is true of weights of which one has all of the probability', () => {
    expect(hasEndlessWeights(endless.subarray(9))).toBe(true);
  });

  it.each([
    ['literals without tree', [0x00, 0, 0]],
    ['a tree with plain weights', [0x02, 0, 0, 0x80, 0x11]],
    ['nothing', []],
  ])('is false of %s', (_title, block) => {
    expect(hasEndlessWeights(Uint8Array.from(block))).toBe(false);
  });
});

describe.each([
  ['fzstd', await loadFzstd()],
  ['Node', nodeEngine],
])('by %s', (_name, engine) => {
  it.skipIf(engine === undefined)(
    `such data are refused${engine === undefined ? ' (this Node has no zstd)' : ''}`,
    async () => {
      const options = { maxBytes: 1_000_000, ...(engine !== undefined && { engine }) };
      await expect(decodeZstd(endless, options)).rejects.toBeInstanceOf(FormatError);
    },
  );
});
