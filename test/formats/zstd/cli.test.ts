/** The verdicts of our decoder next to those of zstd itself, on what that compressed and on damage to it. */

import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { decodeZstd } from '../../support/decodeZstd.ts';
import { decodeFrames } from '../../../src/formats/zstd/fallback/frame.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { configText, contents } from '../damage.ts';

const text = configText(100);
/** Several blocks, with matches over more than a small window. */
const large = Buffer.concat(Array.from({ length: 8 }, (_, index) => [text, Buffer.alloc(40_000, index), text.toReversed()]).flat()); // prettier-ignore
const levels = Array.from({ length: 19 }, (_, index) => `-${index + 1}`);
const others = [
  '--ultra -22',
  '--fast=5',
  '-3 --no-check',
  '-3 --long=27',
  '-5 --zstd=wlog=10',
  '-16 --zstd=wlog=17',
  '-1 --no-compress-literals',
  '-6 --target-compressed-block-size=2000',
];

/** Undefined where it fails. */
function zstd(options: string, input: Uint8Array): Buffer | undefined {
  const { status, stdout } = spawnSync('zstd', ['-q', '-c', ...options.split(' ')], {
    input,
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : undefined;
}

function compress(options: string, input: Uint8Array): Buffer {
  const compressed = zstd(options, input);
  if (compressed === undefined) throw new Error(`zstd ${options} fails`);
  return compressed;
}

/** The content of exactly these frames, or why not. */
async function decode(bytes: Uint8Array): Promise<Uint8Array | string> {
  try {
    const { data, end } = await decodeZstd(bytes, { maxBytes: 1 << 24, decoder: decodeFrames });
    return end === bytes.length ? data : `something follows at ${end}`;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

function isSame(left: Uint8Array | string, right: Uint8Array): boolean {
  return typeof left !== 'string' && Buffer.compare(left, right) === 0;
}

/** Bits that have no meaning yet: the RFC says that they are 0, zstd did not look at them before 1.5.6. */
const RESERVED = /unknown flags in a block/;
/**
 * Bits that are left over or missing, which zstd does not mind in all places: only a checksum tells it of the damage. Its fast
 * loop for literals (`HUF_initFastDStream`) also takes a stream without end mark, which RFC 8878, section 4.1 calls corrupt.
 */
const MISFIT =
  /literals that do not match|without end mark|sequences whose size differs|bytes after the sequences|sequences that do not fit/;
const HAS_CHECKSUM = 4;

describe.skipIf(!have('zstd'))(`next to zstd${oracleNote('zstd')}`, () => {
  it.each(levels.map((level) => [level]))('reads text of level %s', async (level) => {
    expect(isSame(await decode(compress(level, text)), text)).toBe(true);
  });

  it.each(others.map((options) => [options]))('reads several frames with %s', async (options) => {
    const frames = Buffer.concat([compress(options, large), compress(options, text)]);
    expect(isSame(await decode(frames), Buffer.concat([large, text]))).toBe(true);
  });

  it('reads what it makes of anything', async () => {
    const property = fc.asyncProperty(
      contents,
      fc.constantFrom(...levels, ...others),
      async (data, options) => isSame(await decode(compress(options, data)), data),
    );
    await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined();
  }, 30_000);

  it('says the same of frames with flipped bits', async () => {
    const samples = ['-1', '-19', '-3 --no-check', '-19 --no-check'].flatMap((options) =>
      [text.subarray(0, 500), text].map((data) => compress(options, data)),
    );
    const places = fc.array(fc.nat({ max: 0xffff_ffff }), { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(
      fc.constantFrom(...samples),
      places,
      fc.boolean(),
      async (sample, bits, isNear) => {
        const bytes = Uint8Array.from(sample);
        const length = isNear ? Math.min(200, bytes.length) : bytes.length;
        for (const bit of bits) bytes[(bit >>> 3) % length]! ^= 1 << (bit & 7);
        const ours = await decode(bytes);
        const theirs = zstd('-d', bytes);
        if (theirs === undefined) return typeof ours === 'string';
        if (typeof ours !== 'string') return isSame(ours, theirs);
        return RESERVED.test(ours) || ((bytes[4]! & HAS_CHECKSUM) === 0 && MISFIT.test(ours));
      },
    );
    await expect(fc.assert(property, { numRuns: 150 })).resolves.toBeUndefined();
  }, 30_000);
});
