import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeXz } from '../../../src/formats/xz/decode.ts';
import { encodeXz } from '../../../src/formats/xz/encode.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { configText, contents } from '../damage.ts';

const limit = { maxBytes: 1 << 24 };
const text = configText(300);
const noise = Uint8Array.from(
  { length: 200_000 },
  (_, index) => (Math.imul(index ^ (index >>> 5), 0x85eb_ca6b) >>> 11) & 0xff,
);

/** What xz makes of a stream. */
function unxz(stream: Uint8Array): Buffer {
  const result = spawnSync('xz', ['-dc'], { input: stream, maxBuffer: 1 << 28 });
  expect(result.stderr.toString()).toBe('');
  return result.stdout;
}

/** Random bytes of a fixed seed. */
function randomBytes(length: number): Uint8Array {
  let state = 0x1234_5678;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}

const cases: readonly (readonly [string, readonly Uint8Array[]])[] = [
  ['no block', []],
  ['an empty block', [new Uint8Array(0)]],
  ['one byte', [Uint8Array.of(65)]],
  ['three bytes', [Uint8Array.of(65, 65, 65)]],
  ['text', [text]],
  ['zeros, more than a chunk holds', [new Uint8Array(5_000_000)]],
  ['a pattern', [noise]],
  ['random bytes, which are stored', [randomBytes(200_000)]],
  [
    'text between random bytes',
    [Buffer.concat([randomBytes(70_000), text.subarray(0, 50_000), randomBytes(70_000)])],
  ],
  ['random bytes that repeat', [Buffer.concat([randomBytes(66_000), randomBytes(66_000)])]],
  ['several blocks', [text.subarray(0, 1001), new Uint8Array(0), randomBytes(100), text]],
];

describe('encodeXz', () => {
  it.each(cases)('round trip of %s', (_name, blocks) => {
    const stream = encodeXz(blocks, 'crc32');
    const { data, end } = decodeXz(stream, limit);
    expect(Buffer.compare(data, Buffer.concat(blocks))).toBe(0);
    expect(end).toBe(stream.length);
  });

  it.skipIf(!have('xz')).each(cases)(`xz reads %s${oracleNote('xz')}`, (_name, blocks) => {
    expect(Buffer.compare(unxz(encodeXz(blocks, 'crc64')), Buffer.concat(blocks))).toBe(0);
  });

  it('round trip of anything', () => {
    fc.assert(
      fc.property(fc.array(contents, { maxLength: 3 }), (blocks) => {
        const { data } = decodeXz(encodeXz(blocks, 'crc32'), limit);
        expect(Buffer.compare(data, Buffer.concat(blocks))).toBe(0);
      }),
    );
  });

  it('starts as the kernel and scripts expect it', () => {
    const start = Buffer.from(encodeXz([text], 'crc32'))
      .subarray(0, 12)
      .toString('hex');
    expect(start).toBe('fd377a585a0000016922de36');
  });

  it('declares a dictionary that just holds the data', () => {
    expect(encodeXz([new Uint8Array(100)], 'crc32')[16]).toBe(0);
    expect(encodeXz([new Uint8Array(4097)], 'crc32')[16]).toBe(1);
    expect(encodeXz([new Uint8Array(1 << 20)], 'crc32')[16]).toBe(16);
  });

  it('gives the same bytes again', () => {
    expect(Buffer.compare(encodeXz([text], 'crc32'), encodeXz([text], 'crc32'))).toBe(0);
  });

  it('adds next to nothing to random bytes', () => {
    expect(encodeXz([randomBytes(200_000)], 'crc32').length).toBeLessThan(200_100);
  });

  it.skipIf(!have('xz'))(`comes within 6 % of xz -9${oracleNote('xz')}`, () => {
    const reference = spawnSync('xz', ['-9', '--check=crc32', '-c'], { input: text }).stdout;
    expect(encodeXz([text], 'crc32').length).toBeLessThan(reference.length * 1.06);
  });
});
