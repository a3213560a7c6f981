/**
 * `coreos/miniso.dat` of a live ISO, version 1: describes how to create the minimal ISO from the full ISO. A table lists the
 * ranges of the minimal ISO that are files of the full ISO; all other data is in one xz stream.
 */

import { FormatError } from '../../core/errors.ts';
import { ByteFeed } from '../../formats/byteFeed.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';

/** A file that both images contain. */
export interface SharedFile {
  readonly minimalSector: number;
  readonly fullSector: number;
  /** Bytes. */
  readonly length: number;
}

export interface MinisoData {
  /** Program that created the data; for messages only. */
  readonly creator: string;
  /** At least one file, in the order of the minimal ISO, where they do not overlap. */
  readonly files: readonly SharedFile[];
  /** SHA-256 of the minimal ISO, 32 bytes. */
  readonly digest: Uint8Array;
  /** An xz stream of the data between the files, in the order of the minimal ISO. */
  readonly packed: Uint8Array;
}

export const MINISO_PATH = 'coreos/miniso.dat';
/** Limit in bytes; releases use less than 3 KiB. */
export const MAX_MINISO = 1024 * 1024;

const MAGIC = Buffer.from('MINISO\0\0', 'latin1');
const VERSION = 1;
const MAX_UINT32 = 0xffff_ffff;

/**
 * Ignores bytes after the data, usually zeros.
 * @throws FormatError if the format or the table is invalid
 */
export function decodeMinisoData(bytes: Uint8Array): MinisoData {
  const feed = ByteFeed.whole('miniso', bytes);
  const creator = readHeader(feed);
  // The count is untrusted, but cannot exhaust the memory: each entry requires at least three bytes of the file.
  const count = readBincodeNumber(feed, { max: MAX_MINISO });
  const next = (): number => readBincodeNumber(feed, { max: MAX_UINT32 });
  const files: SharedFile[] = [];
  while (files.length < count) files.push({ minimalSector: next(), fullSector: next(), length: next() });
  checkOrder(files);
  return { creator, files, digest: feed.take(32), packed: readBincodeBytes(feed) };
}

/** Returns the creator. */
function readHeader(feed: ByteFeed): string {
  if (Buffer.compare(feed.bytes.subarray(0, MAGIC.length), MAGIC) !== 0) {
    throw new FormatError('not a miniso file!', { offset: 0, hint: 'download the live ISO again' });
  }
  feed.take(MAGIC.length);
  const version = readBincodeNumber(feed, { max: MAX_UINT32 });
  const creator = Buffer.from(readBincodeBytes(feed)).toString('utf8');
  if (version !== VERSION) {
    throw new FormatError(
      `incompatible miniso file version: ${VERSION} vs ${version} (created by ${creator.slice(0, 100)})`,
      { hint: 'use the coreos-installer of the same release as the image' },
    );
  }
  return creator;
}

function checkOrder(files: readonly SharedFile[]): void {
  if (files.length === 0) throw new FormatError('table is empty; ISOs have no files in common?');
  let end = 0;
  for (const { minimalSector, length } of files) {
    const offset = minimalSector * SECTOR;
    if (offset < end) throw new FormatError(`files of the minimal ISO overlap at ${offset}`, { offset });
    end = offset + length;
  }
}

/** In bincode, the first byte of a number and its width in bytes; a smaller first byte is the number. */
const WIDTHS: ReadonlyMap<number, number> = new Map([
  [251, 2],
  [252, 4],
  [253, 8],
]);
const SMALL = 251;

/**
 * Reads a number of up to 64 bits in the variable-length encoding of bincode 1 (a Rust serialisation), little endian. Like
 * bincode, accepts a number in a longer form than necessary.
 * @throws FormatError if the number is larger than `max`, or the first byte is invalid
 */
export function readBincodeNumber(feed: ByteFeed, { max }: { readonly max: number }): number {
  const start = feed.offset;
  const first = feed.uint8();
  if (first < SMALL) return checked(first);
  const width = WIDTHS.get(first);
  if (width === undefined) throw feed.error('has a malformed number', start);
  return checked(feed.uint(width));

  function checked(value: number): number {
    if (value > max) throw feed.error('has a number that is too large', start);
    return value;
  }
}

/**
 * Reads a length and that many bytes, as a view: UTF-8 text or binary data.
 * @throws FormatError if the input is too short
 */
export function readBincodeBytes(feed: ByteFeed): Uint8Array {
  return feed.take(readBincodeNumber(feed, { max: Number.MAX_SAFE_INTEGER }));
}
