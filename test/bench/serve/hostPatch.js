// @ts-check
/** What a host has instead of the base image: made from its number, by the server and by those who compare. */

import { createCipheriv, createHash } from 'node:crypto';

/**
 * From 4 KiB to 256 KiB of noise, somewhere in the image.
 * @param {number} host @param {number} size of the image @returns {{ offset: number, data: Buffer }}
 */
export function hostPatch(host, size) {
  const seed = createHash('sha256').update(String(host)).digest();
  const length = 4096 + (seed.readUInt32LE(0) % (252 * 1024 + 1));
  const offset = seed.readUIntLE(4, 6) % (size - length);
  const noise = createCipheriv('aes-128-ctr', seed.subarray(16), Buffer.alloc(16));
  return { offset, data: noise.update(Buffer.alloc(length)) };
}
