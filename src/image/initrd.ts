/**
 * Reads and writes initramfs archives of CoreOS images: a sequence of cpio archives, each compressed or not. The reader
 * accepts the same archives as coreos-installer. Not supported, as in coreos-installer: lz4, lzo, bzip2 and lzma.
 */

import { FormatError, UnsupportedError } from '../core/errors.ts';
import { ByteReader, type ByteSource, sourceOf, sourceOfBytes } from '../formats/byteReader.ts';
import { compressionAt, unpackMember } from '../formats/compression.ts';
import { isForeignCompression } from '../formats/compressionFormat.ts';
import {
  type CpioEntry,
  CpioError,
  type CpioHeader,
  isRegularFile,
  walkCpio,
  writeCpio,
} from '../formats/cpio.ts';
import { encodeGzip } from '../formats/gzip.ts';
import type { RandomAccess } from './overlay.ts';

export interface ReadInitrdOptions {
  /** Limit of the unpacked bytes of each compressed archive (default: 1 GiB). */
  readonly maxBytes?: number;
  /** Limit of the bytes of all returned files with their names, which are in memory (default: 1 GiB). */
  readonly maxKept?: number;
  /** Whether to return the file with this path (default: all files). */
  readonly wants?: (path: string) => boolean;
}

/** Limit of unpacked bytes and of returned files in bytes, unless given. */
const DEFAULT_MAX_BYTES = 1024 ** 3;
/** About the bytes that a file takes in memory, beside its data. */
const FILE_SIZE = 500;
/** Bytes per read. */
const PIECE_SIZE = 256 * 1024;

const READABLE = 'use complete newc cpio archives, uncompressed or compressed by gzip, xz or zstd';

/**
 * Returns the regular files of all archives by path. A later file with the same path replaces an earlier one, as in the
 * kernel. Empty input contains no archive. Zeros before the first archive are an error.
 *
 * @throws FormatError with the offset if an archive is damaged, truncated or too large
 */
export function readInitrd(
  bytes: Uint8Array,
  options: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  return readInitrdFrom(sourceOfBytes(bytes), options);
}

/**
 * Reads an initramfs that does not have to fit into memory. It needs memory for the returned files, and some megabytes or
 * the size of the compression dictionary.
 *
 * @throws FormatError like `readInitrd`; what the source throws
 */
export async function readInitrdFrom(
  source: ByteSource,
  { maxBytes = DEFAULT_MAX_BYTES, maxKept = DEFAULT_MAX_BYTES, wants = () => true }: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let kept = 0;
  const countSize: Wants = (member) => {
    const { path, size } = member;
    if (!isRegularFile(member) || !wants(path)) return false;
    kept += files.has(path) ? size - files.get(path)!.length : size + FILE_SIZE + path.length;
    if (kept <= maxKept) return true;
    const hint = 'use a valid initramfs; this file is damaged or malicious';
    throw unreadable(`with ${path}, the extracted files are larger than ${maxKept} bytes`, { hint });
  };
  const reader = new ByteReader('initramfs', source);
  while (await reader.has(1)) {
    const format = await compressionAt(reader);
    const { offset } = reader;
    if (format === 'none' && isForeignCompression(reader.bytes)) {
      const problem = `it is compressed by bzip2, lzma, lzo or lz4 at byte ${offset}`;
      throw new UnsupportedError(`Cannot read the initramfs: ${problem}`, { hint: READABLE, offset });
    }
    const entries =
      format === 'none'
        ? readEntries(reader, countSize)
        : readCompressed(format, reader, countSize, maxBytes);
    for await (const { path, data } of entries) if (data !== undefined) files.set(path, data);
    await skipZeros(reader);
  }
  return files;
}

/** All bytes of an image in order, for `readInitrdFrom`. Skipped bytes are not read. */
export function sourceOfImage(image: RandomAccess): ByteSource {
  let offset = 0;
  const advance = (most: number): number => {
    const length = Math.min(most, image.size - offset);
    offset += length;
    return length;
  };
  return {
    next: async () => {
      const start = offset;
      const length = advance(PIECE_SIZE);
      return length === 0 ? undefined : image.read(start, length);
    },
    skip: advance,
  };
}

/**
 * Returns an archive of these files, compressed by gzip. Zeros align its end to 4 bytes, because the kernel requires that of an
 * uncompressed archive after it. Without files, the archive contains only the trailer.
 */
export function writeInitrd(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const archive = encodeGzip(writeCpio(files));
  return Buffer.concat([archive], Math.ceil(archive.length / 4) * 4);
}

/** Whether to read the data of a member. */
type Wants = (member: CpioHeader) => boolean;

async function* readCompressed(
  format: 'gzip' | 'xz' | 'zstd',
  reader: ByteReader,
  wants: Wants,
  maxBytes: number,
): AsyncGenerator<CpioEntry, void> {
  const { offset } = reader;
  const pieces = unpackMember(format, reader, maxBytes);
  const unpacked = new ByteReader(format, sourceOf(pieces));
  try {
    yield* readEntries(unpacked, wants, ` (in the ${format} data from byte ${offset} on)`);
    await skipZeros(unpacked);
    if (await unpacked.has(1)) {
      const hint = 'append additional archives after the compressed archive, not inside it';
      throw unreadable(`found trailing garbage inside compressed archive at byte ${offset}`, {
        offset,
        hint,
      });
    }
  } catch (error) {
    // If the compressed data is damaged, report that error, because it is the cause of the other one.
    if (error instanceof FormatError) while ((await pieces.next()).done !== true);
    throw error;
  } finally {
    await pieces.return();
  }
}

/**
 * Reads one archive.
 * @param where the end of error messages: the offset of the compressed data in the input
 */
async function* readEntries(reader: ByteReader, wants: Wants, where = ''): AsyncGenerator<CpioEntry, void> {
  try {
    yield* walkCpio(reader, wants);
  } catch (cause) {
    if (!(cause instanceof CpioError)) throw cause;
    const { offset = 0 } = cause;
    throw unreadable(cause.message + where, { cause, hint: READABLE, offset });
  }
}

function unreadable(problem: string, details: ConstructorParameters<typeof FormatError>[1]): FormatError {
  return new FormatError(`Cannot read the initramfs: ${problem}`, details);
}

async function skipZeros(reader: ByteReader): Promise<void> {
  while (await reader.has(1)) {
    const { bytes } = reader;
    const end = bytes.findIndex((byte) => byte !== 0);
    reader.pass(end < 0 ? bytes.length : end);
    if (end >= 0) return;
  }
}
