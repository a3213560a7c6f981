/**
 * Directory records of ISO 9660 (ECMA-119, section 9.1). Leaves out interleaved files, dates on reading, and extended
 * attributes beyond skipping them: no live image uses any of it.
 */

import { FormatError } from '../../core/errors.ts';
import { type Extent, MAX_EXTENT, type NameEncoding } from './descriptors.ts';
import { decodeUcs2, latin1, putBoth16, putBoth32, SECTOR, shortDate, viewOf } from './fields.ts';

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

/** The records one after the other, none across the end of a sector; whole sectors. */
export function joinRecords(records: readonly Uint8Array[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let end = 0;
  const fillSector = (): void => {
    const free = -end & (SECTOR - 1);
    pieces.push(new Uint8Array(free));
    end += free;
  };
  for (const record of records) {
    if ((end % SECTOR) + record.length > SECTOR) fillSector();
    pieces.push(record);
    end += record.length;
  }
  fillSector();
  return Buffer.concat(pieces);
}
