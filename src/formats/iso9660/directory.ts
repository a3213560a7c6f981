/** Directory records of ISO 9660, and the Rock Ridge fields in them. */

import { append } from '../../core/lists.ts';
import { FormatError } from '../../core/errors.ts';
import { type Extent, MAX_EXTENT, type NameEncoding } from './descriptors.ts';
import { decodeUcs2, latin1, putBoth16, putBoth32, SECTOR, shortDate, viewOf } from './fields.ts';

// Directory records (ECMA-119, section 9.1). Leaves out interleaved files, dates on reading, and extended attributes
// beyond skipping them: no live image uses any of it.

/** What a directory says about one of its children. */
export interface DirectoryRecord extends Extent {
  /** Where the record starts within the bytes of its directory. */
  readonly recordOffset: number;
  /** Without version (`;1`) and without the dot of an empty extension: `VMLINUZ.;1` reads `VMLINUZ`. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** The next record of the same name contains a further part of this file. */
  readonly continues: boolean;
  /** What SUSP and Rock Ridge put behind the name. */
  readonly systemUse: Uint8Array;
}

/** Identifiers of a directory itself and of its parent. */
export const SELF = Uint8Array.of(0);
export const PARENT = Uint8Array.of(1);

/** Bytes before the identifier. */
const HEADER = 33;
const FLAG = { directory: 0x02, multiExtent: 0x80 } as const;
/** Bytes of the longest record: its length is one byte, and even. */
export const MAX_RECORD = 254;

/**
 * All records of a directory but those of itself and its parent, in their order.
 * @param bytes the whole extent of the directory
 * @throws FormatError where a record is truncated or contradicts itself
 */
export function readDirectory(bytes: Uint8Array, names: NameEncoding = 'primary'): DirectoryRecord[] {
  const records: DirectoryRecord[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const length = bytes[offset] ?? 0;
    if (length === 0) {
      offset = (Math.floor(offset / SECTOR) + 1) * SECTOR;
      continue;
    }
    const record = readRecord(bytes, offset, names);
    if (record !== undefined) records.push(record);
    offset += length;
  }
  return records;
}

function readRecord(bytes: Uint8Array, offset: number, names: NameEncoding): DirectoryRecord | undefined {
  const length = bytes[offset] ?? 0;
  const record = bytes.subarray(offset, offset + length);
  if (length <= HEADER || record.length < length || HEADER + (record[32] ?? 0) > length) {
    throw new FormatError('incomplete directory record; the image is damaged', { offset });
  }
  const view = viewOf(record);
  const identifier = record.subarray(HEADER, HEADER + view.getUint8(32));
  if (identifier.length === 1 && (identifier[0] === 0 || identifier[0] === 1)) return undefined;
  const flags = view.getUint8(25);
  return {
    recordOffset: offset,
    name: (names === 'joliet' ? decodeUcs2(identifier) : latin1(identifier))
      .replace(/;[0-9]+$/, '')
      .replace(/\.$/, ''),
    sector: view.getUint32(2, true) + view.getUint8(1),
    size: view.getUint32(10, true),
    isDirectory: (flags & FLAG.directory) !== 0,
    continues: (flags & FLAG.multiExtent) !== 0,
    systemUse: record.subarray(evenEnd(HEADER + identifier.length)),
  };
}

/** The fields of a record to write. */
interface NewRecord extends Extent {
  readonly identifier: Uint8Array;
  readonly isDirectory: boolean;
  /** The next record contains a further part of this file. */
  readonly continues?: boolean;
  readonly date: Date;
  readonly systemUse: Uint8Array;
}

/** Bytes that a record takes; always even. */
export function recordLength(identifierLength: number, systemUseLength: number): number {
  return evenEnd(evenEnd(HEADER + identifierLength) + systemUseLength);
}

/** Identifiers and records are padded to an even end. */
function evenEnd(length: number): number {
  return length + (length & 1);
}

export function writeDirectoryRecord(record: NewRecord): Uint8Array {
  const bytes = new Uint8Array(recordLength(record.identifier.length, record.systemUse.length));
  const view = viewOf(bytes);
  view.setUint8(0, bytes.length);
  putBoth32(view, 2, record.sector);
  putBoth32(view, 10, record.size);
  bytes.set(shortDate(record.date), 18);
  const continues = record.continues === true ? FLAG.multiExtent : 0;
  view.setUint8(25, (record.isDirectory ? FLAG.directory : 0) | continues);
  putBoth16(view, 28, 1);
  view.setUint8(32, record.identifier.length);
  bytes.set(record.identifier, HEADER);
  bytes.set(record.systemUse, evenEnd(HEADER + record.identifier.length));
  return bytes;
}

/** How many records a file of this size has. */
export function partCount(size: number): number {
  return Math.max(1, Math.ceil(size / MAX_EXTENT));
}

/** The stretch that the record of this part names. */
export function partOf({ sector, size }: Extent, part: number): Extent & { readonly continues: boolean } {
  const start = part * MAX_EXTENT;
  const end = start + MAX_EXTENT;
  return { sector: sector + start / SECTOR, size: Math.min(end, size) - start, continues: end < size };
}

/** Where records of these lengths start: none may cross the end of a sector. `size` is a multiple of the sector. */
export function placeRecords(lengths: readonly number[]): { offsets: number[]; size: number } {
  let end = 0;
  const offsets = lengths.map((length) => {
    const offset = (end % SECTOR) + length > SECTOR ? Math.ceil(end / SECTOR) * SECTOR : end;
    end = offset + length;
    return offset;
  });
  return { offsets, size: Math.ceil(end / SECTOR) * SECTOR };
}

// Rock Ridge (RRIP 1991A) over SUSP (IEEE P1281): names, modes and times of POSIX in the tail of directory records.
// Reads alternate names only. Leaves out symbolic links, devices, relocated deep directories, and SUSP's skip length,
// which only CD-ROM XA uses.

/** A piece of system use area elsewhere in the image. */
interface Continuation {
  readonly sector: number;
  readonly offset: number;
  readonly length: number;
}

/** What one piece of a system use area says. */
interface SystemUse {
  /** Pieces of the alternate name, in order; empty where none is here. */
  readonly name: readonly Uint8Array[];
  /** A further piece of the name is in the continuation. */
  readonly nameContinues: boolean;
  readonly continuation: Continuation | undefined;
  /** POSIX attributes are here, so the image uses Rock Ridge. */
  readonly hasAttributes: boolean;
}

const NAME_FLAG = { continues: 1, current: 2, parent: 4 } as const;
/** Bytes of the entry that `writeContinuation` makes. */
export const CONTINUATION_LENGTH = 28;
const MAX_NAME_PIECE = 250;

/** Reads as far as the entries make sense; a damaged tail counts as no tail, since the primary names remain. */
export function readSystemUse(bytes: Uint8Array): SystemUse {
  const name: Uint8Array[] = [];
  let nameContinues = false;
  let continuation: Continuation | undefined;
  let hasAttributes = false;
  for (const { signature, body } of entriesOf(bytes)) {
    if (signature === 'NM') {
      const flags = body[0] ?? 0;
      if ((flags & (NAME_FLAG.current | NAME_FLAG.parent)) === 0) name.push(body.subarray(1));
      nameContinues = (flags & NAME_FLAG.continues) !== 0;
    } else if (signature === 'PX') {
      hasAttributes = true;
    } else if (signature === 'CE' && body.length >= CONTINUATION_LENGTH - 4) {
      const view = viewOf(body);
      continuation = {
        sector: view.getUint32(0, true),
        offset: view.getUint32(8, true),
        length: view.getUint32(16, true),
      };
    }
  }
  return { name, nameContinues, continuation, hasAttributes };
}

function* entriesOf(bytes: Uint8Array): Generator<{ signature: string; body: Uint8Array }> {
  let offset = 0;
  while (offset + 4 <= bytes.length) {
    const length = bytes[offset + 2] ?? 0;
    const signature = String.fromCharCode(bytes[offset] ?? 0, bytes[offset + 1] ?? 0);
    if (length < 4 || offset + length > bytes.length || signature === 'ST') return;
    yield { signature, body: bytes.subarray(offset + 4, offset + length) };
    offset += length;
  }
}

/** POSIX attributes of the file or directory of a record. */
interface Attributes {
  readonly mode: number;
  readonly links: number;
  readonly date: Date;
}

/** Marks the use of SUSP; first entry of the root's record of itself. */
export function writeSharingProtocol(): Uint8Array {
  return entry('SP', [0xbe, 0xef, 0]);
}

/** Names the extension; belongs to the root's record of itself and is too long for it. */
export function writeExtensionReference(): Uint8Array {
  const texts = [
    'RRIP_1991A',
    'THE ROCK RIDGE INTERCHANGE PROTOCOL PROVIDES SUPPORT FOR POSIX FILE SYSTEM SEMANTICS',
    'PLEASE CONTACT DISC PUBLISHER FOR SPECIFICATION SOURCE.  SEE PUBLISHER IDENTIFIER IN PRIMARY VOLUME ' +
      'DESCRIPTOR FOR CONTACT INFORMATION.',
  ];
  return entry('ER', [...texts.map((text) => text.length), 1, ...Buffer.from(texts.join(''), 'latin1')]);
}

/** RR, PX and TF entries: which entries follow, mode and links, times. Owner and group are root. */
export function writeAttributes(
  { mode, links, date }: Attributes,
  hasName: 'named' | 'nameless',
): Uint8Array {
  const present = 0x81 | (hasName === 'named' ? 0x08 : 0);
  const posix = new Uint8Array(32);
  putBoth32(viewOf(posix), 0, mode);
  putBoth32(viewOf(posix), 8, links);
  const time = shortDate(date);
  const times = [0x0e, ...time, ...time, ...time];
  return Uint8Array.from([...entry('RR', [present]), ...entry('PX', posix), ...entry('TF', times)]);
}

/** NM entries for a name of any length. */
export function writeName(name: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  for (let start = 0; start < name.length; start += MAX_NAME_PIECE) {
    const piece = name.subarray(start, start + MAX_NAME_PIECE);
    const flags = start + MAX_NAME_PIECE < name.length ? NAME_FLAG.continues : 0;
    append(bytes, entry('NM', [flags, ...piece]));
  }
  return Uint8Array.from(bytes);
}

/** Says where the rest of a system use area is. */
export function writeContinuation(place: Continuation): Uint8Array {
  const body = new Uint8Array(CONTINUATION_LENGTH - 4);
  putBoth32(viewOf(body), 0, place.sector);
  putBoth32(viewOf(body), 8, place.offset);
  putBoth32(viewOf(body), 16, place.length);
  return entry('CE', body);
}

function entry(signature: string, body: Iterable<number>): Uint8Array {
  const content = [...body];
  return Uint8Array.from([...Buffer.from(signature, 'latin1'), content.length + 4, 1, ...content]);
}
