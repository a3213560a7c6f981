/** Tells images by their first bytes: whatever a file is called, an ISO is one, and so is an initramfs. */

import { detectCompression } from '../formats/compression.ts';
import type { RandomAccess } from './overlay.ts';

/** `other` is anything else, a text for example. */
export type ImageKind = 'iso' | 'initramfs' | 'other';

/** Where every ISO 9660 image says what it is (ECMA-119, 8.1). */
const ISO_MARK = { offset: 32_769, text: 'CD001' };
/** Bytes that tell compressed data; xz has the longest mark. */
const HEAD = 6;
/** How the headers of all text forms of cpio begin. */
const CPIO_MARK = '0707';

/** An `initramfs` is any cpio archive, compressed or not; what is in it is not looked at. */
export async function detectImageKind(image: RandomAccess): Promise<ImageKind> {
  if (await isIso(image)) return 'iso';
  const head = await image.read(0, Math.min(HEAD, image.size));
  const isArchive = detectCompression(head) !== 'none' || latin1(head).startsWith(CPIO_MARK);
  return isArchive ? 'initramfs' : 'other';
}

async function isIso(image: RandomAccess): Promise<boolean> {
  const { offset, text } = ISO_MARK;
  if (image.size < offset + text.length) return false;
  return latin1(await image.read(offset, text.length)) === text;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
