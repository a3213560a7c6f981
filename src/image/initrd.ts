/**
 * Reads and writes initramfs archives of CoreOS images: a sequence of cpio archives, each compressed or not. The reader
 * accepts the same archives as coreos-installer. Not supported, as in coreos-installer: lz4, lzo, bzip2 and lzma.
 */

import { FormatError, UnsupportedError } from '../core/errors.ts';
import {
  type ByteFeed,
  type ByteInput,
  type ByteSource,
  hasMore,
  inputOf,
  runSteps,
  sourceOf,
  type Steps,
} from '../formats/byteFeed.ts';
import { compressionAt, isForeignCompression, unpackMember } from '../formats/compression.ts';
import { type CpioEntry, isRegularFile, walkCpio, writeCpio } from '../formats/cpio.ts';
import { encodeGzip } from '../formats/gzip.ts';
import { bytesAccess, type RandomAccess } from './overlay.ts';

export interface ReadInitrdOptions {
  /** Limit of the unpacked bytes of all compressed archives (default: 1 GiB). */
  readonly maxBytes?: number;
  /** Limit of the bytes of all returned files (default: 1 GiB). */
  readonly maxKept?: number;
  /** Whether to return the file with this path (default: all files). */
  readonly wants?: (path: string) => boolean;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;
/** Limit of archives and members. A real initramfs has a few thousand; many empty ones would exhaust the memory. */
const MAX_MEMBERS = 500_000;
/** Limit of compressed streams and frames. A real initramfs has two or three; many empty ones would take hours. */
const MAX_STREAMS = 5000;
/** Limit of the characters of all listed paths. */
const MAX_NAMES = 16 * 1024 * 1024;
/** Bytes per read. */
const PIECE_SIZE = 256 * 1024;

const READABLE = 'use complete newc cpio archives, uncompressed or compressed by gzip, xz or zstd';

/**
 * Returns the regular files of all archives by path. A later file with the same path replaces an earlier one, as in the
 * kernel. Empty input contains no archive. Zeros before the first archive are an error.
 *
 * @throws FormatError with the offset if an archive is damaged, truncated or too large
 */
export async function readInitrd(
  bytes: Uint8Array,
  options: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  return readInitrdFrom(sourceOfImage(bytesAccess(bytes)), options);
}

/**
 * Reads an initramfs that does not have to fit into memory. It needs memory for the returned files, and some megabytes or
 * the size of the compression dictionary.
 *
 * @throws FormatError like `readInitrd`; what the source throws
 */
export async function readInitrdFrom(
  source: ByteSource,
  { maxBytes, maxKept = DEFAULT_MAX_BYTES, wants = () => true }: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let kept = 0;
  const countSize = (path: string, size: number): boolean => {
    if (!wants(path)) return false;
    kept += size - (files.get(path)?.length ?? 0);
    if (kept <= maxKept) return true;
    const hint = 'use a valid initramfs; this file is damaged or malicious';
    throw unreadable(`with ${path}, the extracted files are larger than ${maxKept} bytes`, { hint });
  };
  for await (const { path, data } of walkArchives(source, countSize, maxBytes)) {
    files.set(path, Uint8Array.from(data));
  }
  return files;
}

/**
 * Returns the sizes of the wanted regular files in bytes, by path. Of several files with the same path, the last counts.
 *
 * @throws FormatError like `readInitrd`; what the source throws
 */
export async function listInitrd(
  source: ByteSource,
  wants: (path: string) => boolean,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  let characters = 0;
  const addSize = (path: string, size: number): boolean => {
    if (!wants(path)) return false;
    if (!sizes.has(path)) characters += path.length;
    if (characters > MAX_NAMES) {
      const hint = 'use a valid initramfs, which has only a few thousand files';
      throw unreadable(`the names of its files are longer than ${MAX_NAMES} characters`, { hint });
    }
    sizes.set(path, size);
    return false;
  };
  await walkArchives(source, addSize).next(); // no file is wanted, so it reads to the end
  return sizes;
}

/**
 * Passes the wanted regular files to `take`, in the order of the archives. Only one file is in memory at a time, until the
 * promise of `take` settles.
 *
 * @throws FormatError like `readInitrd`; what the source and `take` throw
 */
export async function takeInitrdFiles(
  source: ByteSource,
  wants: (path: string) => boolean,
  take: (path: string, data: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const { path, data } of walkArchives(source, wants)) await take(path, data);
}

/**
 * The path of the first wanted regular file, after which nothing is read; undefined without one.
 *
 * @throws FormatError like `readInitrd`, if the archive is damaged in front of the file; what the source throws
 */
export async function findInitrdFile(
  source: ByteSource,
  wants: (path: string) => boolean,
): Promise<string | undefined> {
  for await (const { path } of walkArchives(source, wants)) return path;
  return undefined;
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

/** Sorts files by the UTF-8 bytes of their paths, the order in archives. */
export function sortedByPath<T>(files: ReadonlyMap<string, T>): [path: string, file: T][] {
  return [...files].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/**
 * Returns an archive of these files, compressed by gzip. Zeros align its end to 4 bytes, because the kernel requires that of an
 * uncompressed archive after it. Without files, the archive contains only the trailer.
 */
export function writeInitrd(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const archive = encodeGzip(writeCpio(files));
  return Buffer.concat([archive], Math.ceil(archive.length / 4) * 4);
}

/** A regular file of an archive. */
interface InitrdFile {
  readonly path: string;
  /** Valid until the next file is requested. */
  readonly data: Uint8Array;
}

/** Whether to read the data of a regular file; `size` in bytes. */
type Wants = (path: string, size: number) => boolean;

/** Remaining limits of one initramfs. */
interface Budget {
  /** Unpacked bytes. */
  room: number;
  /** Archives and members. */
  members: number;
  readonly streams: { left: number };
}

/** Yields the wanted files of all archives, in order. */
async function* walkArchives(
  source: ByteSource,
  wants: Wants,
  maxBytes = DEFAULT_MAX_BYTES,
): AsyncGenerator<InitrdFile, void> {
  const input = inputOf('initramfs', source);
  const budget: Budget = { room: maxBytes, members: MAX_MEMBERS, streams: { left: MAX_STREAMS } };
  while (await hasMore(input)) {
    countMember(budget);
    const format = await compressionAt(input);
    if (format === 'none' && isForeignCompression(input.feed.bytes.subarray(input.feed.index))) {
      const problem = `it is compressed by bzip2, lzma, lzo or lz4 at byte ${input.feed.offset}`;
      throw new UnsupportedError(`Cannot read the initramfs: ${problem}`, {
        hint: READABLE,
        offset: input.feed.offset,
      });
    }
    if (format === 'none') yield* readEntries(input, wants, budget);
    else yield* readCompressed(format, input, wants, budget);
    await skipZeros(input);
  }
}

async function* readCompressed(
  format: 'gzip' | 'xz' | 'zstd',
  input: ByteInput,
  wants: Wants,
  budget: Budget,
): AsyncGenerator<InitrdFile, void> {
  const { offset } = input.feed;
  const where = ` (in the ${format} data from byte ${offset} on)`;
  const limits = { maxBytes: budget.room, streams: budget.streams };
  const pieces = counted(unpackMember(format, input, limits), budget);
  const unpacked = inputOf(format, sourceOf(pieces));
  try {
    yield* readEntries(unpacked, wants, budget, where);
    await skipZeros(unpacked);
    if (await hasMore(unpacked)) {
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

async function* counted(pieces: AsyncIterable<Uint8Array>, budget: Budget): AsyncGenerator<Uint8Array, void> {
  for await (const piece of pieces) {
    budget.room -= piece.length;
    yield piece;
  }
}

/**
 * Reads one archive.
 * @param where the end of error messages: the offset of the compressed data in the input
 */
async function* readEntries(
  input: ByteInput,
  wants: Wants,
  budget: Budget,
  where = '',
): AsyncGenerator<InitrdFile, void> {
  for await (const { path, data } of runSteps(entriesOf(input.feed, wants, where), input)) {
    countMember(budget);
    if (data !== undefined) yield { path, data };
  }
}

function* entriesOf(feed: ByteFeed, wants: Wants, where: string): Steps<CpioEntry> {
  try {
    yield* walkCpio(feed, (it) => isRegularFile(it) && wants(it.path, it.size));
  } catch (cause) {
    if (!(cause instanceof FormatError) || cause.offset === undefined) throw cause;
    const { offset } = cause;
    throw unreadable(cause.message + where, { cause, hint: READABLE, offset });
  }
}

function countMember(budget: Budget): void {
  if (budget.members-- > 0) return;
  const hint = 'use a valid initramfs, which has only a few thousand members';
  throw unreadable(`it has more than ${MAX_MEMBERS} members`, { hint });
}

function unreadable(problem: string, details: ConstructorParameters<typeof FormatError>[1]): FormatError {
  return new FormatError(`Cannot read the initramfs: ${problem}`, details);
}

/** Skips zeros. */
async function skipZeros(input: ByteInput): Promise<void> {
  while ((await hasMore(input)) && passZeros(input.feed));
}

const ZEROS = Buffer.alloc(4096);

/** Returns false if it found a byte that is not zero. */
function passZeros(feed: ByteFeed): boolean {
  const { bytes } = feed;
  let { index } = feed;
  // Most of an area is free, and comparing blocks is ten times faster than comparing bytes.
  while (Buffer.compare(ZEROS, bytes.subarray(index, index + ZEROS.length)) === 0) index += ZEROS.length;
  while (bytes[index] === 0) index++;
  feed.index = index;
  return feed.available === 0;
}
