import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, type ByteSource, sourceOfBytes } from '../../src/formats/byteReader.ts';

const bytes = Buffer.from(Array.from({ length: 40 }, (_, index) => index));

/** Pieces of these lengths, which all lie in one memory, as those of a file do. */
function sourceIn(lengths: readonly number[]): ByteSource {
  const memory = Buffer.alloc(bytes.length);
  const left = [...lengths, bytes.length];
  let offset = 0;
  return {
    next: async () => {
      memory.fill(0xee);
      if (offset === bytes.length) return undefined;
      const piece = bytes.subarray(offset, offset + left.shift()!);
      offset += piece.length;
      memory.set(piece);
      return memory.subarray(0, piece.length);
    },
  };
}

const lengthsOfPieces = fc.array(fc.nat(9), { maxLength: 12 });

interface Step {
  readonly kind: 'take' | 'skip' | 'look' | 'takeAtMost';
  readonly length: number;
}

/** What the steps give, up to the end of the stream. */
async function resultsOf(source: ByteSource, steps: readonly Step[]): Promise<string[]> {
  const reader = new ByteReader('test', source);
  const results: string[] = [];
  for (const { kind, length } of steps) {
    if (kind === 'look') results.push(String(await reader.has(length)));
    else if (kind === 'skip') results.push(String(await reader.skip(length)));
    else if (kind === 'take') {
      const taken = await reader.take(length).then((piece) => piece.toString('hex'), String);
      results.push(taken);
      if (taken.startsWith('FormatError')) break;
    } else {
      let text = '';
      for (let left = length; left > 0;) {
        const piece = await reader.takeAtMost(left);
        if (piece.length === 0) break;
        text += piece.toString('hex');
        left -= piece.length;
      }
      results.push(text);
    }
    results.push(`at ${reader.offset}`);
  }
  return results;
}

describe('ByteReader', () => {
  it('gives the same bytes, however they come', async () => {
    const step = fc.record({
      kind: fc.constantFrom<Step['kind']>('take', 'skip', 'look', 'takeAtMost'),
      length: fc.nat(12),
    });
    await fc.assert(
      fc.asyncProperty(lengthsOfPieces, fc.array(step, { maxLength: 12 }), async (lengths, steps) => {
        expect(await resultsOf(sourceIn(lengths), steps)).toEqual(
          await resultsOf(sourceOfBytes(bytes), steps),
        );
      }),
    );
  });

  it('takes, passes over and looks ahead, and says where the stream is truncated', async () => {
    const steps = [
      { kind: 'take', length: 2 },
      { kind: 'look', length: 38 },
      { kind: 'look', length: 39 },
      { kind: 'skip', length: 30 },
      { kind: 'takeAtMost', length: 4 },
      { kind: 'take', length: 5 },
    ] as const;
    expect((await resultsOf(sourceIn([1, 9]), steps)).join(', ')).toBe(
      '0001, at 2, true, at 2, false, at 2, true, at 32, 20212223, at 36, ' +
        'FormatError: The test data is truncated at byte 40',
    );
  });

  it('does not ask for bytes that the source can leave out', async () => {
    let offset = 0;
    const next = async (): Promise<Uint8Array> => bytes.subarray(offset, (offset += 10));
    const skip = (length: number): number => {
      offset += Math.min(length, 5);
      return Math.min(length, 5);
    };
    const reader = new ByteReader('test', { next, skip });
    await reader.take(9);
    expect(await reader.skip(8)).toBe(true);
    expect(reader.offset).toBe(17);
    expect((await reader.take(1))[0]).toBe(17);
  });

  it('says where in the stream something is wrong', async () => {
    const reader = new ByteReader('test', sourceOfBytes(bytes), 100);
    await reader.skip(7);
    expect(reader.error('is wrong')).toMatchObject({
      message: 'The test data is wrong at byte 107',
      offset: 107,
    });
    expect(reader.truncated().message).toBe('The test data is truncated at byte 140');
  });
});
