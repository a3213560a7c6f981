/**
 * cpio archives in the "new" ASCII format, the kernel's format for an initramfs (Documentation/driver-api/early-userspace/
 * buffer-format.rst). Read: newc and its variant with checksums, which are not checked, as neither the kernel nor
 * coreos-installer does. Left out: the binary and the old ASCII format, hard links (later names come out empty).
 */

import { FormatError } from '../errors.ts';

export interface CpioMember {
  /** As it is stored; nothing is normalised. */
  readonly path: string;
  /** Type and permissions, as in `st_mode`. */
  readonly mode: number;
  /** A view of the archive. */
  readonly data: Uint8Array;
}

export interface CpioArchive {
  readonly members: readonly CpioMember[];
  /** Offset of the first byte after the trailer and its padding. */
  readonly end: number;
}

const MAGIC_NEWC = '070701';
const MAGIC_CRC = '070702';
const TRAILER = 'TRAILER!!!';
/** The magic number and thirteen fields of eight hexadecimal digits. */
const HEADER_SIZE = 110;
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads one archive, up to and including its trailer.
 *
 * @throws FormatError in the words of coreos-installer, with the offset of the member.
 */
export function readCpio(bytes: Uint8Array, offset = 0): CpioArchive {
  const members: CpioMember[] = [];
  const walk = walkCpio(bytes, offset);
  for (let step = walk.next(); ; step = walk.next()) {
    if (step.done === true) return { members, end: step.value };
    members.push(step.value);
  }
}

/**
 * The members one after the other, without a list of them all, which takes far more memory than small members do.
 * Returns the offset of the first byte after the trailer and its padding.
 *
 * @throws FormatError in the words of coreos-installer, with the offset of the member.
 */
export function* walkCpio(bytes: Uint8Array, offset = 0): Generator<CpioMember, number, undefined> {
  for (let position = offset; ;) {
    const { member, end } = readMember(bytes, position);
    if (member.path === TRAILER) return end;
    yield member;
    position = end;
  }
}

export function isRegularFile(member: CpioMember): boolean {
  return (member.mode & MODE_TYPE) === MODE_FILE;
}

/**
 * One archive with these files, readable by root only, and their parent directories; sorted by path, nothing in it
 * depends on time or machine. It comes in blocks, to be joined: coreos-installer flushes its compressor after a
 * member whose data needs padding, so this is where its xz blocks start.
 */
export function writeCpio(files: ReadonlyMap<string, Uint8Array>): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  let pieces: Uint8Array[] = [];
  for (const [index, entry] of withDirectories(files).entries()) {
    pieces.push(...memberBytes(entry, index));
    if (paddingOf(entry.data.length) > 0) {
      blocks.push(Buffer.concat(pieces));
      pieces = [];
    }
  }
  pieces.push(...memberBytes({ path: TRAILER, mode: 0, data: new Uint8Array(0) }, 0));
  return [...blocks, Buffer.concat(pieces)];
}

function readMember(bytes: Uint8Array, start: number): { member: CpioMember; end: number } {
  const header = Buffer.from(slice(bytes, start, start, HEADER_SIZE)).toString('latin1');
  const magic = header.slice(0, MAGIC_NEWC.length);
  if (magic !== MAGIC_NEWC && magic !== MAGIC_CRC) throw entryError('Invalid magic number', start);

  const nameStart = start + HEADER_SIZE;
  const nameSize = readField(header, NAME_SIZE_FIELD, start);
  const dataStart = nameStart + nameSize + paddingOf(HEADER_SIZE + nameSize);
  const dataSize = readField(header, FILE_SIZE_FIELD, start);
  const data = slice(bytes, start, dataStart, dataSize);
  const end = dataStart + dataSize + paddingOf(dataSize);
  slice(bytes, start, dataStart + dataSize, paddingOf(dataSize));

  if (nameSize > MAX_NAME_SIZE) throw entryError('the name is too long', start);
  const path = readName(bytes.subarray(nameStart, nameStart + nameSize), start);
  return { member: { path, mode: readField(header, MODE_FIELD, start), data }, end };
}

/** `length` bytes from `from` on; `start` is the member they belong to. */
function slice(bytes: Uint8Array, start: number, from: number, length: number): Uint8Array {
  if (from + length > bytes.length) throw entryError('the archive is cut off', start);
  return bytes.subarray(from, from + length);
}

function readField(header: string, index: number, start: number): number {
  const from = MAGIC_NEWC.length + index * FIELD_SIZE;
  const digits = header.slice(from, from + FIELD_SIZE);
  if (!/^[0-9a-f]{8}$/i.test(digits)) throw entryError('a header field is not a number', start);
  return Number.parseInt(digits, 16);
}

/** dracut-cpio pads names with further NULs, to align the data. */
function readName(bytes: Uint8Array, start: number): string {
  if (bytes.at(-1) !== 0) throw entryError('the name does not end with NUL', start);
  let length = bytes.length - 1;
  while (length > 0 && bytes[length - 1] === 0) length--;
  try {
    return utf8.decode(bytes.subarray(0, length));
  } catch (cause) {
    throw entryError('the name is not UTF-8', start, cause);
  }
}

function entryError(problem: string, offset: number, cause?: unknown): FormatError {
  return new FormatError(`reading CPIO entry at byte ${offset}: ${problem}`, { offset, cause });
}

/** The files sorted bytewise, each after those of its parent directories that did not come yet. */
function withDirectories(files: ReadonlyMap<string, Uint8Array>): CpioMember[] {
  const sorted = [...files].toSorted(([left], [right]) =>
    Buffer.compare(Buffer.from(left), Buffer.from(right)),
  );
  const seen = new Set<string>();
  const members: CpioMember[] = [];
  for (const [path, data] of sorted) {
    for (const parent of parentsOf(path)) {
      if (!seen.has(parent)) members.push({ path: parent, mode: NEW_DIRECTORY, data: new Uint8Array(0) });
      seen.add(parent);
    }
    members.push({ path, mode: NEW_FILE, data });
  }
  return members;
}

/** `a` and `a/b` for `a/b/c`. */
function parentsOf(path: string): string[] {
  const steps = path.split('/').slice(0, -1);
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

function memberBytes({ path, mode, data }: CpioMember, index: number): Uint8Array[] {
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
