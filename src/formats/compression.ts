/** Decompresses bytes in the formats that an initramfs can use. */

import { ByteReader, sourceOfBytes } from './byteReader.ts';
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
 * What the bytes unpack to, like {@link unpackAll}. Bytes without compression stay as they are, whatever their length.
 *
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export async function decompress(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (detectCompression(bytes) === 'none') return bytes;
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackAll(new ByteReader('compressed', sourceOfBytes(bytes)), maxBytes)) {
    pieces.push(Uint8Array.from(piece));
  }
  return Buffer.concat(pieces);
}

/**
 * What the input unpacks to: one compressed member after the other, or the bytes themselves. What follows the compressed members
 * is no part of them, such as the padding of a tape. A piece is good until the next one is asked for.
 *
 * @param maxBytes limit of what all compressed members unpack to
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export async function* unpackAll(reader: ByteReader, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let format = await compressionAt(reader);
  if (format === 'none') {
    for (let piece = await reader.takeAtMost(); piece.length > 0; piece = await reader.takeAtMost())
      yield piece;
  }
  let room = maxBytes;
  for (; format !== 'none'; format = await compressionAt(reader)) {
    for await (const piece of unpackMember(format, reader, room)) {
      room -= piece.length;
      yield piece;
    }
  }
}

/**
 * Unpacks one gzip member, one xz stream, or consecutive zstd frames from a stream, which is behind the unpacked data afterwards.
 * A piece is good until the next one is asked for.
 *
 * @param maxBytes limit of what it unpacks to
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export function unpackMember(
  format: Exclude<Compression, 'none'>,
  reader: ByteReader,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  if (format === 'zstd') return unpackZstd(reader, maxBytes);
  return format === 'gzip' ? unpackGzip(reader, maxBytes) : unpackXz(reader, maxBytes);
}
