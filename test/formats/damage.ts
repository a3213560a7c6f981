/** Damaged input for decoders: whatever they are given, they may only decode it or throw a FormatError. */

import * as fc from 'fast-check';
import { FormatError } from '../../src/core/errors.ts';

type Decode = (bytes: Uint8Array) => unknown;

/** Asserts that every beginning of `sound` is refused. */
export async function refusesTruncation(sound: Uint8Array, decode: Decode): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: sound.length - 1 }), async (length) => {
      return (await outcome(decode, sound.subarray(0, length))) === 'FormatError';
    }),
  );
}

/** Asserts that flipped bits do no harm beyond a FormatError. */
export async function survivesBitFlips(sound: Uint8Array, decode: Decode): Promise<void> {
  const flips = fc.array(fc.nat(sound.length * 8 - 1), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(flips, async (bits) => {
      const bytes = Uint8Array.from(sound);
      for (const bit of bits) bytes[bit >> 3]! ^= 1 << (bit & 7);
      await outcome(decode, bytes);
    }),
    { numRuns: 120 },
  );
}

/** Asserts the same of arbitrary bytes behind a sound beginning. */
export async function survivesNoise(beginning: Uint8Array, decode: Decode): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (noise) => {
      await outcome(decode, Buffer.concat([beginning, noise]));
    }),
    { numRuns: 120 },
  );
}

async function outcome(decode: Decode, bytes: Uint8Array): Promise<'decoded' | 'FormatError'> {
  try {
    await decode(bytes);
    return 'decoded';
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return 'FormatError';
  }
}

/** Bytes as they occur: arbitrary, repetitive, text. */
export const contents: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 3000, size: 'max' }),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(200), fc.uint8Array({ maxLength: 10 }))
    .map(([piece, times, tail]) => Buffer.concat([...Array.from({ length: times }, () => piece), tail])),
  fc.json({ maxDepth: 4 }).map((text) => Buffer.from(text)),
);

const script = (index: number): string =>
  `#!/bin/bash\nset -eu\nfor disk in /dev/sd${index % 7} /dev/nvme${index}; do\n  wipefs --all "$disk" || exit ${index}\ndone\n`;

/** JSON as configs have it: units, scripts in data URLs; deterministic. */
export function configText(files: number): Buffer {
  const units = Array.from({ length: files }, (_, index) => ({
    name: `job-${index}.service`,
    enabled: index % 3 === 0,
    contents: `[Unit]\nDescription=Job ${index * 7919}\nAfter=network-online.target\n\n[Service]\nExecStart=/usr/local/bin/job-${index} --port ${8000 + index}\n`,
  }));
  const storage = Array.from({ length: files }, (_, index) => ({
    path: `/usr/local/bin/job-${index}`,
    mode: 493,
    contents: { source: `data:,${encodeURIComponent(script(index))}` },
  }));
  return Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, storage, units }));
}
