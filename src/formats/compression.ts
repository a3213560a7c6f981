/** Detects the compression of bytes and decompresses them, with the formats that an initramfs can use. */

import { ByteReader, sourceOfBytes } from './byteReader.ts';
import type { UnpackOptions } from './codec.ts';
import { unpackGzip } from './gzip.ts';
import { unpackXz } from './xz/decode.ts';
import { unpackZstd } from './zstd/decode.ts';
import { isZstd } from './zstd/headers.ts';

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

/** How what comes next is compressed. */
export async function compressionAt(reader: ByteReader): Promise<Compression> {
  await reader.has(MAX_MAGIC);
  return detectCompression(reader.bytes);
}

/**
 * Unpacks one gzip member, one xz stream, or consecutive zstd frames; what follows is left out. Bytes without compression
 * stay as they are, whatever their length.
 *
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const format = detectCompression(bytes);
  if (format === 'none') return bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackMember(format, new ByteReader(format, sourceOfBytes(bytes)), {
    maxBytes,
  })) {
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
}

/**
 * Unpacks the same from a stream, which is behind the unpacked data afterwards. A piece is good until the next one is asked for.
 *
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export function unpackMember(
  format: Exclude<Compression, 'none'>,
  reader: ByteReader,
  options: UnpackOptions,
): AsyncGenerator<Uint8Array, void> {
  if (format === 'zstd') return unpackZstd(reader, options);
  return format === 'gzip' ? unpackGzip(reader, options) : unpackXz(reader, options);
}
