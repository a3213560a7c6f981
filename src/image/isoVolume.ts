/**
 * Where an image ends: its volume descriptors and its partition table state it, and change with the length of the image. A
 * hybrid image has a partition table, whose backup follows the volume.
 */

import { largest } from '../core/lists.ts';
import { backupSize, partitionsEnd, readPartitionTable, resizePartitionTable } from '../formats/gpt.ts';
import { putBoth32, SECTOR, SYSTEM_AREA_SECTORS, viewOf } from '../formats/iso9660/fields.ts';
import type { IsoTree } from './isoTree.ts';
import type { ByteRange, Patch } from './overlay.ts';

/** The field of a volume descriptor with the number of sectors, in both byte orders. */
const SPACE_SIZE = { offset: 80, length: 8 } as const;

/** Rounds up to whole sectors. */
export function wholeSectors(bytes: number): number {
  return Math.ceil(bytes / SECTOR) * SECTOR;
}

/** Number of bytes after the end of the volume and the partitions; 0 for a block device, which is larger than its image. */
export async function bytesBehind(tree: IsoTree): Promise<number> {
  const { image } = tree;
  if (image.isDevice === true) return 0;
  const partitions = partitionsEnd(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  const ends = spaceFields(tree).map(({ end }) => end);
  return Math.max(0, image.size - largest(ends, partitions));
}

/** The end of the volume in bytes, or of the backup of the partition table after it. */
export async function endOfImage({ image, volume }: IsoTree): Promise<number> {
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  return volume.volumeSpaceSize * SECTOR + (table === undefined ? 0 : wholeSectors(backupSize(table)));
}

export interface ResizedVolume {
  /** Patches of the descriptors and of the partition table. Their ranges do not depend on the new size. */
  readonly pointers: readonly Patch[];
  /** The backup of the partition table after the volume. */
  readonly backup: readonly Patch[];
  /** Size of the image in bytes. */
  readonly size: number;
}

/**
 * Moves the end of the volume, and of the partitions that end with it.
 * @param volumeAfter the new end in bytes
 */
export async function resizeVolume(tree: IsoTree, volumeAfter: number): Promise<ResizedVolume> {
  const { image, volume } = tree;
  const space = new Uint8Array(SPACE_SIZE.length);
  putBoth32(viewOf(space), 0, volumeAfter / SECTOR);
  const descriptors = spaceFields(tree).map(({ offset }) => ({ offset, data: space }));
  const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  if (table === undefined) return { pointers: descriptors, backup: [], size: volumeAfter };
  const resize = { volumeBefore: volume.volumeSpaceSize * SECTOR, sizeBefore: image.size, volumeAfter };
  const size = volumeAfter + wholeSectors(backupSize(table));
  const { changes, backup } = resizePartitionTable(table, resize, size);
  return {
    pointers: [...descriptors, ...changes],
    backup: [{ offset: size - backup.length, data: backup }],
    size,
  };
}

/** The sizes in the volume descriptors: where they are, and the end of the volume in bytes according to each. */
function spaceFields({ descriptors }: IsoTree): (ByteRange & { readonly end: number })[] {
  return descriptors.flatMap((descriptor, index) => {
    if (!('volumeSpaceSize' in descriptor)) return [];
    const offset = (SYSTEM_AREA_SECTORS + index) * SECTOR + SPACE_SIZE.offset;
    return [{ offset, length: SPACE_SIZE.length, end: descriptor.volumeSpaceSize * SECTOR }];
  });
}
