/**
 * The files of a tar archive: ustar and pax (POSIX.1-2008, pax, "ustar Interchange Format"), the older form without a
 * prefix, and the long names and large sizes of GNU. Refused are links, devices, pipes and sparse files: what they stand
 * for cannot be carried to where the files go. Directories are made by need; modes, owners and times are not kept.
 *
 * Not read by tar-stream (3.2): it never comes to an end on a directory that announces data and on some pax headers, and
 * a program that waits for it ends without a word.
 */

import { FormatError } from '../errors.ts';

/** Where the fields of a header are. */
const BLOCK = 512;
const NAME = { offset: 0, length: 100 } as const;
const SIZE = { offset: 124, length: 12 } as const;
const CHECKSUM = { offset: 148, length: 8 } as const;
const TYPE = 156;
const MAGIC = { offset: 257, ustar: 'ustar\0' } as const;
const PREFIX = { offset: 345, length: 155 } as const;

/** Bytes of a long name or of pax records. */
const MAX_EXTENSION = 1024 * 1024;
/** Of any kind; an archive of nothing but headers would fill the memory. */
const MAX_MEMBERS = 500_000;

const REFUSED: ReadonlyMap<string, string> = new Map([
  ['1', 'link'],
  ['2', 'symlink'],
  ['3', 'character-device'],
  ['4', 'block-device'],
  ['6', 'fifo'],
  ['S', 'sparse file'],
]);

/**
 * By path, as it is in the archive; a later file of the same path wins.
 * @param bytes the whole archive, not compressed
 * @throws FormatError where it is damaged, or has members that are no files
 */
export async function readArchiveFiles(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const files = new Map<string, Uint8Array>();
  let count = 0;
  for (const { name, type, data } of membersOf(archive)) {
    if (++count > MAX_MEMBERS) throw new FormatError(`it has more than ${MAX_MEMBERS} members`);
    if (type === 'file') files.set(name, data);
  }
  if (files.size === 0) throw new FormatError('it has no files');
  return files;
}

interface Member {
  readonly name: string;
  readonly type: 'file' | 'directory';
  /** A view of the archive. */
  readonly data: Uint8Array;
}

/** What a member says of those that follow: of the next one (pax `x`, GNU `L`), or of all (pax `g`). */
interface Extensions {
  readonly path?: string | undefined;
  readonly size?: number | undefined;
}

function* membersOf(archive: Buffer): Generator<Member, void> {
  let global: Extensions = {};
  let next: Extensions = {};
  for (let offset = 0; offset < archive.length;) {
    const header = archive.subarray(offset, offset + BLOCK);
    if (header.length < BLOCK) throw damaged('it is cut off', offset);
    if (header.every((byte) => byte === 0)) {
      offset += BLOCK; // the end, or the end of an archive to which another one was appended
      continue;
    }
    checkChecksum(header, offset);
    const kind = String.fromCharCode(header[TYPE] ?? 0);
    const start = offset + BLOCK;
    if (kind === 'x' || kind === 'g' || kind === 'L' || kind === 'K') {
      const data = dataOf(archive, start, readSize(header, offset));
      if (data.length > MAX_EXTENSION) throw damaged('a member says too much of the next one', offset);
      if (kind === 'g') global = { ...global, ...readRecords(data, start) };
      if (kind === 'x') next = { ...next, ...readRecords(data, start) };
      if (kind === 'L') next = { ...next, path: textOf(data) };
      offset = start + blocks(data.length);
      continue;
    }
    const { path = readName(header), size = readSize(header, offset) } = { ...global, ...next };
    const type = typeOf(kind, path, offset);
    next = {};
    // The size of a folder is no more than a hint how large it may become.
    const data = dataOf(archive, start, type === 'directory' ? 0 : size);
    if (type !== 'label') yield { name: path, type, data };
    offset = start + blocks(data.length);
  }
}

function typeOf(kind: string, path: string, offset: number): Member['type'] | 'label' {
  const refused = REFUSED.get(kind);
  if (refused !== undefined) {
    throw new FormatError(`${path} is a ${refused}`, { offset, hint: 'only files can be taken over' });
  }
  if (kind === '5') return 'directory';
  if (kind === '0' || kind === '\0') return path.endsWith('/') ? 'directory' : 'file';
  if (kind === '7') return 'file';
  if (kind === 'V') return 'label';
  throw new FormatError(`${path} is of an unknown kind: ${JSON.stringify(kind)}`, {
    offset,
    hint: 'only files can be taken over',
  });
}

/** With the data, the rest of its last block has to be there. */
function dataOf(archive: Buffer, start: number, size: number): Buffer {
  if (start + blocks(size) > archive.length) throw damaged('it is cut off', start - BLOCK);
  return archive.subarray(start, start + size);
}

function blocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

/** The sum of all bytes, where those of the field itself count as spaces. */
function checkChecksum(header: Buffer, offset: number): void {
  const stored = field(header, CHECKSUM);
  const sum = sumOf(header) - sumOf(stored) + CHECKSUM.length * 0x20;
  if (octal(stored) !== sum) throw damaged('a checksum does not match', offset);
}

function sumOf(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum + byte, 0);
}

interface Field {
  readonly offset: number;
  readonly length: number;
}

function field(header: Buffer, { offset, length }: Field): Buffer {
  return header.subarray(offset, offset + length);
}

/** Octal, or with the first bit set a number in binary, as GNU has it. */
function readSize(header: Buffer, offset: number): number {
  const bytes = field(header, SIZE);
  const isBinary = bytes[0] === 0x80;
  const size = isBinary ? bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0) : octal(bytes);
  if (size === undefined || !Number.isSafeInteger(size)) throw damaged('a size is no number', offset);
  return size;
}

function octal(bytes: Buffer): number | undefined {
  const digits = /^ *([0-7]*)[ \0]*$/.exec(bytes.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(`0${digits}`, 8);
}

function readName(header: Buffer): string {
  const name = textOf(field(header, NAME));
  const isUstar = header.toString('latin1', MAGIC.offset, MAGIC.offset + MAGIC.ustar.length) === MAGIC.ustar;
  const prefix = isUstar ? textOf(field(header, PREFIX)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Up to the first NUL. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** pax: `LENGTH KEY=VALUE\n` each, where the length counts all of it. */
function readRecords(data: Buffer, start: number): Extensions {
  const extensions: { path?: string; size?: number } = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(' ', at);
    const length = space < 0 ? 0 : decimal(data.toString('latin1', at, Math.min(space, at + 20)));
    const equals = data.indexOf('=', space);
    const end = at + length;
    if (end > data.length || equals < 0 || equals >= end || data[end - 1] !== 0x0a) {
      throw damaged('a pax record makes no sense', start + at);
    }
    const key = data.toString('utf8', space + 1, equals);
    const value = data.toString('utf8', equals + 1, end - 1);
    if (key === 'path') extensions.path = value;
    if (key === 'size') extensions.size = decimal(value);
    if (key.startsWith('GNU.sparse.')) {
      throw new FormatError('it has a sparse file', {
        offset: start,
        hint: 'make the archive without --sparse',
      });
    }
    if (Number.isNaN(extensions.size)) throw damaged('a size is no number', start + at);
    if (value.includes('\0') && key === 'path') throw damaged('a path has a NUL', start + at);
    at = end;
  }
  return extensions;
}

function decimal(text: string): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

function damaged(problem: string, offset: number): FormatError {
  return new FormatError(`it is not a tar archive, or a damaged one: ${problem} at byte ${offset}`, {
    offset,
  });
}
