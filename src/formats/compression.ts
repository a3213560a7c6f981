/** Detects the compression of bytes and decompresses them, with the formats that an initramfs can use. */

import { type ByteInput, inputOfBytes, runAll, runSteps } from './byteFeed.ts';
import { countStream, type Decoded, type DecodeOptions, type UnpackOptions } from './codec.ts';
import { unpackGzip } from './gzip.ts';
import { unpackXz } from './xz/decode.ts';
import { unpackZstd } from './zstd/decode.ts';
import { isZstd } from './zstd/headers.ts';

/** `none` is anything that does not start like one of the others. */
export type Compression = 'gzip' | 'xz' | 'zstd' | 'none';

export interface DecodedMember extends Decoded {
  readonly format: Compression;
}

const GZIP_MAGIC = Uint8Array.of(0x1f, 0x8b);
const XZ_MAGIC = Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00);
/** Number of bytes required to detect the compression. */
export const MAX_MAGIC = XZ_MAGIC.length;

/** Maximum size of an xz dictionary for streams: the size that `xz -9` declares. */
const MAX_WINDOW = 64 * 1024 * 1024;

/** How the bytes at `offset` are compressed, by their first bytes. */
export function detectCompression(bytes: Uint8Array, offset = 0): Compression {
  if (startsWith(bytes, offset, GZIP_MAGIC)) return 'gzip';
  if (startsWith(bytes, offset, XZ_MAGIC)) return 'xz';
  return isZstd(bytes, offset) ? 'zstd' : 'none';
}

/** How what comes next in the input is compressed. */
export async function compressionAt(input: ByteInput): Promise<Compression> {
  await runAll(input.feed.has(MAX_MAGIC), input);
  return detectCompression(input.feed.bytes, input.feed.index);
}

/**
 * Unpacks one gzip member, one xz stream, or consecutive zstd frames. Of `none`, `data` is a view of all the rest,
 * whatever its length.
 *
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export async function decompressMember(
  bytes: Uint8Array,
  { offset = 0, maxBytes }: DecodeOptions,
): Promise<DecodedMember> {
  const format = detectCompression(bytes, offset);
  if (format === 'none') return { format, data: bytes.subarray(offset), end: bytes.length };
  const input = inputOfBytes(format, bytes, offset);
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackMember(format, input, { maxBytes, streams: { left: Infinity } })) {
    pieces.push(piece.slice());
  }
  return { format, data: Buffer.concat(pieces), end: input.feed.offset };
}

/**
 * Unpacks the same from a stream, which is behind it afterwards. A piece is good until the next one is asked for.
 *
 * @throws FormatError with the offset, when the data is damaged, truncated, not supported or too large.
 */
export function unpackMember(
  format: Exclude<Compression, 'none'>,
  input: ByteInput,
  options: UnpackOptions,
): AsyncGenerator<Uint8Array, void> {
  const { maxBytes, streams } = options;
  if (format === 'zstd') return unpackZstd(input, options);
  countStream(streams, input.feed.offset);
  return format === 'gzip'
    ? unpackGzip(input, options)
    : runSteps(unpackXz(input.feed, { maxBytes, maxWindow: MAX_WINDOW }), input);
}

function startsWith(bytes: Uint8Array, offset: number, magic: Uint8Array): boolean {
  return magic.every((byte, index) => bytes[offset + index] === byte);
}
