/**
 * Lists and reads the files of a FAT12, FAT16 or FAT32 image, such as that of an EFI system partition. Source: Microsoft, "FAT: General
 * Overview of On-Disk Format" 1.03. Leaves out writing, timestamps, and long names: boot loaders are named so that firmware finds them
 * by their short names. The image may be hostile: every table, cluster and chain is checked before it is followed.
 */

import { FormatError } from '../core/errors.ts';

export interface FatFile {
  /** From the root, of short names: `EFI/FEDORA/SHIMX64.EFI`. */
  readonly path: string;
  /** Bytes; at most the size of the image. */
  readonly size: number;
  /** @throws FormatError if its clusters are damaged */
  read(): Buffer;
}

const ENTRY = 32;
/** A part of a long name has the attribute of a volume label, too. */
const attributes = { volume: 0x08, folder: 0x10 } as const;
/** EFI system partitions have a few files in three levels. */
const MAX_DEPTH = 8;
const MAX_FILES = 10_000;
/** The specification's limit of a folder. */
const MAX_FOLDER = 65_536 * ENTRY;

/** @throws FormatError if it is not a FAT image, or its folders are damaged */
export function listFatFiles(image: Buffer): FatFile[] {
  const volume = readVolume(image);
  const files: FatFile[] = [];
  let bytesLeft = image.length; // all folders together are smaller than their image
  const list = (folder: Buffer, path: string, depth: number): void => {
    bytesLeft -= folder.length;
    if (bytesLeft < 0 || depth > MAX_DEPTH) throw damaged('has folders in a circle');
    for (const { attribute, cluster, name, size } of entriesOf(folder)) {
      if ((attribute & attributes.folder) === 0) {
        if (size > image.length || files.length === MAX_FILES) throw damaged('has an impossible file');
        files.push({ path: path + name, size, read: () => volume.read(cluster, size) });
      } else if (name !== '.' && name !== '..') {
        list(volume.read(cluster), `${path}${name}/`, depth + 1);
      }
    }
  };
  list(volume.root, '', 1);
  return files;
}

interface Volume {
  /** The entries of the root folder. */
  readonly root: Buffer;
  /** The bytes of a chain of clusters. @param size without it, all of the chain, as for a folder */
  readonly read: (start: number, size?: number) => Buffer;
}

function readVolume(image: Buffer): Volume {
  if (image.length < 512 || image.readUInt16LE(510) !== 0xaa55) throw damaged('has no boot sector');
  const sector = image.readUInt16LE(11);
  const cluster = sector * image.readUInt8(13);
  const reserved = image.readUInt16LE(14);
  const rootEntries = image.readUInt16LE(17);
  const sectors = image.readUInt16LE(19) || image.readUInt32LE(32);
  const tableSectors = image.readUInt16LE(22) || image.readUInt32LE(36);
  const tableStart = reserved * sector;
  const rootStart = tableStart + image.readUInt8(16) * tableSectors * sector;
  const rootEnd = rootStart + rootEntries * ENTRY;
  const isSized = [512, 1024, 2048, 4096].includes(sector) && cluster > 0 && sectors * sector <= image.length;
  const dataStart = isSized ? Math.ceil(rootEnd / sector) * sector : 0;
  const count = isSized ? Math.floor((sectors * sector - dataStart) / cluster) : 0;
  const table = image.subarray(tableStart, tableStart + tableSectors * sector);
  // As Linux and the firmware decide it, whatever the specification says of the number of clusters of FAT32.
  const bits = image.readUInt16LE(22) === 0 ? 32 : count < 4085 ? 12 : 16;
  if (count <= 0 || table.length * 8 < (count + 2) * bits) throw damaged('has impossible sizes');

  const next = (index: number): number => {
    if (bits === 32) return table.readUInt32LE(index * 4) & 0x0f_ff_ff_ff;
    if (bits === 16) return table.readUInt16LE(index * 2);
    const pair = table.readUInt16LE(index + (index >> 1));
    return index % 2 === 0 ? pair & 0xfff : pair >> 4;
  };
  const end = bits === 32 ? 0x0f_ff_ff_f8 : 2 ** bits - 8;
  const read: Volume['read'] = (start, size) => {
    const parts: Buffer[] = [];
    const most = Math.ceil((size ?? MAX_FOLDER) / cluster);
    for (let index = start; parts.length < most; index = next(index)) {
      if (index >= end && size === undefined) break;
      // A chain with more clusters than there are is a circle.
      if (index < 2 || index >= count + 2 || parts.length === count)
        throw damaged('has a damaged chain of clusters');
      const offset = dataStart + (index - 2) * cluster;
      parts.push(image.subarray(offset, offset + cluster));
    }
    return Buffer.concat(parts).subarray(0, size);
  };
  return { read, root: bits === 32 ? read(image.readUInt32LE(44)) : image.subarray(rootStart, rootEnd) };
}

interface Entry {
  readonly name: string;
  readonly attribute: number;
  /** The first one of its content; 0 for an empty file. */
  readonly cluster: number;
  readonly size: number;
}

function* entriesOf(folder: Buffer): Generator<Entry> {
  for (let offset = 0; offset + ENTRY <= folder.length; offset += ENTRY) {
    const entry = folder.subarray(offset, offset + ENTRY);
    const attribute = entry.readUInt8(11);
    if (entry[0] === 0) return;
    if (entry[0] === DELETED || (attribute & attributes.volume) !== 0) continue;
    const [base = '', extension = ''] = [entry.subarray(0, 8), entry.subarray(8, 11)].map((part) =>
      part.toString('latin1').trimEnd(),
    );
    yield {
      name: extension === '' ? base : `${base}.${extension}`,
      attribute,
      cluster: entry.readUInt16LE(20) * 65_536 + entry.readUInt16LE(26),
      size: entry.readUInt32LE(28),
    };
  }
}

/** The first byte of the name of a deleted file. */
const DELETED = 0xe5;

function damaged(problem: string): FormatError {
  return new FormatError(`the FAT image ${problem}`);
}
