/**
 * Appends data to an image, and removes it again. The volume then ends with a record of the original bytes of all changed
 * pointers. Therefore the original image can be restored also after other programs have edited the image.
 *
 * The record is JSON in whole sectors; its last 32 bytes are a magic, and the length and the CRC-32 of the JSON.
 */

import { append, largest } from '../core/lists.ts';
import { crc32 } from 'node:zlib';
import { CliError, FormatError } from '../core/errors.ts';
import { COPY_AGAIN, DOWNLOAD_AGAIN } from './imageHints.ts';
import {
  backupSize,
  changingPlaces,
  partitionsEnd,
  type PartitionTable,
  readPartitionTable,
  type Resize,
  resizePartitionTable,
} from '../formats/gpt.ts';
import { parseJsonObject } from '../formats/mapping.ts';
import { putBoth32, SECTOR, SYSTEM_AREA_SECTORS, viewOf } from '../formats/iso9660/fields.ts';
import { checkDisjoint, type ImageChange, patchesOnly } from './imageChange.ts';
import { type IsoEntry, type IsoTree, openIsoTree } from './isoTree.ts';
import {
  type ByteRange,
  gapsIn,
  type ImageAccess,
  isByteCount,
  overlaps,
  type Patch,
  patchRange,
  patchSource,
  type RandomAccess,
  zeros,
} from './overlay.ts';

export interface Appendix {
  /** Size of the original image in bytes. */
  readonly originalSize: number;
  /** Original bytes of the changed pointers. They do not overlap. */
  readonly originals: readonly Original[];
}

interface Original {
  readonly offset: number;
  readonly data: Uint8Array;
}

const MAGIC = 'ironic-coreos/1\0';
const FOOTER = 32;
/** Limit of the JSON in bytes; about twenty directory records require a tenth of it. */
const MAX_JSON = 256 * 1024;
const MAX_ORIGINALS = 1000;

/**
 * Undefined for an image without appended data. After an interrupted edit, the record can be outside of the volume; then it
 * is found from another volume descriptor, or from the end of the image.
 * @throws FormatError if the record is damaged
 */
export async function readAppendix(tree: IsoTree): Promise<Appendix | undefined> {
  for (const end of await findEnds(tree)) {
    const appendix = await readRecord(tree.image, end);
    if (appendix !== undefined) return appendix;
  }
  return undefined;
}

/** Possible end offsets of the record. */
async function findEnds(tree: IsoTree): Promise<Set<number>> {
  const { image, volume } = tree;
  const ends = [volume.volumeSpaceSize * SECTOR];
  if (image.size > volume.volumeSpaceSize * SECTOR) {
    const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
    const backup = table === undefined ? 0 : wholeSectors(backupSize(table));
    append(ends, [...volumeEnds(tree), image.size - backup, image.size]);
  }
  return new Set(ends.filter((end) => end >= SECTOR && end <= image.size && end % SECTOR === 0));
}

async function readRecord(image: RandomAccess, end: number): Promise<Appendix | undefined> {
  const footer = Buffer.from(await image.read(end - FOOTER, FOOTER));
  if (footer.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const length = footer.readUInt32LE(MAGIC.length);
  const start = end - wholeSectors(length + FOOTER);
  if (length > MAX_JSON || start < 0) throw damaged('invalid length');
  const text = Buffer.from(await image.read(start, length));
  if (crc32(text) !== footer.readUInt32LE(MAGIC.length + 4)) throw damaged('checksum mismatch');
  const { originalSize, originals } = parseJsonObject(text.toString('utf8'), () =>
    damaged('not a JSON object'),
  );
  if (!isByteCount(originalSize) || originalSize > start) throw damaged('invalid original size');
  if (!Array.isArray(originals) || originals.length > MAX_ORIGINALS) throw damaged('missing list of bytes');
  const list: readonly unknown[] = originals;
  return { originalSize, originals: list.map((original) => checkedOriginal(original, originalSize)) };
}

/** Returns the record in whole sectors, for the end of the volume. */
function writeAppendix({ originalSize, originals }: Appendix): Uint8Array {
  const listed = originals.map(({ offset, data }) => [offset, Buffer.from(data).toString('base64')]);
  const json = Buffer.from(JSON.stringify({ originalSize, originals: listed }));
  const bytes = Buffer.alloc(wholeSectors(json.length + FOOTER));
  json.copy(bytes);
  const footer = bytes.subarray(bytes.length - FOOTER);
  footer.write(MAGIC, 'latin1');
  footer.writeUInt32LE(json.length, MAGIC.length);
  footer.writeUInt32LE(crc32(json), MAGIC.length + 4);
  return bytes;
}

/** Adds the current bytes at `places` to the recorded ones, which are older, and are kept. Sorted by offset. */
async function rememberOriginals(
  image: RandomAccess,
  originals: readonly Original[],
  places: readonly ByteRange[],
): Promise<readonly Original[]> {
  const added: Original[] = [];
  for (const place of places) {
    for (const gap of gapsIn(place, originals.map(patchRange))) {
      added.push({ offset: gap.offset, data: await image.read(gap.offset, gap.length) });
    }
  }
  return [...originals, ...added].toSorted((a, b) => a.offset - b.offset);
}

function damaged(problem: string): FormatError {
  return new FormatError(`the record of appended data is damaged: ${problem}`, {
    hint: DOWNLOAD_AGAIN,
  });
}

function checkedOriginal(original: unknown, originalSize: number): Original {
  const [offset, text]: readonly unknown[] = Array.isArray(original) ? original : [];
  if (!isByteCount(offset) || typeof text !== 'string') throw damaged('entry without offset or bytes');
  const data = Buffer.from(text, 'base64');
  if (offset + data.length > originalSize) throw damaged('entry outside of the original image');
  return { offset, data };
}

/** The end of the volume in bytes according to each descriptor; all are equal unless an edit was interrupted. */
export function volumeEnds(tree: IsoTree): number[] {
  return spaceFields(tree).map(({ end }) => end);
}

/** Number of bytes after the end of the volume and the partitions; 0 for a block device, which is larger than its image. */
export async function bytesBehind(tree: IsoTree): Promise<number> {
  const { image } = tree;
  if (image.isDevice === true) return 0;
  const partitions = partitionsEnd(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  return Math.max(0, image.size - largest(volumeEnds(tree), partitions));
}

/** The primary tree, and that of Joliet if there is one. */
export async function treesOf(tree: IsoTree): Promise<IsoTree[]> {
  const hasJoliet = tree.descriptors.some((it) => it.type === 'supplementary' && it.isJoliet);
  return hasJoliet ? [tree, await openIsoTree(tree.image, 'joliet')] : [tree];
}

/** The folder of an image to which files are added, which the live system mounts at /run/media/iso/coreos. */
export const MEDIUM_FOLDER = 'coreos';

/**
 * The files that were added to the folder: their directory records are in places that the record of appended data lists.
 * @throws FormatError if one of them exceeds the end of the image
 */
export async function addedFiles(tree: IsoTree, { originals }: Appendix): Promise<readonly IsoEntry[]> {
  const folder = await tree.find(MEDIUM_FOLDER);
  const entries = folder?.kind === 'directory' ? await tree.list(folder) : [];
  const added = entries.filter(({ kind, recordOffset: offset }) => {
    return kind === 'file' && originals.some((it) => overlaps(patchRange(it), { offset, length: 1 }));
  });
  const longer = added.find(({ offset, size }) => offset + size > tree.image.size);
  if (longer === undefined) return added;
  throw new FormatError(`ISO image is incomplete: ${longer.name} exceeds the end of the image`, {
    hint: COPY_AGAIN,
  });
}

/** Data to append. */
export interface Addition {
  readonly data: Patch['data'];
  /** Patches for the pointers to the data, which start at `offset` (bytes, start of a sector). */
  readonly pointAt: (offset: number) => readonly Patch[];
}

/** The field of a volume descriptor with the number of sectors, in both byte orders. */
const SPACE_SIZE = { offset: 80, length: 8 } as const;

/** What an image is to have besides its original contents. */
export interface NewAppendix {
  /** Data to append. */
  readonly additions: readonly Addition[];
  /** Appended data that stays where it is. */
  readonly kept: readonly ByteRange[];
  /** Patches of data in the original image. */
  readonly data: readonly Patch[];
  /** Patches of pointers to that data, and of data that is not used any more. */
  readonly pointers: readonly Patch[];
}

/**
 * Appends data, and updates the pointers to it, the size of the volume and the partition table. Data that earlier edits
 * appended, and that does not stay, is overwritten or cut off, because it may contain secrets. The stages overwrite nothing
 * of the original image that it still refers to.
 */
export async function replaceAppendix(
  tree: IsoTree,
  before: Appendix | undefined,
  { additions, kept, data, pointers: moved }: NewAppendix,
): Promise<ImageChange> {
  const { image } = tree;
  if (additions.length + kept.length === 0) {
    return before === undefined ? patchesOnly([...data, ...moved]) : restoreOriginals(tree, before, data);
  }
  const { originalSize, originals: recorded } = before ?? { originalSize: image.size, originals: [] };
  const keptEnd = kept.reduce((last, { offset, length }) => Math.max(last, offset + length), originalSize);
  const [appended, end] = placeFrom(keptEnd, additions);
  const pointers = additions.flatMap((addition, index) => addition.pointAt(appended[index]?.offset ?? 0));
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const sizes = { volumeBefore: tree.volume.volumeSpaceSize * SECTOR, sizeBefore: await endOf(tree, before) };
  const tablePlaces = table === undefined ? [] : changingPlaces(table, { ...sizes, volumeAfter: end });
  const changing = [...pointers.map(patchRange), ...spaceFields(tree), ...tablePlaces];
  const changed = recorded.filter(({ offset }) => moved.every((patch) => patch.offset !== offset));
  const originals = await rememberOriginals(image, changed, changing);
  const record = writeAppendix({ originalSize, originals });
  const resize = { ...sizes, volumeAfter: end + record.length };
  const { primary, backup, size } = moveTable(table, resize);
  const space = new Uint8Array(SPACE_SIZE.length);
  putBoth32(viewOf(space), 0, resize.volumeAfter / SECTOR);
  const written = [...appended, { offset: end, data: record }, ...backup];
  const used = [...kept, ...written.map(patchRange)];
  return checkDisjoint({
    stages: [
      [...data, ...written],
      spaceFields(tree).map(({ offset }) => ({ offset, data: space })),
      [...moved, ...pointers, ...primary, ...zerosIn({ start: originalSize, end: size }, used)],
      cutOff(image, size, sizes.sizeBefore),
    ],
    size,
  });
}

/** Returns the change that restores the original image; undefined if it has no appended data. */
export async function takeBackAppendix(tree: IsoTree): Promise<ImageChange | undefined> {
  const appendix = await readAppendix(tree);
  return appendix === undefined ? undefined : restoreOriginals(tree, appendix, []);
}

/**
 * Restores the original pointers and the original size. The volume descriptors are restored last, and the primary one as
 * the very last, because all versions of this program find the record through it.
 * @param data patches to write first
 */
async function restoreOriginals(
  tree: IsoTree,
  appendix: Appendix,
  data: readonly Patch[],
): Promise<ImageChange> {
  const { originals, originalSize } = appendix;
  const descriptors = spaceFields(tree).map(({ offset }) => offset);
  const rank = ({ offset }: Patch): number => descriptors.indexOf(offset);
  const isDescriptor = (patch: Patch): boolean => rank(patch) >= 0;
  return checkDisjoint({
    stages: [
      data,
      originals.filter((patch) => !isDescriptor(patch)),
      originals.filter(isDescriptor).toSorted((a, b) => rank(b) - rank(a)),
      cutOff(tree.image, originalSize, await endOf(tree, appendix)),
    ],
    size: originalSize,
  });
}

/** Where the image ends in bytes. With appended data, only the backup of the partition table follows the volume. */
async function endOf({ image, volume }: IsoTree, appendix: Appendix | undefined): Promise<number> {
  if (appendix === undefined) return image.size;
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  return endWithBackup(volume.volumeSpaceSize * SECTOR, table);
}

function endWithBackup(volumeEnd: number, table: PartitionTable | undefined): number {
  return volumeEnd + (table === undefined ? 0 : wholeSectors(backupSize(table)));
}

/** Patches for the bytes after the new end. A file is truncated there, but a block device keeps its size. */
function cutOff({ isDevice, size }: ImageAccess, newEnd: number, end: number): Patch[] {
  return isDevice === true ? zerosIn({ start: newEnd, end: Math.min(end, size) }, []) : [];
}

/** Patches that write zeros to all bytes from `start` to `end`, except for the ranges in use. */
function zerosIn(
  { start, end }: { readonly start: number; readonly end: number },
  used: readonly ByteRange[],
): Patch[] {
  const gaps = gapsIn({ offset: start, length: end - start }, used);
  return gaps.map(({ offset, length }) => ({ offset, data: zeros(length) }));
}

/** Rounds up to whole sectors. */
export function wholeSectors(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Places each addition at the start of a sector, the first one at or after `start`. Returns the end of the last one, too. */
function placeFrom(start: number, additions: readonly Addition[]): [Patch[], end: number] {
  let end = wholeSectors(start);
  const appended = additions.map(({ data }) => {
    const patch = { offset: end, data };
    end += wholeSectors(patchSource(patch).size);
    return patch;
  });
  if (end / SECTOR > 0xffff_fff0)
    throw new CliError('the image would exceed the maximum size of ISO 9660', { code: 'ERR_TOO_LARGE' });
  return [appended, end];
}

/** The sizes in the volume descriptors: where they are, and the end of the volume in bytes according to each. */
function spaceFields({ descriptors }: IsoTree): (ByteRange & { readonly end: number })[] {
  return descriptors.flatMap((descriptor, index) => {
    if (descriptor.type !== 'primary' && descriptor.type !== 'supplementary') return [];
    const offset = (SYSTEM_AREA_SECTORS + index) * SECTOR + SPACE_SIZE.offset;
    return [{ offset, length: SPACE_SIZE.length, end: descriptor.volumeSpaceSize * SECTOR }];
  });
}

/** Patches for a partition table and its backup, and the size of the image with them. */
function moveTable(
  table: PartitionTable | undefined,
  resize: Resize,
): Record<'primary' | 'backup', Patch[]> & { readonly size: number } {
  const size = endWithBackup(resize.volumeAfter, table);
  if (table === undefined) return { primary: [], backup: [], size };
  const { primary, backup } = resizePartitionTable(table, resize, size);
  return {
    size,
    primary: changingPlaces(table, resize).map(({ offset, length }) => ({
      offset,
      data: primary.subarray(offset, offset + length),
    })),
    backup: [{ offset: size - backup.length, data: backup }],
  };
}
