/**
 * The rollback journal of an in-place edit. It is appended to the image file, and contains the original size of the image and
 * the bytes that the edit replaces. It is on the disk before the first byte is replaced, and truncating the file completes
 * the edit. So an interrupted edit is detected and can be undone, also in a copy of the image. Other programs ignore the
 * journal, because it is after the end of the volume.
 *
 * Entries: offset and length (64 bits each, little endian), then the bytes. Trailer, the last 64 bytes: magic, size of the
 * image, start of the entries, CRC-32 of the entries, and at its end the CRC-32 of the trailer. Before the first byte is
 * replaced, the trailer has no entries.
 */

import { crc32 } from 'node:zlib';
import { FormatError } from '../core/errors.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import { SECTOR } from '../formats/iso9660/fields.ts';
import { type ImageChange, sizeAfter } from './imageChange.ts';
import {
  type ByteRange,
  chunksOf,
  type ImageAccess,
  patchRange,
  patchSource,
  type RandomAccess,
} from './overlay.ts';

/** An image that can be edited in place. */
export interface WritableImage extends ImageAccess {
  /** Writes all of `bytes`; if necessary, the image is enlarged, with zeros in between. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Resolves when all written data is on the disk. */
  sync(): Promise<void>;
}

/** The journal of an unfinished edit. */
export interface RollbackJournal {
  /** Size of the image before the edit in bytes. */
  readonly originalSize: number;
  /** Offset of the entries in bytes; `end` is the offset of the trailer. */
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

const MAGIC = 'coreos-rollback\0';
const TRAILER = { size: 64, originalSize: 16, start: 24, checksum: 32, ownChecksum: 60 } as const;
const ENTRY_HEADER = 16;

export const UNFINISHED_EDIT = 'an edit of the image is in progress, or was interrupted';
export const UNFINISHED_HINT =
  'repeat the edit; every command that edits an image in place first undoes an interrupted edit';

/** Undefined if no edit of the image is unfinished. */
export async function readRollback(image: RandomAccess): Promise<RollbackJournal | undefined> {
  const end = image.size - TRAILER.size;
  if (end < 0) return undefined;
  const trailer = Buffer.from(await image.read(end, TRAILER.size));
  if (trailer.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  if (crc32(trailer.subarray(0, TRAILER.ownChecksum)) !== trailer.readUInt32LE(TRAILER.ownChecksum))
    return undefined;
  const originalSize = Number(trailer.readBigUInt64LE(TRAILER.originalSize));
  const start = Number(trailer.readBigUInt64LE(TRAILER.start));
  if (originalSize > start || start > end) return undefined;
  return { originalSize, start, end, checksum: trailer.readUInt32LE(TRAILER.checksum) };
}

/**
 * Writes the journal of an edit, and waits until it is on the disk.
 * @param replaced ranges of the image that the edit replaces
 * @param end largest size of the image during the edit; the journal is written after it
 */
export async function writeRollback(
  image: WritableImage,
  replaced: readonly ByteRange[],
  end: number,
): Promise<void> {
  const originalSize = image.size;
  const length = replaced.reduce((sum, range) => sum + ENTRY_HEADER + range.length, 0);
  const trailerAt = Math.ceil((end + length + TRAILER.size) / SECTOR) * SECTOR - TRAILER.size;
  const start = trailerAt - length;
  const empty = { originalSize, start: trailerAt, end: trailerAt, checksum: 0 };
  await image.write(encodeTrailer(empty), trailerAt); // marks the data after the image as a journal
  let checksum = 0;
  let at = start;
  for (const range of replaced) {
    for await (const bytes of entryOf(image, range)) {
      checksum = crc32(bytes, checksum);
      await image.write(bytes, at);
      at += bytes.length;
    }
  }
  await image.write(encodeTrailer({ ...empty, start, checksum }), trailerAt);
  await image.sync();
}

/**
 * Undoes an unfinished edit, and returns whether there was one.
 * @throws FormatError if the journal is damaged
 */
export async function rollBack(image: WritableImage): Promise<boolean> {
  const journal = await readRollback(image);
  if (journal === undefined) return false;
  const entries = await readEntries(image, journal);
  // Pointers were replaced after the data, so they are restored first.
  for (const { offset, data } of entries.toReversed()) await copyTo(image, offset, image, data);
  await image.sync();
  await image.truncate(journal.originalSize);
  await image.sync();
  return true;
}

function encodeTrailer({ originalSize, start, checksum }: RollbackJournal): Uint8Array {
  const trailer = Buffer.alloc(TRAILER.size);
  trailer.write(MAGIC, 'latin1');
  trailer.writeBigUInt64LE(BigInt(originalSize), TRAILER.originalSize);
  trailer.writeBigUInt64LE(BigInt(start), TRAILER.start);
  trailer.writeUInt32LE(checksum, TRAILER.checksum);
  trailer.writeUInt32LE(crc32(trailer.subarray(0, TRAILER.ownChecksum)), TRAILER.ownChecksum);
  return trailer;
}

async function* entryOf(image: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const header = Buffer.alloc(ENTRY_HEADER);
  header.writeBigUInt64LE(BigInt(range.offset));
  header.writeBigUInt64LE(BigInt(range.length), 8);
  yield header;
  yield* chunksOf(image, range);
}

interface Entry {
  readonly offset: number;
  /** Range of the bytes in the journal. */
  readonly data: ByteRange;
}

/** Returns no entries if the journal is incomplete, because nothing is replaced before it is complete. */
async function readEntries(image: RandomAccess, journal: RollbackJournal): Promise<Entry[]> {
  const { start, end, originalSize } = journal;
  let checksum = 0;
  for await (const chunk of chunksOf(image, { offset: start, length: end - start })) {
    checksum = crc32(chunk, checksum);
  }
  if (checksum !== journal.checksum) return [];
  const entries: Entry[] = [];
  for (let at = start; at < end;) {
    if (at + ENTRY_HEADER > end) throw damaged();
    const header = Buffer.from(await image.read(at, ENTRY_HEADER));
    const offset = Number(header.readBigUInt64LE());
    const length = Number(header.readBigUInt64LE(8));
    at += ENTRY_HEADER;
    if (offset + length > originalSize || at + length > end) throw damaged();
    entries.push({ offset, data: { offset: at, length } });
    at += length;
  }
  return entries;
}

function damaged(): FormatError {
  return new FormatError('the rollback journal of the image is damaged', { hint: DOWNLOAD_AGAIN });
}

/**
 * Edits an image in place. Whenever the process ends, the image is the old one, the new one, or a
 * detectable unfinished edit. If a step fails, the edit is undone.
 * @throws errors of the image and of the sources of patches
 */
export async function editInPlace(image: WritableImage, change: ImageChange): Promise<void> {
  const { size } = image;
  const after = sizeAfter(change, size);
  const replaced = change.patches.flatMap((patch) => {
    const { offset, length } = patchRange(patch);
    // Appended data replaces nothing.
    return offset < size && length > 0 ? [{ offset, length: Math.min(length, size - offset) }] : [];
  });
  const furthest = Math.max(after, sizeAfter({ patches: change.patches }, size));
  try {
    await writeRollback(image, replaced, furthest);
    for (const patch of change.patches) {
      const source = patchSource(patch);
      await copyTo(image, patch.offset, source, { offset: 0, length: source.size });
    }
    await image.sync();
    await image.truncate(after);
  } catch (error) {
    await undo(image, size, error);
    throw error;
  }
  await image.sync().catch((cause: unknown) => {
    throw new FormatError('the edit is complete, but the system did not write all of it to the disk', {
      code: 'ERR_FILE_WRITE',
      hint: 'check the disk, then repeat the edit',
      cause,
    });
  });
}

/** @throws FormatError if the edit cannot be undone, either: the image remains unfinished */
async function undo(image: WritableImage, size: number, failure: unknown): Promise<void> {
  try {
    if (!(await rollBack(image))) await image.truncate(size); // the journal could not be written
  } catch {
    if ((await readRollback(image)) === undefined) return; // it is undone, but not all of it may be on the disk
    throw new FormatError('the edit failed and cannot be undone now, so the image is unfinished', {
      code: 'ERR_FILE_WRITE',
      hint: `check the disk, then ${UNFINISHED_HINT}`,
      cause: failure,
    });
  }
}

async function copyTo(
  image: WritableImage,
  offset: number,
  source: RandomAccess,
  range: ByteRange,
): Promise<void> {
  let at = offset;
  for await (const chunk of chunksOf(source, range)) {
    await image.write(chunk, at);
    at += chunk.length;
  }
}
