/**
 * Initramfs archives as CoreOS images hold them: cpio archives one after the other, each compressed or not. What is
 * read and what is refused, and where the writer starts an xz block, follows coreos-installer; its bytes differ, as
 * they come from another encoder. Left out: lz4, lzo, bzip2 and lzma, which coreos-installer does not read either.
 */

import { FormatError } from '../core/errors.ts';
import {
  type ByteFeed,
  type ByteInput,
  type ByteSource,
  hasMore,
  inputOf,
  inputOfBytes,
  refill,
  runAll,
  sourceOf,
} from '../formats/byteFeed.ts';
import { detectCompression, MAX_MAGIC, unpackMember } from '../formats/compression.ts';
import { type CpioHeader, isRegularFile, walkCpio, writeCpio } from '../formats/cpio.ts';
import { encodeGzip } from '../formats/gzip.ts';
import { encodeXz } from '../formats/xz/encode.ts';
import type { RandomAccess } from './overlay.ts';

export interface ReadInitrdOptions {
  /** Unpacked bytes of all compressed archives together, at most; 1 GiB unless given. */
  readonly maxBytes?: number;
  /** Bytes of all files that are kept, at most; 1 GiB unless given. */
  readonly maxKept?: number;
  /** Whether a file of that path is kept; without, all are. */
  readonly wants?: (path: string) => boolean;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;
/** Archives and members of any kind. A real initramfs has some thousands; many empty ones would fill the memory. */
const MAX_MEMBERS = 500_000;
/** Compressed streams and frames. A real initramfs has two or three; many empty ones would take hours. */
const MAX_STREAMS = 5000;
/** Characters of all paths of a list. */
const MAX_NAMES = 16 * 1024 * 1024;
/** Bytes that are read at a time. */
const PIECE_SIZE = 256 * 1024;

const READABLE = 'an initramfs is made of whole newc cpio archives, plain or compressed by gzip, xz or zstd';

/**
 * The regular files in all archives, by path; a later file of the same path wins, as in the kernel. No bytes at all
 * are no archive, but zero bytes in front of the first one are not skipped.
 *
 * @throws FormatError with the offset, when an archive is damaged, cut off or too large.
 */
export async function readInitrd(
  bytes: Uint8Array,
  options: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  return collectFiles(inputOfBytes('initramfs', bytes), options);
}

/**
 * The same for an initramfs that need not fit into memory: what is kept does, and some megabytes more, or as much as the
 * dictionary that an archive was compressed with.
 *
 * @throws FormatError like `readInitrd`; what the source throws
 */
export async function readInitrdFrom(
  source: ByteSource,
  options: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  return collectFiles(inputOf('initramfs', source), options);
}

/**
 * The sizes of the regular files that are wanted, in bytes, by path; of files of one path that of the last.
 *
 * @throws FormatError like `readInitrd`; what the source throws
 */
export async function listInitrd(
  source: ByteSource,
  wants: (path: string) => boolean,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  let characters = 0;
  const visitor: Visitor = {
    wants: (path, size) => {
      if (!wants(path)) return false;
      if (!sizes.has(path)) characters += path.length;
      if (characters > MAX_NAMES) throw namesTooLong();
      sizes.set(path, size);
      return false;
    },
    take: () => undefined,
  };
  await walkArchives(inputOf('initramfs', source), visitor, DEFAULT_MAX_BYTES);
  return sizes;
}

/**
 * Hands the regular files that are wanted to `take`, in the order in which they come: only one is held at a time, until
 * what `take` promises is done.
 *
 * @throws FormatError like `readInitrd`; what the source and `take` throw
 */
export async function takeInitrdFiles(
  source: ByteSource,
  wants: (path: string) => boolean,
  take: (path: string, data: Uint8Array) => Promise<void>,
): Promise<void> {
  await walkArchives(inputOf('initramfs', source), { wants, take }, DEFAULT_MAX_BYTES);
}

/** All bytes of an image, in order, for `readInitrdFrom`. Those that nobody wants to see are not read. */
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

/** Files with their paths in the order in which archives list them: by the bytes of UTF-8. */
export function sortedByPath<T>(files: ReadonlyMap<string, T>): [path: string, file: T][] {
  return [...files].toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

/**
 * One compressed archive with these files, as coreos-installer writes it: an xz stream with CRC32, which the kernel
 * needs. Without files it holds only the trailer.
 */
export function writeInitrd(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return encodeXz(writeCpio(files), 'crc32');
}

/**
 * The archive with these files; without any it has no bytes, and the area is as the builder left it. It is compressed by
 * xz, or by gzip where that leaves more than `hopeless` bytes: xz would take minutes for a few percent.
 */
export function encodeEmbedFiles(files: ReadonlyMap<string, Uint8Array>, hopeless: number): Uint8Array {
  if (files.size === 0) return new Uint8Array();
  const blocks = writeCpio(files);
  const unpacked = blocks.reduce((sum, { length }) => sum + length, 0);
  const quick = unpacked > hopeless ? encodeGzip(Buffer.concat(blocks)) : undefined;
  return quick !== undefined && quick.length > hopeless ? quick : writeInitrd(files);
}

/** What is done with the regular files of all archives, in the order in which they come. */
interface Visitor {
  /** Whether the data of a file is to be read; `size` in bytes. */
  wants(path: string, size: number): boolean;
  /** The data of a file that is wanted, good until this is done. */
  take(path: string, data: Uint8Array): void | Promise<void>;
}

async function collectFiles(
  input: ByteInput,
  { maxBytes = DEFAULT_MAX_BYTES, maxKept = DEFAULT_MAX_BYTES, wants = () => true }: ReadInitrdOptions,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let kept = 0;
  const visitor: Visitor = {
    wants: (path, size) => {
      if (!wants(path)) return false;
      kept += size - (files.get(path)?.length ?? 0);
      if (kept > maxKept) throw filesTooLarge(path, maxKept);
      return true;
    },
    take: (path, data) => {
      files.set(path, Uint8Array.from(data));
    },
  };
  await walkArchives(input, visitor, maxBytes);
  return files;
}

/** What one initramfs may take, counted down. */
interface Budget {
  /** Unpacked bytes. */
  room: number;
  /** Archives and members. */
  members: number;
  readonly streams: { left: number };
}

async function walkArchives(input: ByteInput, visitor: Visitor, maxBytes: number): Promise<void> {
  const budget: Budget = { room: maxBytes, members: MAX_MEMBERS, streams: { left: MAX_STREAMS } };
  while (await hasMore(input)) {
    countMember(budget);
    await runAll(input.feed.has(MAX_MAGIC), input);
    const format = detectCompression(input.feed.bytes, input.feed.index);
    if (format === 'none') await readEntries({ input, where: '', visitor }, budget);
    else await readCompressed(format, { input, visitor }, budget);
    await skipZeros(input);
  }
}

interface Compressed {
  readonly input: ByteInput;
  readonly visitor: Visitor;
}

async function readCompressed(
  format: 'gzip' | 'xz' | 'zstd',
  { input, visitor }: Compressed,
  budget: Budget,
): Promise<void> {
  const { offset } = input.feed;
  const where = ` (in the ${format} data from byte ${offset} on)`;
  const pieces = counted(
    unpackMember(format, input, { maxBytes: budget.room, streams: budget.streams }),
    budget,
  );
  const unpacked = inputOf(format, sourceOf(pieces));
  try {
    await readEntries({ input: unpacked, where, visitor }, budget);
    await skipZeros(unpacked);
    if (await hasMore(unpacked)) throw trailingGarbage(offset);
  } catch (error) {
    // Where the compressed data is damaged, that is the cause of whatever was found in it.
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

interface Entries extends Compressed {
  /** Ends the sentence of an error, whose offset counts from the start of the input. */
  readonly where: string;
}

/** Reads one archive. */
async function readEntries({ input, where, visitor }: Entries, budget: Budget): Promise<void> {
  const wants = (header: CpioHeader): boolean =>
    isRegularFile(header) && visitor.wants(header.path, header.size);
  const walk = walkCpio(input.feed, wants);
  for (;;) {
    const step = nextEntry(walk, where);
    if (step.done === true) return;
    if (step.value === undefined) {
      await refill(input);
      continue;
    }
    countMember(budget);
    const { path, data } = step.value;
    if (data !== undefined) await visitor.take(path, data);
  }
}

function nextEntry(walk: ReturnType<typeof walkCpio>, where: string): ReturnType<typeof walk.next> {
  try {
    return walk.next();
  } catch (cause) {
    if (!(cause instanceof FormatError) || cause.offset === undefined) throw cause;
    const { offset } = cause;
    throw new FormatError(`Cannot read the initramfs: ${cause.message}${where}`, {
      cause,
      hint: READABLE,
      offset,
    });
  }
}

function countMember(budget: Budget): void {
  if (budget.members-- > 0) return;
  throw new FormatError(`Cannot read the initramfs: it has more than ${MAX_MEMBERS} members`, {
    hint: 'is this the right file? An initramfs has some thousands',
  });
}

function filesTooLarge(path: string, maxKept: number): FormatError {
  return new FormatError(
    `Cannot read the initramfs: with ${path}, the files to keep are larger than ${maxKept} bytes`,
    { hint: 'the file is damaged, or made to exhaust memory' },
  );
}

function namesTooLong(): FormatError {
  return new FormatError(
    `Cannot read the initramfs: the names of its files are longer than ${MAX_NAMES} characters`,
    { hint: 'is this the right file? An initramfs has some thousands of files' },
  );
}

function trailingGarbage(offset: number): FormatError {
  return new FormatError(
    `Cannot read the initramfs: found trailing garbage inside compressed archive at byte ${offset}`,
    {
      offset,
      hint: 'a compressed archive has to end with its trailer; put a further archive behind it, not into it',
    },
  );
}

/** Moves to the first byte that is not zero. */
async function skipZeros(input: ByteInput): Promise<void> {
  while ((await hasMore(input)) && passZeros(input.feed));
}

const ZEROS = Buffer.alloc(4096);

/** False where it found something else at hand. */
function passZeros(feed: ByteFeed): boolean {
  const { bytes } = feed;
  let { index } = feed;
  // Most of an area is free, and comparing takes a tenth of looking at every byte.
  while (Buffer.compare(ZEROS, bytes.subarray(index, index + ZEROS.length)) === 0) index += ZEROS.length;
  while (bytes[index] === 0) index++;
  feed.index = index;
  return feed.available === 0;
}
