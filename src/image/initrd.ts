/**
 * Initramfs archives as CoreOS images hold them: cpio archives one after the other, each compressed or not. What is
 * read and what is refused, and where the writer starts an xz block, follows coreos-installer; its bytes differ, as
 * they come from another encoder. Left out: lz4, lzo, bzip2 and lzma, which coreos-installer does not read either.
 */

import { FormatError } from '../errors.ts';
import { decompressMember } from '../formats/compression.ts';
import { isRegularFile, readCpio, writeCpio, type CpioArchive } from '../formats/cpio.ts';
import { encodeXz } from '../formats/xz/encode.ts';

export interface ReadInitrdOptions {
  /** Unpacked bytes of all archives together, at most; 1 GiB unless given. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 1024 ** 3;

const READABLE = 'an initramfs is made of whole newc cpio archives, plain or compressed by gzip, xz or zstd';

/**
 * The regular files in all archives, by path; a later file of the same path wins, as in the kernel. No bytes at all
 * are no archive, but zero bytes in front of the first one are not skipped.
 *
 * @throws FormatError with the offset, when an archive is damaged, cut off or too large.
 */
export async function readInitrd(
  bytes: Uint8Array,
  { maxBytes = DEFAULT_MAX_BYTES }: ReadInitrdOptions = {},
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  let room = maxBytes;
  for (let offset = 0; offset < bytes.length;) {
    const { archive, end, unpacked } = await readArchive(bytes, offset, room);
    for (const member of archive.members) {
      if (isRegularFile(member)) files.set(member.path, member.data);
    }
    room -= unpacked;
    offset = skipZeros(bytes, end);
  }
  return files;
}

/**
 * One compressed archive with these files, as coreos-installer writes it: an xz stream with CRC32, which the kernel
 * needs. Without files it holds only the trailer.
 */
export function writeInitrd(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return encodeXz(writeCpio(files), 'crc32');
}

interface Archive {
  readonly archive: CpioArchive;
  /** Offset of the first byte after it, compression included. */
  readonly end: number;
  /** Bytes that were made by unpacking. */
  readonly unpacked: number;
}

async function readArchive(bytes: Uint8Array, offset: number, maxBytes: number): Promise<Archive> {
  const { format, data, end } = await decompressMember(bytes, { offset, maxBytes });
  if (format === 'none') {
    const archive = readEntries(bytes, offset, '');
    return { archive, end: archive.end, unpacked: 0 };
  }
  const archive = readEntries(data, 0, ` (in the ${format} data from byte ${offset} on)`);
  if (skipZeros(data, archive.end) < data.length) {
    throw new FormatError(
      `Cannot read the initramfs: found trailing garbage inside compressed archive at byte ${offset}`,
      {
        offset,
        hint: 'a compressed archive has to end with its trailer; put a further archive behind it, not into it',
      },
    );
  }
  return { archive, end, unpacked: data.length };
}

/** `where` ends the sentence of an error; offsets count from the start of `bytes`. */
function readEntries(bytes: Uint8Array, offset: number, where: string): CpioArchive {
  try {
    return readCpio(bytes, offset);
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

/** The offset of the first byte from `start` on that is not zero. */
function skipZeros(bytes: Uint8Array, start: number): number {
  let offset = start;
  while (bytes[offset] === 0) offset++;
  return offset;
}
