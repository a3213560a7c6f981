/**
 * cpio archives in the "new" ASCII format, the kernel's format for an initramfs (Documentation/driver-api/early-userspace/
 * buffer-format.rst). Read: newc and its variant with checksums, which are not checked, as neither the kernel nor
 * coreos-installer does. Left out: the binary and the old ASCII format, hard links (later names come out empty).
 */

import { isUtf8 } from 'node:buffer';
import { FormatError } from '../core/errors.ts';
import { trimEndOf } from '../core/trimming.ts';
import type { ByteReader } from './byteReader.ts';

/** The archive is invalid; other errors are those of the input. */
export class CpioError extends FormatError {}

/** What is known of a member before its data is read. */
export interface CpioHeader {
  /** As it is stored; nothing is normalised. */
  readonly path: string;
  /** Type and permissions, as in `st_mode`. */
  readonly mode: number;
  /** Bytes of its data. */
  readonly size: number;
}

/** A member whose data was read, or passed over. */
export interface CpioEntry extends CpioHeader {
  /** Undefined for unwanted members. */
  readonly data: Uint8Array | undefined;
}

/** Of the format without checksums. */
export const MAGIC_NEWC = '070701';
const MAGIC_CRC = '070702';
const TRAILER = 'TRAILER!!!';
/** The magic number and thirteen fields of eight hexadecimal digits. */
export const HEADER_SIZE = 110;
const FIELD_SIZE = 8;
const MODE_FIELD = 1;
const FILE_SIZE_FIELD = 6;
const NAME_SIZE_FIELD = 11;
const ALIGNMENT = 4;
/** The kernel takes 4096 bytes; dracut-cpio pads names far enough to align what follows. */
const MAX_NAME_SIZE = 0x1_0000;

const MODE_TYPE = 0o170000;
const MODE_FILE = 0o100000;
const NEW_FILE = 0o100600;
const NEW_DIRECTORY = 0o040755;

/**
 * Reads one archive, up to and including its trailer: yields the members one after the other, with the data of those that are
 * wanted.
 *
 * @throws CpioError in the words of coreos-installer, with the offset of the member; errors of the input
 */
export async function* walkCpio(
  reader: ByteReader,
  wants: (header: CpioHeader) => boolean,
): AsyncGenerator<CpioEntry, void> {
  for (;;) {
    const entry = await readMember(reader, wants);
    if (entry === undefined) return;
    yield entry;
  }
}

export function isRegularFile(member: { readonly mode: number }): boolean {
  return (member.mode & MODE_TYPE) === MODE_FILE;
}

/**
 * One archive with these files, readable by root only, and their parent directories; sorted by path, nothing in it
 * depends on time or machine.
 */
export function writeCpio(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return Buffer.concat([
    ...withDirectories(files).flatMap(memberBytes),
    ...memberBytes({ path: TRAILER, mode: 0, data: new Uint8Array(0) }, 0),
  ]);
}

/** Undefined for the trailer. */
async function readMember(
  reader: ByteReader,
  wants: (header: CpioHeader) => boolean,
): Promise<CpioEntry | undefined> {
  const start = reader.offset;
  const skip = async (length: number): Promise<void> => {
    if (!(await reader.skip(length))) throw truncated(start);
  };
  if (!(await reader.has(HEADER_SIZE))) throw truncated(start);
  const header = reader.pass(HEADER_SIZE).toString('latin1');
  const magic = header.slice(0, MAGIC_NEWC.length);
  if (magic !== MAGIC_NEWC && magic !== MAGIC_CRC) throw entryError('Invalid magic number', start);
  const nameSize = readField(header, NAME_SIZE_FIELD, start);
  const size = readField(header, FILE_SIZE_FIELD, start);
  const mode = readField(header, MODE_FIELD, start);
  const path = await readName(reader, nameSize, start);
  await skip(paddingOf(HEADER_SIZE + nameSize));
  const isWanted = path !== TRAILER && wants({ path, mode, size });
  const data = isWanted ? await readData(reader, size, start) : undefined;
  if (!isWanted) await skip(size);
  await skip(paddingOf(size));
  return path === TRAILER ? undefined : { path, mode, size, data };
}

/** In memory of its own, which is taken only as the data comes: the size may be made up. */
async function readData(reader: ByteReader, size: number, start: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let left = size; left > 0; left -= pieces.at(-1)!.length) {
    const piece = await reader.takeAtMost(left);
    if (piece.length === 0) throw truncated(start);
    pieces.push(new Uint8Array(piece));
  }
  return pieces.length === 1 ? pieces[0]! : new Uint8Array(Buffer.concat(pieces));
}

function readField(header: string, index: number, start: number): number {
  const from = MAGIC_NEWC.length + index * FIELD_SIZE;
  const digits = header.slice(from, from + FIELD_SIZE);
  if (!/^[0-9a-f]{8}$/i.test(digits)) throw entryError('a header field is not a number', start);
  return Number.parseInt(digits, 16);
}

/** dracut-cpio pads names with further NULs, to align the data. */
async function readName(reader: ByteReader, size: number, start: number): Promise<string> {
  if (size > MAX_NAME_SIZE) throw entryError('the name is too long', start);
  if (!(await reader.has(size))) throw truncated(start);
  const bytes = reader.pass(size);
  if (bytes.at(-1) !== 0) throw entryError('the name does not end with NUL', start);
  if (!isUtf8(bytes)) throw entryError('the name is not UTF-8', start);
  return trimEndOf(bytes.toString(), '\0');
}

function truncated(start: number): CpioError {
  return entryError('the archive is truncated', start);
}

function entryError(problem: string, offset: number): CpioError {
  return new CpioError(`reading CPIO entry at byte ${offset}: ${problem}`, { offset });
}

interface NewMember {
  readonly path: string;
  readonly mode: number;
  readonly data: Uint8Array;
}

/** Sorts files by the UTF-8 bytes of their paths, the order in archives. */
export function sortedByPath<T>(files: ReadonlyMap<string, T>): [path: string, file: T][] {
  return [...files].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** The files in their order, each after those of its parent directories that did not come yet. */
function withDirectories(files: ReadonlyMap<string, Uint8Array>): NewMember[] {
  const seen = new Set<string>();
  const members: NewMember[] = [];
  for (const [path, data] of sortedByPath(files)) {
    // The folders above the file: `a` and `a/b` for `a/b/c`.
    const steps = path.split('/').slice(0, -1);
    for (const parent of steps.map((_, index) => steps.slice(0, index + 1).join('/'))) {
      if (!seen.has(parent)) members.push({ path: parent, mode: NEW_DIRECTORY, data: new Uint8Array(0) });
      seen.add(parent);
    }
    members.push({ path, mode: NEW_FILE, data });
  }
  return members;
}

function memberBytes({ path, mode, data }: NewMember, index: number): Uint8Array[] {
  const name = Buffer.from(`${path}\0`);
  const links = 1;
  const fields = [index, mode, 0, 0, links, 0, data.length, 0, 0, 0, 0, name.length, 0];
  const header = MAGIC_NEWC + fields.map((field) => field.toString(16).padStart(FIELD_SIZE, '0')).join('');
  return [
    Buffer.from(header),
    name,
    new Uint8Array(paddingOf(HEADER_SIZE + name.length)),
    data,
    new Uint8Array(paddingOf(data.length)),
  ];
}

/** NULs that fill up to the alignment. */
function paddingOf(length: number): number {
  return -length & (ALIGNMENT - 1);
}
