/**
 * GUID partition tables (UEFI specification 2.10, section 5.3) as hybrid ISO images have them in their first 32 KiB, and
 * what changes in them when the image becomes longer. Leaves out making tables, and blocks of another size than 512 bytes.
 */

import { largest } from '../core/lists.ts';
import { crc32 } from 'node:zlib';

/** Bytes of a block; addresses count them. */
const BLOCK = 512;
const SIGNATURE = 'EFI PART';
const MIN_HEADER = 92;
/** A boot record has four partitions of 16 bytes. */
const MBR = { partitions: 446, count: 4, size: 16, start: 8, length: 12, signature: 510 } as const;
const HEADER = {
  size: 12,
  checksum: 16,
  self: 24,
  backup: 32,
  lastUsable: 48,
  entries: 72,
  entryCount: 80,
  entrySize: 84,
  entriesChecksum: 88,
} as const;
const ENTRY = { first: 32, last: 40, minSize: 128 } as const;

/** The primary table of an image, and the boot record in front of it. */
export interface PartitionTable {
  /** The first blocks of the image, up to the end of the entries. */
  readonly bytes: Uint8Array;
  readonly entries: EntriesRange;
}

/** Where the entries are, in bytes from the start of the image. */
interface EntriesRange {
  readonly start: number;
  readonly end: number;
  /** Of one entry. */
  readonly size: number;
}

/**
 * Undefined for an image without a table, or with a damaged table that firmware ignores.
 * @param start the first bytes of the image
 */
export function readPartitionTable(start: Uint8Array): PartitionTable | undefined {
  const bytes = Buffer.from(start);
  if (bytes.length < 2 * BLOCK || bytes.toString('latin1', BLOCK, BLOCK + 8) !== SIGNATURE) return undefined;
  const header = bytes.subarray(BLOCK, 2 * BLOCK);
  const size = header.readUInt32LE(HEADER.size);
  if (size < MIN_HEADER || size > BLOCK || headerChecksum(header) !== header.readUInt32LE(HEADER.checksum)) {
    return undefined;
  }
  const entries = entriesRange(header);
  if (entries === undefined || entries.end > bytes.length) return undefined;
  const checksum = crc32(bytes.subarray(entries.start, entries.end));
  if (checksum !== header.readUInt32LE(HEADER.entriesChecksum)) return undefined;
  return { bytes: bytes.subarray(0, entries.end), entries };
}

/**
 * Where the last partition ends, or the backup of the table where there is one, in bytes; 0 for an image without partitions.
 * @param start the first bytes of the image
 */
export function partitionsEnd(start: Uint8Array): number {
  const bytes = Buffer.from(start);
  const table = readPartitionTable(bytes);
  if (table !== undefined) return (Number(bytes.readBigUInt64LE(BLOCK + HEADER.backup)) + 1) * BLOCK;
  if (bytes.length < BLOCK || bytes.readUInt16BE(MBR.signature) !== 0x55aa) return 0;
  const ends = partitionPlaces().map(
    (at) => bytes.readUInt32LE(at + MBR.start) + bytes.readUInt32LE(at + MBR.length),
  );
  return largest(ends) * BLOCK;
}

/** Lengths of an image in bytes. */
export interface Resize {
  /** The ISO 9660 volume before. */
  readonly volumeBefore: number;
  readonly sizeBefore: number;
  readonly volumeAfter: number;
}

export interface ResizedTable {
  /**
   * What changes in the table and the boot record: the header, and what ends with the volume. Their places do not depend on the
   * new size.
   */
  readonly changes: readonly { readonly offset: number; readonly data: Uint8Array }[];
  /** The entries again and their header; the last bytes of the image. */
  readonly backup: Uint8Array;
}

/** Bytes that the backup of a table takes. */
export function backupSize({ entries: { start, end } }: PartitionTable): number {
  return blocks(end - start) * BLOCK + BLOCK;
}

/**
 * The table of a longer image: its partitions that ended with the volume do so again.
 * @param imageSize with the backup, in bytes; whole blocks
 */
export function resizePartitionTable(table: PartitionTable, resize: Resize, imageSize: number): ResizedTable {
  const primary = Buffer.from(table.bytes);
  const header = primary.subarray(BLOCK, 2 * BLOCK);
  const { start, end } = table.entries;
  const lastBlock = blocks(imageSize) - 1;
  const backupStart = lastBlock - blocks(end - start);
  const changes = [header.subarray(0, header.readUInt32LE(HEADER.size))];
  for (const partition of wholePartitions(primary, resize)) {
    const at = partition + MBR.length;
    primary.writeUInt32LE(Math.min(blocks(imageSize), 0xffff_ffff), at);
    changes.push(primary.subarray(at, at + 4));
  }
  for (const entry of wholeEntries(primary, table.entries, resize)) {
    const at = entry + ENTRY.last;
    primary.writeBigUInt64LE(BigInt(blocks(resize.volumeAfter) - 1), at);
    changes.push(primary.subarray(at, at + 8));
  }
  header.writeUInt32LE(crc32(primary.subarray(start, end)), HEADER.entriesChecksum);
  header.writeBigUInt64LE(BigInt(lastBlock), HEADER.backup);
  header.writeBigUInt64LE(BigInt(backupStart - 1), HEADER.lastUsable);
  const backupHeader = Buffer.from(header);
  header.writeUInt32LE(headerChecksum(header), HEADER.checksum);
  backupHeader.writeBigUInt64LE(BigInt(lastBlock), HEADER.self);
  backupHeader.writeBigUInt64LE(1n, HEADER.backup);
  backupHeader.writeBigUInt64LE(BigInt(backupStart), HEADER.entries);
  backupHeader.writeUInt32LE(headerChecksum(backupHeader), HEADER.checksum);
  const backup = Buffer.alloc(backupSize(table));
  primary.copy(backup, 0, start, end);
  backupHeader.copy(backup, backup.length - BLOCK);
  const offsetOf = (data: Buffer): number => data.byteOffset - primary.byteOffset;
  return { changes: changes.map((data) => ({ offset: offsetOf(data), data })), backup };
}

function blocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK);
}

function headerChecksum(header: Buffer): number {
  const copy = Buffer.from(header.subarray(0, header.readUInt32LE(HEADER.size)));
  copy.fill(0, HEADER.checksum, HEADER.checksum + 4);
  return crc32(copy);
}

function entriesRange(header: Buffer): EntriesRange | undefined {
  const start = Number(header.readBigUInt64LE(HEADER.entries)) * BLOCK;
  const size = header.readUInt32LE(HEADER.entrySize);
  const end = start + size * header.readUInt32LE(HEADER.entryCount);
  const isSane = start >= 2 * BLOCK && size >= ENTRY.minSize && Number.isSafeInteger(end);
  return isSane ? { start, end, size } : undefined;
}

/** Offsets of the entries that cover the volume from its first block to its last. */
function wholeEntries(table: Buffer, range: EntriesRange, { volumeBefore }: Resize): number[] {
  const found: number[] = [];
  for (let at = range.start; at + range.size <= range.end; at += range.size) {
    const first = table.readBigUInt64LE(at + ENTRY.first);
    const last = table.readBigUInt64LE(at + ENTRY.last);
    if (first === 0n && last === BigInt(blocks(volumeBefore) - 1)) found.push(at);
  }
  return found;
}

/** Offsets of the partitions of the boot record that cover the image. */
function wholePartitions(table: Buffer, { sizeBefore }: Resize): number[] {
  if (table.readUInt16BE(MBR.signature) !== 0x55aa) return [];
  return partitionPlaces().filter(
    (at) =>
      table.readUInt32LE(at + MBR.start) === 0 && table.readUInt32LE(at + MBR.length) === blocks(sizeBefore),
  );
}

function partitionPlaces(): number[] {
  return Array.from({ length: MBR.count }, (_, index) => MBR.partitions + index * MBR.size);
}
