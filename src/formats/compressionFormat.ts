/** How bytes are compressed, by their first ones. */

import { isZstd } from './zstd/frames.ts';

/** `none` is anything that does not start like one of the others. */
export type Compression = 'gzip' | 'xz' | 'zstd' | 'none';

/** Number of bytes required to detect the compression. */
export const MAX_MAGIC = 6;

/** How the bytes are compressed, by the first of them. */
export function detectCompression(bytes: Uint8Array): Compression {
  const start = Buffer.from(bytes.subarray(0, MAX_MAGIC)).toString('latin1');
  if (start.startsWith('\x1f\x8b')) return 'gzip';
  if (start === '\xfd7zXZ\0') return 'xz';
  return isZstd(bytes) ? 'zstd' : 'none';
}

/** Magic numbers of the formats that Linux unpacks and this program does not: bzip2, lzma, lzo, lz4 (lib/decompress.c). */
const FOREIGN = ['BZh', '\x5d\0\0', '\x89LZO', '\x02\x21\x4c\x18'];

/** Whether Linux unpacks an initramfs with these first bytes, but this program does not. */
export function isForeignCompression(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, MAX_MAGIC)).toString('latin1');
  return FOREIGN.some((magic) => start.startsWith(magic));
}
