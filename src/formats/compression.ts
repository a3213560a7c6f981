/** Decompresses bytes in the formats that an initramfs can use. */

import { ByteReader, sourceOfBytes } from './byteReader.ts';
import type { UnpackOptions } from './codec.ts';
import { type Compression, detectCompression, MAX_MAGIC } from './compressionFormat.ts';
import { unpackGzip } from './gzip.ts';
import { unpackXz } from './xz/decode.ts';
import { unpackZstd } from './zstd/decode.ts';

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
