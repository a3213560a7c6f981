/**
 * Finds and reads files of an ISO 9660 image, and reads only the necessary parts. The lookup of names is tolerant, because
 * repacking changes them: by Rock Ridge name, by primary name, by 8.3 name, and finally case-insensitive.
 */

import { FormatError, orFormatError } from '../core/errors.ts';
import {
  type Extent,
  type NameEncoding,
  readVolumeDescriptor,
  type VolumeDescriptor,
  type VolumeFacts,
} from '../formats/iso9660/descriptors.ts';
import { type DirectoryRecord, readDirectory } from '../formats/iso9660/directory.ts';
import { readSystemUse } from '../formats/iso9660/rockRidge.ts';
import { SECTOR, SYSTEM_AREA_SECTORS } from '../formats/iso9660/fields.ts';
import { type NodeKind, toPrimaryName } from '../formats/iso9660/names.ts';
import { type Mapping, parseJsonObject } from '../formats/mapping.ts';
import { COPY_AGAIN } from './imageHints.ts';
import { detectCompression, MAX_MAGIC } from '../formats/compressionFormat.ts';
import { detectKind } from './imageKind.ts';
import type { ImageAccess, RandomAccess } from './overlay.ts';
import { readRollback, UNFINISHED_EDIT, UNFINISHED_HINT } from './rollback.ts';

/** A file or directory of an image. */
export interface IsoEntry {
  /** The Rock Ridge name, or else the primary name. */
  readonly name: string;
  /** The name in the directory record, for example `IGNINFO.JSO`. */
  readonly recordName: string;
  readonly kind: NodeKind;
  /** Offset of the content, in bytes from the start of the image. */
  readonly offset: number;
  readonly size: number;
  /** Offset of the directory record, in bytes from the start of the image. */
  readonly recordOffset: number;
}

export interface IsoTree {
  readonly image: ImageAccess;
  /** Which names it has: the primary ones, or those of Joliet. */
  readonly names: NameEncoding;
  readonly volume: VolumeFacts;
  /** All descriptors, in the order of the image. */
  readonly descriptors: readonly VolumeDescriptor[];
  /** Finds a file or directory; the parts of `path` are separated by `/`. */
  find(path: string): Promise<IsoEntry | undefined>;
  /** Lists a directory (default: the root). */
  list(directory?: IsoEntry): Promise<readonly IsoEntry[]>;
  /** The content of a small file. */
  readFile(entry: IsoEntry, limit: { readonly maxBytes: number }): Promise<Uint8Array>;
}

/** Limit in bytes; a directory with 60,000 files has about this size. */
const MAX_DIRECTORY = 8 * 1024 * 1024;

/**
 * @param names the tree to read
 * @throws FormatError if the tree is missing, the image is truncated, or an edit is unfinished
 */
export async function openIsoTree(image: ImageAccess, names: NameEncoding = 'primary'): Promise<IsoTree> {
  const descriptors = await readDescriptors(image);
  const volume = descriptors.find(({ type }) => type === names);
  if (volume === undefined || !('root' in volume))
    throw new FormatError(`the ISO image has no ${names} volume descriptor`);
  if (volume.volumeSpaceSize * SECTOR > image.size) {
    throw new FormatError('ISO image is incomplete', {
      hint: `copy the image again; it has ${image.size} of ${volume.volumeSpaceSize * SECTOR} bytes`,
    });
  }
  if ((await readRollback(image)) !== undefined)
    throw new FormatError(UNFINISHED_EDIT, { hint: UNFINISHED_HINT });
  // One command finds several files in the same directories.
  const listed = new Map<number, Promise<readonly IsoEntry[]>>();
  const list = (directory: Content = contentAt(volume.root)): Promise<readonly IsoEntry[]> => {
    const entries = listed.get(directory.offset) ?? listDirectory(image, directory, names);
    listed.set(directory.offset, entries);
    return entries;
  };
  return {
    image,
    names,
    volume,
    descriptors,
    list,
    find: (path) => findPath(path, list),
    readFile: async ({ name, offset, size }, { maxBytes }) => {
      if (size > maxBytes) throw new FormatError(`${name} on the image is too large: ${size} > ${maxBytes}`);
      return readChecked(image, { offset, size });
    },
  };
}

/** The primary tree, and that of Joliet if there is one. */
export async function treesOf(tree: IsoTree): Promise<IsoTree[]> {
  const hasJoliet = tree.descriptors.some(({ type }) => type === 'joliet');
  return hasJoliet ? [tree, await openIsoTree(tree.image, 'joliet')] : [tree];
}

/** Where the content of a file or directory is. */
type Content = Pick<IsoEntry, 'offset' | 'size'>;

async function readDescriptors(image: RandomAccess): Promise<VolumeDescriptor[]> {
  const descriptors: VolumeDescriptor[] = [];
  for (let offset = SYSTEM_AREA_SECTORS * SECTOR; ; offset += SECTOR) {
    const sector = offset + SECTOR > image.size ? new Uint8Array() : await image.read(offset, SECTOR);
    const descriptor = orFormatError(() => readVolumeDescriptor(sector));
    if (!(descriptor instanceof FormatError)) descriptors.push(descriptor);
    else if (descriptors.length === 0)
      throw new FormatError('not an ISO 9660 image', { hint: await hintFor(image), cause: descriptor });
    else {
      throw new FormatError('ISO image is incomplete: the last volume descriptor is missing', {
        hint: COPY_AGAIN,
        cause: descriptor,
      });
    }
    if (descriptors.at(-1)?.type === 'terminator') return descriptors;
  }
}

/** What to do with a file that is not an ISO image. Images of other kinds than an initramfs may be compressed, such as the ISO itself. */
async function hintFor(image: RandomAccess): Promise<string> {
  const kind = await detectKind(image);
  if (kind === 'initramfs' || kind === 'rootfs')
    return 'use the `pxe` commands for an initramfs, or pass the live ISO of a CoreOS release';
  const compression = detectCompression(await image.read(0, Math.min(MAX_MAGIC, image.size)));
  return compression === 'none'
    ? 'use the live ISO of a CoreOS release'
    : `unpack the file first if it is a compressed ISO: ${compression} -d FILE`;
}

function contentAt({ sector, size }: Extent): Content {
  return { offset: sector * SECTOR, size };
}

async function readChecked(image: RandomAccess, { offset, size }: Content): Promise<Uint8Array> {
  if (offset + size > image.size) {
    throw new FormatError(`${size} bytes at offset ${offset} exceed the end of the image`, { offset });
  }
  return image.read(offset, size);
}

async function listDirectory(
  image: RandomAccess,
  directory: Content,
  names: NameEncoding,
): Promise<readonly IsoEntry[]> {
  if (directory.size > MAX_DIRECTORY) {
    throw new FormatError(`a directory is too large: ${directory.size} > ${MAX_DIRECTORY} bytes`, directory);
  }
  const records = readDirectory(await readChecked(image, directory), names);
  return mergeParts(records).map((record) => {
    const realName = names === 'primary' ? readSystemUse(record.systemUse).name : undefined;
    return {
      name: realName === undefined || /[/\0]/.test(realName) ? record.name : realName,
      recordName: record.name,
      kind: record.isDirectory ? 'directory' : 'file',
      ...contentAt(record),
      recordOffset: directory.offset + record.recordOffset,
    };
  });
}

/** Merges the records of a file of 4 GiB or more, which has one record per part. The parts must be adjacent. */
function mergeParts(records: readonly DirectoryRecord[]): DirectoryRecord[] {
  const merged: DirectoryRecord[] = [];
  let previous: DirectoryRecord | undefined;
  for (const record of records) {
    if (previous?.continues === true && previous.name === record.name) {
      if (previous.sector * SECTOR + previous.size !== record.sector * SECTOR) {
        throw new FormatError(`${record.name} is fragmented, which is not supported`);
      }
      merged.pop();
      previous = { ...previous, size: previous.size + record.size, continues: record.continues };
    } else {
      previous = record;
    }
    merged.push(previous);
  }
  return merged;
}

async function findPath(path: string, list: IsoTree['list']): Promise<IsoEntry | undefined> {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  let found: IsoEntry | undefined;
  for (const part of parts) {
    if (found?.kind === 'file') return undefined;
    found = matchName(await list(found), part);
    if (found === undefined) return undefined;
  }
  return found;
}

function matchName(entries: readonly IsoEntry[], wanted: string): IsoEntry | undefined {
  const folded = wanted.toUpperCase();
  const short = { file: toPrimaryName(wanted, 'file'), directory: toPrimaryName(wanted, 'directory') };
  const matches: ((entry: IsoEntry) => boolean)[] = [
    ({ name }) => name === wanted,
    ({ recordName, kind }) => recordName === wanted || recordName === short[kind],
    ({ name, recordName, kind }) =>
      name.toUpperCase() === folded || [folded, short[kind]].includes(recordName.toUpperCase()),
  ];
  for (const matcher of matches) {
    const entry = entries.find(matcher);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Limit of JSON files in bytes; real ones have a few hundred. */
const MAX_JSON = 1024 * 1024;

/**
 * Returns a JSON file of the image and the object in it; undefined if the file is missing.
 * @param refuse makes the error for other contents from a clause
 */
export async function readJsonFile(
  tree: IsoTree,
  path: string,
  refuse: (problem: string, cause?: unknown) => FormatError,
): Promise<{ readonly entry: IsoEntry; readonly object: Mapping } | undefined> {
  const entry = await tree.find(path);
  if (entry?.kind !== 'file') return undefined;
  const text = Buffer.from(await tree.readFile(entry, { maxBytes: MAX_JSON })).toString('utf8');
  return { entry, object: parseJsonObject(text, refuse) };
}
