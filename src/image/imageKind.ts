/** Detects the kind of an image from its first bytes, independently of the file name. */

import { detectCompression, MAX_MAGIC } from '../formats/compression.ts';
import type { RandomAccess } from './overlay.ts';

/** `other` is any other file, for example a text. */
export type ImageKind = 'iso' | 'initramfs' | 'other';

/** The magic of ISO 9660 (ECMA-119, 8.1). */
const ISO_MARK = { offset: 32_769, text: 'CD001' };
/** The start of the magic of all text formats of cpio. */
const CPIO_MARK = '0707';

/** An `initramfs` is any cpio archive, compressed or not; its contents are not checked. */
export async function detectImageKind(image: RandomAccess): Promise<ImageKind> {
  if (await isIso(image)) return 'iso';
  const head = await image.read(0, Math.min(MAX_MAGIC, image.size));
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
