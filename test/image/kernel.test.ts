/** Kernels that come packed. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { isPackedKernel, unpackKernel } from '../../src/image/kernel.ts';
import { bytesAccess, type RandomAccess, slice } from '../../src/image/overlay.ts';

const packed = gzipSync('a kernel'.repeat(10_000));

/** What is between three bytes in front and three behind. */
async function unpack(bytes: Uint8Array, image?: RandomAccess): Promise<number> {
  const whole = image ?? bytesAccess(Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(3)]));
  let size = 0;
  for await (const chunk of unpackKernel(slice(whole, { offset: 3, length: bytes.length })))
    size += chunk.length;
  return size;
}

describe('unpackKernel', () => {
  it('gives what is in it', async () => expect(await unpack(packed)).toBe(80_000));

  it.each([
    ['cut off', packed.subarray(0, 50)],
    ['damaged', Buffer.concat([packed.subarray(0, 50), Buffer.alloc(100, 0xff)])],
    ['no archive', Buffer.from('a kernel')],
  ])('refuses one that is %s', async (_title, bytes) => {
    await expect(unpack(bytes)).rejects.toThrow('the kernel cannot be decompressed');
    await expect(unpack(bytes)).rejects.toBeInstanceOf(FormatError);
  });

  it('passes on that the image cannot be read', async () => {
    const failure = new Error('gone');
    const image = { size: 1000, read: async () => Promise.reject(failure) };
    await expect(unpack(packed, image)).rejects.toBe(failure);
  });
});

it.each([
  ['packed', packed, true],
  ['a program', Buffer.from('MZ and more'), false],
  ['of one byte', Buffer.from([0x1f]), false],
])('a kernel that is %s', async (_title, bytes, expected) => {
  const image = bytesAccess(Buffer.concat([bytes, Buffer.from([0x8b, 8])]));
  expect(await isPackedKernel(slice(image, { offset: 0, length: bytes.length }))).toBe(expected);
});
