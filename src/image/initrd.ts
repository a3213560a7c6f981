/**
 * Initramfs archives as CoreOS images hold them: cpio archives one after the other, each compressed or not. What is
 * read and what is refused, and where the writer starts an xz block, follows coreos-installer; its bytes differ, as
 * they come from another encoder. Left out: lz4, lzo, bzip2 and lzma, which coreos-installer does not read either.
 */

import { FormatError } from '../errors.ts';
import { decompressMember } from '../formats/compression.ts';
import { isRegularFile, walkCpio, writeCpio, type CpioMember } from '../formats/cpio.ts';
import { encodeXz } from '../formats/xz/encode.ts';

export interface ReadInitrdOptions {
  /** Unpacked bytes of all archives together, at most; 1 GiB unless given. */
  readonly maxBytes?: number;
  /**
   * Whether a file of that path is kept; without, all are. The memory of each compressed archive is given back once
   * it has been read, so that a few files of a large initramfs take little.
   */
  readonly wants?: (path: string) => boolean;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;
/** Archives and members of any kind. A real initramfs has some thousands; many empty ones would fill the memory. */
const MAX_MEMBERS = 500_000;

const READABLE = 'an initramfs is made of whole newc cpio archives, plain or compressed by gzip, xz or zstd';

/**
 * The regular files in all archives, by path; a later file of the same path wins, as in the kernel. No bytes at all
 * are no archive, but zero bytes in front of the first one are not skipped.
 *
 * @throws FormatError with the offset, when an archive is damaged, cut off or too large.
 */
export async function readInitrd(
  bytes: Uint8Array,
  { maxBytes = DEFAULT_MAX_BYTES, wants }: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let members = 0;
  const collect = (member: CpioMember): void => {
    if (++members > MAX_MEMBERS) throw tooManyMembers();
    if (!isRegularFile(member) || wants?.(member.path) === false) return;
    files.set(member.path, wants === undefined ? member.data : new Uint8Array(member.data));
  };
  let room = maxBytes;
  for (let offset = 0; offset < bytes.length;) {
    if (++members > MAX_MEMBERS) throw tooManyMembers();
    const { end, unpacked } = await readArchive(bytes, { offset, maxBytes: room }, collect);
    room -= unpacked;
    offset = skipZeros(bytes, end);
  }
  return files;
}

/** Files with their paths in the order in which archives list them: by the bytes of UTF-8. */
export function sortedByPath(files: ReadonlyMap<string, Uint8Array>): [path: string, data: Uint8Array][] {
  return [...files].toSorted(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

/**
 * One compressed archive with these files, as coreos-installer writes it: an xz stream with CRC32, which the kernel
 * needs. Without files it holds only the trailer.
 */
export function writeInitrd(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return encodeXz(writeCpio(files), 'crc32');
}

interface Archive {
  /** Offset of the first byte after it, compression included. */
  readonly end: number;
  /** Bytes that were made by unpacking. */
  readonly unpacked: number;
}

type Collect = (member: CpioMember) => void;

async function readArchive(
  bytes: Uint8Array,
  place: { readonly offset: number; readonly maxBytes: number },
  collect: Collect,
): Promise<Archive> {
  const { offset } = place;
  const { format, data, end } = await decompressMember(bytes, place);
  if (format === 'none') return { end: readEntries({ bytes, offset, where: '' }, collect), unpacked: 0 };
  const where = ` (in the ${format} data from byte ${offset} on)`;
  if (skipZeros(data, readEntries({ bytes: data, offset: 0, where }, collect)) < data.length) {
    throw new FormatError(
      `Cannot read the initramfs: found trailing garbage inside compressed archive at byte ${offset}`,
      {
        offset,
        hint: 'a compressed archive has to end with its trailer; put a further archive behind it, not into it',
      },
    );
  }
  return { end, unpacked: data.length };
}

interface Entries {
  readonly bytes: Uint8Array;
  /** Counts from the start of `bytes`, as the offset of an error does. */
  readonly offset: number;
  /** Ends the sentence of an error. */
  readonly where: string;
}

/** Returns the offset of the first byte after the trailer. */
function readEntries({ bytes, offset, where }: Entries, collect: Collect): number {
  const walk = walkCpio(bytes, offset);
  for (;;) {
    const step = nextEntry(walk, where);
    if (step.done === true) return step.value;
    collect(step.value);
  }
}

function nextEntry(walk: ReturnType<typeof walkCpio>, where: string): IteratorResult<CpioMember, number> {
  try {
    return walk.next();
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    const details = {
      cause,
      hint: READABLE,
      ...(cause.offset === undefined ? {} : { offset: cause.offset }),
    };
    throw new FormatError(`Cannot read the initramfs: ${cause.message}${where}`, details);
  }
}

function tooManyMembers(): FormatError {
  return new FormatError(`Cannot read the initramfs: it has more than ${MAX_MEMBERS} members`, {
    hint: 'is this the right file? An initramfs has some thousands',
  });
}

/** The offset of the first byte from `start` on that is not zero. */
function skipZeros(bytes: Uint8Array, start: number): number {
  let offset = start;
  while (bytes[offset] === 0) offset++;
  return offset;
}
