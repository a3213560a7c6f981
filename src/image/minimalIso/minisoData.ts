/**
 * `coreos/miniso.dat` of a live ISO, version 1: describes how to create the minimal ISO from the full ISO. A table lists the
 * ranges of the minimal ISO that are files of the full ISO; all other data is in one xz stream.
 */

import { FormatError } from '../../core/errors.ts';
import { ByteReader, sourceOfBytes } from '../../formats/byteReader.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';

/** A file that both images contain. */
export interface SharedFile {
  readonly minimalSector: number;
  readonly fullSector: number;
  /** Bytes. */
  readonly length: number;
}

export interface MinisoData {
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

export const MINISO_MAGIC = 'MINISO\0\0';
const VERSION = 1;
const MAX_UINT32 = 0xffff_ffff;

/**
 * Ignores bytes after the data, usually zeros.
 * @throws FormatError if the format or the table is invalid
 */
export async function decodeMinisoData(bytes: Uint8Array): Promise<MinisoData> {
  const reader = new ByteReader('miniso', sourceOfBytes(bytes));
  await readHeader(reader);
  // The count is untrusted, but cannot exhaust the memory: each entry requires at least three bytes of the file.
  const count = await readBincodeNumber(reader, { max: MAX_MINISO });
  const next = (): Promise<number> => readBincodeNumber(reader, { max: MAX_UINT32 });
  const files: SharedFile[] = [];
  while (files.length < count) {
    files.push({ minimalSector: await next(), fullSector: await next(), length: await next() });
  }
  checkOrder(files);
  return { files, digest: await reader.take(32), packed: await readBincodeBytes(reader) };
}

async function readHeader(reader: ByteReader): Promise<void> {
  await reader.has(MINISO_MAGIC.length);
  if (reader.pass(MINISO_MAGIC.length).toString('latin1') !== MINISO_MAGIC) {
    throw new FormatError('not a miniso file!', { offset: 0, hint: 'download the live ISO again' });
  }
  const version = await readBincodeNumber(reader, { max: MAX_UINT32 });
  const creator = (await readBincodeBytes(reader)).toString('utf8');
  if (version !== VERSION) {
    throw new FormatError(
      `incompatible miniso file version: ${VERSION} vs ${version} (created by ${creator.slice(0, 100)})`,
      { hint: 'use the coreos-installer of the same release as the image' },
    );
  }
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

/** In bincode, a first byte from this one on says how many bytes the number has; a smaller one is the number. */
const SMALL = 251;
const WIDTHS = [2, 4, 8];

/**
 * Reads a number of up to 64 bits in the variable-length encoding of bincode 1 (a Rust serialisation), little endian. Like
 * bincode, accepts a number in a longer form than necessary.
 * @throws FormatError if the number is larger than `max`, or the first byte is invalid
 */
export async function readBincodeNumber(
  reader: ByteReader,
  { max }: { readonly max: number },
): Promise<number> {
  const start = reader.offset;
  const first = (await reader.take(1)).readUInt8();
  const width = WIDTHS[first - SMALL];
  if (first >= SMALL && width === undefined) throw reader.error('has a malformed number', start);
  // Past 2^53 it is inexact, and too large for anything here.
  const value =
    width === undefined ? first : (await reader.take(width)).reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (value > max) throw reader.error('has a number that is too large', start);
  return value;
}

/**
 * Reads a length and that many bytes, as a view: UTF-8 text or binary data.
 * @throws FormatError if the input is too short
 */
export async function readBincodeBytes(reader: ByteReader): Promise<Buffer> {
  return reader.take(await readBincodeNumber(reader, { max: Number.MAX_SAFE_INTEGER }));
}
