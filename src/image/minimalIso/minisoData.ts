/**
 * `coreos/miniso.dat` of a live ISO, version 1: how to make the minimal ISO, which has no root filesystem, out of the full
 * one. A table says which stretches of the minimal ISO are files of the full one; all else is packed in one xz stream.
 */

import { FormatError } from '../../core/errors.ts';
import { bincodeBytes, bincodeNumber, readBincodeBytes, readBincodeNumber } from '../../formats/bincode.ts';
import { ByteCursor } from '../../formats/byteCursor.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';

/** A file that both images have. */
export interface SharedFile {
  readonly minimalSector: number;
  readonly fullSector: number;
  /** Bytes. */
  readonly length: number;
}

export interface MinisoData {
  /** Program that made the data; nothing depends on it. */
  readonly creator: string;
  /** At least one, in the order of the minimal ISO, without overlap there. */
  readonly files: readonly SharedFile[];
  /** SHA-256 of the minimal ISO, 32 bytes. */
  readonly digest: Uint8Array;
  /** An xz stream of what the files do not cover, in the order of the minimal ISO. */
  readonly packed: Uint8Array;
}

export const MINISO_PATH = 'coreos/miniso.dat';
/** Bytes that are looked at; releases use less than 3 KiB. */
export const MAX_MINISO = 1024 * 1024;

const MAGIC = Buffer.from('MINISO\0\0', 'latin1');
const VERSION = 1;
const MAX_UINT32 = 0xffff_ffff;

/**
 * What follows the data, usually zeros, is not looked at.
 * @throws FormatError for anything else, and for a table that cannot be followed
 */
export function decodeMinisoData(bytes: Uint8Array): MinisoData {
  const cursor = new ByteCursor(bytes, 0, 'miniso');
  const creator = readHeader(cursor);
  const files = readTable(cursor);
  checkOrder(files);
  return { creator, files, digest: cursor.take(32), packed: readBincodeBytes(cursor) };
}

/** @throws FormatError for files that overlap in the minimal ISO, and where there are none */
export function encodeMinisoData({ creator, files, digest, packed }: MinisoData): Uint8Array {
  checkOrder(files);
  const numbers = files.flatMap((file) => [file.minimalSector, file.fullSector, file.length]);
  return Buffer.concat([
    MAGIC,
    bincodeNumber(VERSION),
    bincodeBytes(Buffer.from(creator)),
    bincodeNumber(files.length),
    ...numbers.map(bincodeNumber),
    digest,
    bincodeBytes(packed),
  ]);
}

/** Returns the creator. */
function readHeader(cursor: ByteCursor): string {
  if (Buffer.compare(cursor.bytes.subarray(0, MAGIC.length), MAGIC) !== 0) {
    throw new FormatError('not a miniso file!', { offset: 0, hint: 'download the live ISO again' });
  }
  cursor.take(MAGIC.length);
  const version = readBincodeNumber(cursor, { max: MAX_UINT32 });
  const creator = Buffer.from(readBincodeBytes(cursor)).toString('utf8');
  if (version !== VERSION) {
    throw new FormatError(
      `incompatible miniso file version: ${VERSION} vs ${version} (created by ${creator.slice(0, 100)})`,
      { hint: 'use the coreos-installer of the same release as the image' },
    );
  }
  return creator;
}

/** The count is not trusted with memory: each entry takes at least three bytes that have to be there. */
function readTable(cursor: ByteCursor): SharedFile[] {
  const count = readBincodeNumber(cursor, { max: MAX_MINISO });
  const next = (): number => readBincodeNumber(cursor, { max: MAX_UINT32 });
  const files: SharedFile[] = [];
  while (files.length < count) files.push({ minimalSector: next(), fullSector: next(), length: next() });
  return files;
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
