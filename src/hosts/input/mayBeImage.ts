/** Whether it is worth the time to load what knows images: not for texts, which configs are. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../../io/io.ts';

/** Larger files are looked at before they are read as a whole: they may be images of a gigabyte. */
const LARGE = 4 * 1024 * 1024;
/** Bytes up to the end of what every ISO has, whatever it begins with. */
const ISO_MARK_END = 32_774;
/** Bytes that tell whether something begins like a text; archives and compressed data do not. */
const HEAD = 4;
const OPENING_BRACE = 0x7b;
/** What cpio archives begin with, and no config does. */
const ZERO = 0x30;

/** Of a file by its size; what cannot be looked at is none, as reading it gives the error. */
export function isImageSized(path: string, { cwd }: Pick<Io, 'cwd'>): boolean {
  try {
    const stats = statSync(resolve(cwd, path));
    return stats.size > LARGE || stats.isBlockDevice();
  } catch {
    return false;
  }
}

/** Of content by its first bytes. */
export function mayBeImage(content: Uint8Array): boolean {
  const [first] = content;
  if (first === OPENING_BRACE) return false;
  return content.length > ISO_MARK_END || first === ZERO || !content.subarray(0, HEAD).every(isTextByte);
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
