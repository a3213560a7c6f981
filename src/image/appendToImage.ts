/**
 * Data behind the end of an image, and what has to follow: the size of the volume in its descriptors, and the partition table
 * of hybrid images. `appendix.ts` remembers what was there. Nothing that is in use is overwritten before the image points
 * elsewhere.
 */

import { CliError } from '../core/errors.ts';
import {
  backupSize,
  changingPlaces,
  type PartitionTable,
  readPartitionTable,
  type Resize,
  resizePartitionTable,
} from '../formats/gpt.ts';
import { putBoth32, SECTOR, SYSTEM_AREA_SECTORS, viewOf } from '../formats/iso9660/fields.ts';
import { type Appendix, type Original, readAppendix, rememberOriginals, writeAppendix } from './appendix.ts';
import { checkDisjoint, type ImageChange } from './imageChange.ts';
import type { IsoTree } from './isoTree.ts';
import { type Patch, patchSource, type RandomAccess } from './overlay.ts';

/** An image, and the tree on it. */
export interface ImageWithTree {
  readonly image: RandomAccess;
  readonly tree: IsoTree;
}

/** Something to append. */
export interface Addition {
  readonly data: Patch['data'];
  /** What makes the image point at the data, which begin at `offset`: a whole sector, in bytes. */
  readonly pointAt: (offset: number) => readonly Patch[];
}

/** Where a volume descriptor has the number of its sectors, in both byte orders. */
const SPACE_SIZE = { offset: 80, length: 8 } as const;

/** Appends data, and makes the image point at them. */
export async function appendToImage(
  { image, tree }: ImageWithTree,
  additions: readonly Addition[],
): Promise<ImageChange> {
  const { appended, end } = placeBehind(image, additions);
  const pointers = additions.flatMap((addition, index) => addition.pointAt(appended[index]?.offset ?? 0));
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const before = { volumeBefore: tree.volume.volumeSpaceSize * SECTOR, sizeBefore: image.size };
  const tablePlaces = table === undefined ? [] : changingPlaces(table, { ...before, volumeAfter: end });
  const changing = [
    ...pointers.map(({ offset, data }) => ({ offset, length: patchSource({ offset, data }).size })),
    ...descriptorPlaces(tree),
    ...tablePlaces,
  ];
  const record = writeAppendix(await rememberOriginals(image, await readAppendix(image, tree), changing));
  const resize = { ...before, volumeAfter: end + record.length };
  const { primary, backup } = table === undefined ? noTable : moveTable(table, resize);
  return checkDisjoint({
    stages: [
      [...appended, { offset: end, data: record }, ...backup],
      spaceSizes(tree, resize.volumeAfter),
      [...pointers, ...primary],
    ],
  });
}

/** The image as it was before anything was appended; undefined for one that nothing was appended to. */
export async function takeBackAppendix({ image, tree }: ImageWithTree): Promise<ImageChange | undefined> {
  const appendix = await readAppendix(image, tree);
  return appendix === undefined ? undefined : restoreOriginals(tree, appendix, []);
}

/**
 * What gives the image its original size and bytes at the places that pointed behind its end. The descriptors come last, the
 * primary one after all others: as long as it is new, the record of the originals is found by every version of this program.
 * @param data what is written before
 */
export function restoreOriginals(
  tree: IsoTree,
  { originals, originalSize }: Appendix,
  data: readonly Patch[],
): ImageChange {
  const descriptors = descriptorPlaces(tree).map(({ offset }) => offset);
  const rank = ({ offset }: Patch): number => descriptors.indexOf(offset);
  const isDescriptor = (patch: Patch): boolean => rank(patch) >= 0;
  return checkDisjoint({
    stages: [
      data,
      originals.filter((patch) => !isDescriptor(patch)),
      originals.filter(isDescriptor).toSorted((left, right) => rank(right) - rank(left)),
    ],
    size: originalSize,
  });
}

/** Originals of what always changes when something is appended. */
export async function isOfEveryAppendix({
  image,
  tree,
}: ImageWithTree): Promise<(original: Original) => boolean> {
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const tableEnd = table?.bytes.length ?? 0;
  const descriptors = new Set(descriptorPlaces(tree).map(({ offset }) => offset));
  return ({ offset }) => offset < tableEnd || descriptors.has(offset);
}

/** So many bytes, up to the end of their last sector. */
export function wholeSectors(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Each at the start of a sector, none where the image has anything. */
function placeBehind(
  image: RandomAccess,
  additions: readonly Addition[],
): { readonly appended: readonly Patch[]; readonly end: number } {
  let end = wholeSectors(image.size);
  const appended = additions.map(({ data }) => {
    const patch = { offset: end, data };
    end += wholeSectors(patchSource(patch).size);
    return patch;
  });
  if (end / SECTOR > 0xffff_fff0) throw new CliError('the image would be larger than ISO 9660 allows');
  return { appended, end };
}

function descriptorPlaces({ descriptors }: IsoTree): { offset: number; length: number }[] {
  return descriptors.flatMap(({ type }, index) =>
    type === 'primary' || type === 'supplementary'
      ? [{ offset: (SYSTEM_AREA_SECTORS + index) * SECTOR + SPACE_SIZE.offset, length: SPACE_SIZE.length }]
      : [],
  );
}

function spaceSizes(tree: IsoTree, volumeSize: number): Patch[] {
  const data = new Uint8Array(SPACE_SIZE.length);
  putBoth32(viewOf(data), 0, volumeSize / SECTOR);
  return descriptorPlaces(tree).map(({ offset }) => ({ offset, data }));
}

interface MovedTable {
  readonly primary: readonly Patch[];
  readonly backup: readonly Patch[];
}

const noTable: MovedTable = { primary: [], backup: [] };

function moveTable(table: PartitionTable, resize: Resize): MovedTable {
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
