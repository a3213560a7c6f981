/**
 * Tar archives, read from start to end: ustar and pax (POSIX.1-2008, pax, "ustar Interchange Format"), the older form
 * without a prefix, and the long names and large sizes of GNU. Modes, owners and times are left out. Refused are sparse
 * files, devices and pipes, for which no reader here has a place.
 *
 * Not read by tar-stream (3.2): it never comes to an end on a directory that announces data and on some pax headers, and
 * a program that waits for it ends without a word.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError } from '../core/errors.ts';
import { ByteReader, sourceOfBytes } from './byteReader.ts';

/** A file or a link; folders are passed over. `content` is good until the next member is asked for, and read once. */
export type TarMember =
  | { readonly type: 'file'; readonly path: string; readonly size: number; readonly content: TarContent }
  | { readonly type: 'link'; readonly path: string; readonly target: string; readonly isSymbolic: boolean };

type TarContent = AsyncGenerator<Uint8Array, void>;

/** Where the fields of a header are. */
const BLOCK = 512;
const NAME = { offset: 0, length: 100 } as const;
const SIZE = { offset: 124, length: 12 } as const;
const CHECKSUM = { offset: 148, length: 8 } as const;
const TYPE = 156;
const LINK = { offset: 157, length: 100 } as const;
const MAGIC = { offset: 257, text: 'ustar\0' } as const;
const PREFIX = { offset: 345, length: 155 } as const;

/** Member types that are not files, folders or links. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['3', 'character-device'],
  ['4', 'block-device'],
  ['6', 'fifo'],
  ['S', 'sparse file'],
]);
/** The name of the archive itself, as GNU writes it. */
const LABEL = 'V';

/** Bytes of a long name or of pax records. */
const MAX_EXTENSION = 1024 * 1024;

/** What a header says of the member that follows (pax `x`, GNU `L` and `K`), or of all that follow (pax `g`). */
interface Extensions {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: number;
}

interface Header {
  readonly kind: string;
  readonly path: string;
  readonly target: string;
  readonly size: number;
  /** Offset in the archive, for errors. */
  readonly offset: number;
}

/**
 * The files by path, as it is in the archive; a later file of the same path wins.
 * @param bytes the whole archive, not compressed
 * @throws FormatError where it is damaged, or has members that are no files
 */
export async function readArchiveFiles(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for await (const member of readTarMembers(new ByteReader('tar', sourceOfBytes(bytes)))) {
    if (member.type === 'link') throw refused(member.path, member.isSymbolic ? 'symlink' : 'link');
    const pieces: Uint8Array[] = [];
    for await (const piece of member.content) pieces.push(Uint8Array.from(piece));
    files.set(member.path, Buffer.concat(pieces));
  }
  if (files.size === 0) throw new FormatError('it contains no files');
  return files;
}

function refused(path: string, what: string): FormatError {
  return new FormatError(`${path} is a ${what}`, { hint: 'use an archive with regular files only' });
}

/**
 * The members in their order. What follows the end of the archive is read as well, so that all of the input has passed.
 * @throws FormatError where it is damaged, truncated, or has members of kinds that are refused
 */
export async function* readTarMembers(reader: ByteReader): AsyncGenerator<TarMember, void> {
  let global: Extensions = {};
  let next: Extensions = {};
  for (;;) {
    const header = await readHeader(reader);
    if (header === undefined) break;
    const { kind } = header;
    if (kind === 'g')
      global = { ...global, ...parseRecords(await readExtension(reader, header), header.offset) };
    else if (kind === 'x')
      next = { ...next, ...parseRecords(await readExtension(reader, header), header.offset) };
    else if (kind === 'L') next = { ...next, path: textOf(await readExtension(reader, header)) };
    else if (kind === 'K') next = { ...next, linkpath: textOf(await readExtension(reader, header)) };
    else {
      yield* readMember(reader, header, { ...global, ...next });
      next = {};
    }
  }
  while ((await reader.takeAtMost()).length > 0);
}

/** Undefined at the end: two blocks of zeros, of which some writers leave out the second, or the end of the input. */
async function readHeader(reader: ByteReader): Promise<Header | undefined> {
  const { offset } = reader;
  if (!(await reader.has(1))) return undefined;
  if (!(await reader.has(BLOCK))) throw truncated(reader);
  const block = reader.pass(BLOCK);
  if (block.every((byte) => byte === 0)) return undefined;
  // The sum of all bytes, where those of the field itself count as spaces.
  const stored = field(block, CHECKSUM);
  const sum = sumOf(block) - sumOf(stored) + CHECKSUM.length * 0x20;
  if (octal(stored) !== sum) throw damaged('a checksum does not match', offset);
  const name = textOf(field(block, NAME));
  const isUstar = block.toString('latin1', MAGIC.offset, MAGIC.offset + MAGIC.text.length) === MAGIC.text;
  const prefix = isUstar ? textOf(field(block, PREFIX)) : '';
  return {
    kind: String.fromCharCode(block[TYPE] ?? 0),
    path: prefix === '' ? name : `${prefix}/${name}`,
    target: textOf(field(block, LINK)),
    size: readSize(block, offset),
    offset,
  };
}

async function* readMember(
  reader: ByteReader,
  header: Header,
  extensions: Extensions,
): AsyncGenerator<TarMember, void> {
  const { kind, offset } = header;
  const { path = header.path, linkpath = header.target, size = header.size } = extensions;
  if (kind === '1' || kind === '2') {
    yield { type: 'link', path, target: linkpath, isSymbolic: kind === '2' };
  } else if (kind === '5' || (isFile(kind) && path.endsWith('/'))) {
    return; // the size of a folder is a hint, without content
  } else if (isFile(kind)) {
    const content = readContent(reader, size);
    yield { type: 'file', path, size, content };
    for await (const piece of content) void piece; // whatever the reader has left
    await passOver(reader, paddingOf(size));
  } else if (kind === LABEL) {
    await passOver(reader, size + paddingOf(size));
  } else {
    const what = REFUSED.get(kind);
    if (what !== undefined) throw refused(path, what);
    throw damaged(`${path} has the unsupported type ${quoteText(kind)}`, offset);
  }
}

function isFile(kind: string): boolean {
  return kind === '0' || kind === '\0' || kind === '7';
}

async function* readContent(reader: ByteReader, size: number): TarContent {
  for (let left = size; left > 0;) {
    const piece = await reader.takeAtMost(left);
    if (piece.length === 0) throw truncated(reader);
    left -= piece.length;
    yield piece;
  }
}

async function passOver(reader: ByteReader, length: number): Promise<void> {
  if (!(await reader.skip(length))) throw truncated(reader);
}

async function readExtension(reader: ByteReader, { size, offset }: Header): Promise<Buffer> {
  if (size > MAX_EXTENSION) throw damaged('an extended header is too large', offset);
  const pieces: Buffer[] = [];
  for await (const piece of readContent(reader, size)) pieces.push(Buffer.from(piece));
  await passOver(reader, paddingOf(size));
  return Buffer.concat(pieces);
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function sumOf(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum + byte, 0);
}

function field(
  block: Buffer,
  { offset, length }: { readonly offset: number; readonly length: number },
): Buffer {
  return block.subarray(offset, offset + length);
}

/** Octal, or with the first bit set a number in binary, as GNU has it. */
function readSize(block: Buffer, offset: number): number {
  const bytes = field(block, SIZE);
  const isBinary = bytes[0] === 0x80;
  const size = isBinary ? bytes.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0) : octal(bytes);
  if (size === undefined || !Number.isSafeInteger(size)) throw damaged('a size is not a number', offset);
  return size;
}

function octal(bytes: Buffer): number | undefined {
  const digits = /^ *([0-7]*)[ \0]*$/.exec(bytes.toString('latin1'))?.[1];
  return digits === undefined ? undefined : Number.parseInt(`0${digits}`, 8);
}

/** Up to the first NUL. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

/** pax: `LENGTH KEY=VALUE\n` each, where the length counts all of it. */
function parseRecords(data: Buffer, offset: number): Extensions {
  let extensions: Extensions = {};
  for (let at = 0; at < data.length;) {
    const space = data.indexOf(' ', at);
    const length = space < 0 ? Number.NaN : decimal(data.toString('latin1', at, Math.min(space, at + 20)));
    const end = at + length;
    const equals = data.indexOf('=', space);
    if (!(end <= data.length) || equals < 0 || equals >= end || data[end - 1] !== 0x0a) {
      throw damaged('a pax record is invalid', offset);
    }
    const key = data.toString('utf8', space + 1, equals);
    const value = data.toString('utf8', equals + 1, end - 1);
    extensions = { ...extensions, ...extensionOf(key, value, offset) };
    at = end;
  }
  return extensions;
}

function extensionOf(key: string, value: string, offset: number): Extensions {
  if (key.startsWith('GNU.sparse.')) throw damaged('it contains a sparse file', offset);
  if (key === 'path') {
    if (value.includes('\0')) throw damaged('a path contains a NUL', offset);
    return { path: value };
  }
  if (key === 'linkpath') return { linkpath: value };
  if (key !== 'size') return {};
  const size = decimal(value);
  if (Number.isNaN(size)) throw damaged('a size is not a number', offset);
  return { size };
}

function decimal(text: string): number {
  const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}

function truncated({ offset, bytes }: ByteReader): FormatError {
  return damaged('it is truncated', offset + bytes.length);
}

function damaged(problem: string, offset: number): FormatError {
  return new FormatError(`it is not a valid tar archive: ${problem} at byte ${offset}`, { offset });
}
