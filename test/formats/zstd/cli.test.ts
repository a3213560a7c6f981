/** Reads by fzstd what zstd itself compressed. */

import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../src/core/errors.ts';
import { startFzstd, unpackZstd } from '../../../src/formats/zstd/decode.ts';
import { decoded } from '../../support/decoding.ts';

import { have, oracleNote } from '../../support/programs.ts';
import { configText, contents } from '../damage.ts';

const text = configText(100);
/** Several blocks, with matches over more than a small window. */
const large = Buffer.concat(Array.from({ length: 8 }, (_, index) => [text, Buffer.alloc(40_000, index), text.toReversed()]).flat()); // prettier-ignore
const levels = Array.from({ length: 19 }, (_, index) => `-${index + 1}`);
const others = [
  '--ultra -20',
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
    const { data, end } = await decoded((reader) => unpackZstd(reader, 1 << 24, startFzstd), bytes);
    return end === bytes.length ? data : `something follows at ${end}`;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

function isSame(left: Uint8Array | string, right: Uint8Array): boolean {
  return typeof left !== 'string' && Buffer.compare(left, right) === 0;
}

describe.skipIf(!have('zstd'))(`next to zstd${oracleNote('zstd')}`, () => {
  it.each(levels.map((level) => [level]))('reads text of level %s', async (level) => {
    expect(isSame(await decode(compress(level, text)), text)).toBe(true);
  });

  it.each(others.map((options) => [options]))('reads several frames with %s', async (options) => {
    const frames = Buffer.concat([compress(options, large), compress(options, text)]);
    expect(isSame(await decode(frames), Buffer.concat([large, text]))).toBe(true);
  });

  it('reads what it makes of anything', async () => {
    const property = fc.asyncProperty(contents, fc.constantFrom(...levels), async (data, options) =>
      isSame(await decode(compress(options, data)), data),
    );
    await expect(fc.assert(property, { numRuns: 15 })).resolves.toBeUndefined();
  });
});
