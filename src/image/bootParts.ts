/** What a boot loader loads from a live image: where it is on an ISO, and kernels as loaders can start them. */

import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FormatError } from '../core/errors.ts';
import { detectCompression, MAX_MAGIC } from '../formats/compression.ts';
import { openIsoTree } from './isoTree.ts';
import { type ByteRange, chunksOf } from './overlay.ts';
import { findPxeFiles } from './pxeFiles.ts';
import type { RandomAccess } from './randomAccess.ts';

/** The parts of a live system for network boot, by the names that ironic-image has for them. */
export const imageParts = ['kernel', 'initramfs', 'rootfs'] as const;

export type ImagePart = (typeof imageParts)[number];

/** Names of the parts on an ISO. */
const namesOnIso: Readonly<Record<ImagePart, readonly string[]>> = {
  kernel: ['vmlinuz', 'kernel.img'],
  initramfs: ['initrd.img'],
  rootfs: ['rootfs.img'],
};

/**
 * Where the part is on a live ISO, or undefined.
 * @throws FormatError where it is no such ISO
 */
export async function findBootPart(iso: RandomAccess, part: ImagePart): Promise<ByteRange | undefined> {
  const files = await findPxeFiles(await openIsoTree(iso), iso);
  return namesOnIso[part].map((name) => files.find((file) => file.name === name)).find(Boolean);
}

/** Kernels of aarch64 come packed, and UEFI and iPXE start what is a program, and no archive of one. */
export async function isPackedKernel(image: RandomAccess, { offset, length }: ByteRange): Promise<boolean> {
  return detectCompression(await image.read(offset, Math.min(MAX_MAGIC, length))) === 'gzip';
}

/** Bytes of an unpacked kernel; real ones have less than a tenth of it. */
const MAX_KERNEL = 1024 ** 3;

/** @throws FormatError where it cannot be unpacked, or is too large; errors of the image as they are */
export async function* unpackKernel(image: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const gunzip = createGunzip();
  const packed = Readable.from(chunksOf(image, range)).once('error', (error) => gunzip.destroy(error));
  let size = 0;
  try {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_KERNEL) {
        throw new FormatError(`the kernel is larger than ${MAX_KERNEL} bytes when it is unpacked`, {
          hint: 'is this the right file?',
        });
      }
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new FormatError('the kernel cannot be unpacked', { hint: 'download it again', cause: error });
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}
