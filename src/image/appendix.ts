/**
 * Appends data to an image, and removes it again. The volume then ends with a record of the original bytes of all changed
 * pointers. Therefore the original image can be restored also after other programs have edited the image.
 *
 * The record is JSON in whole sectors; its last 32 bytes are a magic, and the length and the CRC-32 of the JSON.
 */

import { append, largest } from '../core/lists.ts';
import { crc32 } from 'node:zlib';
import { CliError, FormatError } from '../core/errors.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
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
import { checkDisjoint, type ImageChange } from './imageChange.ts';
import { type IsoTree, openIsoTree } from './isoTree.ts';
import {
  type ByteRange,
  gapsIn,
  isByteCount,
  type Patch,
  patchRange,
  patchSource,
  type RandomAccess,
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

/** Adds the current bytes at `places` to the record. Bytes that are already recorded are older, and are kept. */
async function rememberOriginals(
  image: RandomAccess,
  appendix: Appendix | undefined,
  places: readonly ByteRange[],
): Promise<Appendix> {
  const { originalSize, originals } = appendix ?? { originalSize: image.size, originals: [] };
  const added: Original[] = [];
  for (const place of places) {
    for (const gap of gapsIn(place, originals.map(patchRange))) {
      added.push({ offset: gap.offset, data: await image.read(gap.offset, gap.length) });
    }
  }
  return { originalSize, originals: [...originals, ...added] };
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

/** Data to append. */
export interface Addition {
  readonly data: Patch['data'];
  /** Patches for the pointers to the data, which start at `offset` (bytes, start of a sector). */
  readonly pointAt: (offset: number) => readonly Patch[];
}

/** The field of a volume descriptor with the number of sectors, in both byte orders. */
const SPACE_SIZE = { offset: 80, length: 8 } as const;

/**
 * Appends data, and updates the pointers to it, the size of the volume and the partition table. The stages do not overwrite
 * data that the image still refers to.
 */
export async function appendToImage(tree: IsoTree, additions: readonly Addition[]): Promise<ImageChange> {
  const { image } = tree;
  const [appended, end] = placeBehind(image, additions);
  const pointers = additions.flatMap((addition, index) => addition.pointAt(appended[index]?.offset ?? 0));
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const before = { volumeBefore: tree.volume.volumeSpaceSize * SECTOR, sizeBefore: image.size };
  const tablePlaces = table === undefined ? [] : changingPlaces(table, { ...before, volumeAfter: end });
  const changing = [...pointers.map(patchRange), ...spaceFields(tree), ...tablePlaces];
  const record = writeAppendix(await rememberOriginals(image, await readAppendix(tree), changing));
  const resize = { ...before, volumeAfter: end + record.length };
  const { primary, backup } = moveTable(table, resize);
  const data = new Uint8Array(SPACE_SIZE.length);
  putBoth32(viewOf(data), 0, resize.volumeAfter / SECTOR);
  return checkDisjoint({
    stages: [
      [...appended, { offset: end, data: record }, ...backup],
      spaceFields(tree).map(({ offset }) => ({ offset, data })),
      [...pointers, ...primary],
    ],
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
export function restoreOriginals(
  tree: IsoTree,
  { originals, originalSize }: Appendix,
  data: readonly Patch[],
): ImageChange {
  const descriptors = spaceFields(tree).map(({ offset }) => offset);
  const rank = ({ offset }: Patch): number => descriptors.indexOf(offset);
  const isDescriptor = (patch: Patch): boolean => rank(patch) >= 0;
  return checkDisjoint({
    stages: [
      data,
      originals.filter((patch) => !isDescriptor(patch)),
      originals.filter(isDescriptor).toSorted((a, b) => rank(b) - rank(a)),
    ],
    size: originalSize,
  });
}

/** Whether an original belongs to the descriptors or the partition table, which change with every appended file. */
export async function isOfEveryAppendix(tree: IsoTree): Promise<(original: Original) => boolean> {
  const table = readPartitionTable(await tree.image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const tableEnd = table?.bytes.length ?? 0;
  const descriptors = new Set(spaceFields(tree).map(({ offset }) => offset));
  return ({ offset }) => offset < tableEnd || descriptors.has(offset);
}

/** Rounds up to whole sectors. */
export function wholeSectors(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Places each addition at the start of a sector after the end of the image. Returns the end of the last one, too. */
function placeBehind({ size }: RandomAccess, additions: readonly Addition[]): [Patch[], end: number] {
  let end = wholeSectors(size);
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

/** Patches for a partition table and its backup. */
function moveTable(table: PartitionTable | undefined, resize: Resize): Record<'primary' | 'backup', Patch[]> {
  if (table === undefined) return { primary: [], backup: [] };
  const imageSize = resize.volumeAfter + wholeSectors(backupSize(table));
  const { primary, backup } = resizePartitionTable(table, resize, imageSize);
  return {
    primary: changingPlaces(table, resize).map(({ offset, length }) => ({
      offset,
      data: primary.subarray(offset, offset + length),
    })),
    backup: [{ offset: imageSize - backup.length, data: backup }],
  };
}
