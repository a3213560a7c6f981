/** Which of two failures is told: of the pieces, or of the transform. */

import { createGunzip, createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { throughZlib } from '../../src/formats/codec.ts';

async function* piecesOf(pieces: readonly Uint8Array[], failure?: Error): AsyncGenerator<Uint8Array, void> {
  yield* pieces;
  if (failure !== undefined) throw failure;
}

async function outputOf(output: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of output) pieces.push(piece);
  return Buffer.concat(pieces);
}

const packed = gzipSync('text');
const damaged = Buffer.from('no gzip data at all');

describe('throughZlib', () => {
  it('gives what the transform makes of all pieces', async () => {
    const texts = ['a', 'b', 'c'].map((text) => Buffer.from(text));
    const output = await outputOf(throughZlib(createGzip(), piecesOf(texts)));
    expect(gunzipSync(output).toString()).toBe('abc');
  });

  it.each([
    ['at once', []],
    ['after some of the data', [packed.subarray(0, 12)]],
    ['after all of the data', [packed]],
    ['after data that is damaged', [damaged]],
  ])('throws what the pieces throw %s', async (_title, pieces) => {
    const failure = new Error('cannot be read');
    const output = throughZlib(createGunzip(), piecesOf(pieces, failure));
    await expect(outputOf(output)).rejects.toBe(failure);
  });

  it.each([
    ['damaged', [damaged, damaged]],
    ['cut off', [packed.subarray(0, 12)]],
  ])('throws what the transform throws where the data is %s', async (_title, pieces) => {
    await expect(outputOf(throughZlib(createGunzip(), piecesOf(pieces)))).rejects.toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^Z_/) }),
    );
  });

  it('asks for all pieces, also where nobody takes the rest of the output', async () => {
    let asked = 0;
    const pieces = async function* (): AsyncGenerator<Uint8Array, void> {
      for (; asked < 5; asked += 1) yield Buffer.alloc(100_000, asked);
    };
    for await (const piece of throughZlib(createGzip(), pieces())) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(asked).toBe(5);
  });
});
