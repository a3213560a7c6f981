/**
 * Masters ISO 9660 images: ISO level 1 names with Rock Ridge, path tables, and El Torito where images to boot are named.
 * Equal input gives equal bytes. Layout and content are separate: `layoutIso` needs sizes only, so large files can be
 * streamed to their places. Files of 4 GiB and more have several extents (level 3). Leaves out Joliet, links and deep
 * directories.
 */

import { type Extent, writeBootRecord, writeTerminator, writeVolumeDescriptor } from './descriptors.ts';
import { SELF, writeDirectoryRecord } from './directory.ts';
import { SECTOR, sectorsFor, SYSTEM_AREA_SECTORS, viewOf } from './fields.ts';
import { extensionReference, type FileSpec, foldersOf, writeFolder, writePathTable } from './folders.ts';

export interface IsoSpec {
  /** At most 32 printable ASCII characters; the live system finds its medium by it. */
  readonly volumeId: string;
  /** Stamped on everything. */
  readonly date: Date;
  /** Paths of the images to boot, which are files of the image. */
  readonly boot?: { readonly bios?: string; readonly efi?: string };
}

/** Bytes at their place in an image. */
interface Piece {
  readonly offset: number;
  readonly data: Uint8Array;
}

export interface IsoLayout {
  /** Bytes of the whole image. */
  readonly size: number;
  /** Everything but the content of files; what no piece covers is zero. Ordered, without overlap. */
  readonly pieces: readonly Piece[];
  /** Where the content of each file belongs, in bytes. */
  readonly files: ReadonlyMap<string, { readonly offset: number; readonly size: number }>;
}

/** Where everything goes on an image with these files. Files lie in the order given. */
export function layoutIso({ boot = {}, date, volumeId }: IsoSpec, files: readonly FileSpec[]): IsoLayout {
  let end = SYSTEM_AREA_SECTORS;
  const allocate = (sectors: number): number => {
    end += sectors;
    return end - sectors;
  };
  const isBootable = boot.bios !== undefined || boot.efi !== undefined;
  const folders = foldersOf(files);
  const extents = new Map<string, Extent>(files.map(({ path, size }) => [path, { sector: 0, size }]));

  const descriptorsAt = allocate(isBootable ? 3 : 2);
  const tableSize = writePathTable(folders, () => 0, 'little').length;
  const pathTable = {
    size: tableSize,
    littleEndianSector: allocate(sectorsFor(tableSize)),
    bigEndianSector: allocate(sectorsFor(tableSize)),
  };
  for (const folder of folders.values()) {
    const size = writeFolder(folder, { date, extents, folders, referenceSector: 0 }).length;
    extents.set(folder.path, { sector: allocate(size / SECTOR), size });
  }
  const referenceSector = allocate(1);
  const catalogAt = allocate(isBootable ? 1 : 0);
  // Empty files use no sectors; their sector is 0.
  for (const { path, size } of files) {
    if (size > 0) extents.set(path, { sector: allocate(sectorsFor(size)), size });
  }
  const placeOf = (path: string): Extent => extents.get(path) ?? { sector: 0, size: 0 };
  const sectorOf = (path: string): number => placeOf(path).sector;

  const root = placeOf('');
  const primary = writeVolumeDescriptor(
    { volumeId, volumeSpaceSize: end, root, date, pathTable },
    writeDirectoryRecord({
      ...root,
      identifier: SELF,
      isDirectory: true,
      date,
      systemUse: new Uint8Array(),
    }),
  );
  const images = (['bios', 'efi'] as const).flatMap((platform) => {
    const path = boot[platform];
    if (path === undefined) return [];
    const { sector, size } = placeOf(path);
    // BIOS loads the first 2048 bytes of a loader that loads the rest itself; EFI wants the whole file system.
    return [{ platform, sector, blocks: platform === 'bios' ? 4 : Math.ceil(size / 512) }];
  });
  const descriptors = [primary, ...(isBootable ? [writeBootRecord(catalogAt)] : []), writeTerminator()];
  const context = { date, extents, folders, referenceSector };
  const pieces: readonly (readonly [sector: number, data: Uint8Array])[] = [
    ...descriptors.map((data, index) => [descriptorsAt + index, data] as const),
    [pathTable.littleEndianSector, writePathTable(folders, sectorOf, 'little')],
    [pathTable.bigEndianSector, writePathTable(folders, sectorOf, 'big')],
    ...Array.from(
      folders.values(),
      (folder) => [sectorOf(folder.path), writeFolder(folder, context)] as const,
    ),
    [referenceSector, extensionReference],
    ...(isBootable ? [[catalogAt, writeBootCatalog(images)] as const] : []),
  ];
  return {
    size: end * SECTOR,
    pieces: pieces.map(([sector, data]) => ({ offset: sector * SECTOR, data })),
    files: new Map(files.map(({ path, size }) => [path, { offset: sectorOf(path) * SECTOR, size }])),
  };
}

/** An image to boot: where it starts, and how many blocks of 512 bytes the firmware loads. */
export interface BootImage {
  readonly platform: 'bios' | 'efi';
  readonly sector: number;
  readonly blocks: number;
}

const ENTRY = 32;
const PLATFORM_ID = { bios: 0, efi: 0xef } as const;
const BOOTABLE = 0x88;
const LAST_SECTION = 0x91;
const MORE_SECTIONS = 0x90;

/**
 * El Torito boot catalogue: which images firmware loads. Writes what live images have, one BIOS entry and one EFI entry
 * without emulation; leaves out floppy and disk emulation and selection criteria. One sector. The first image becomes
 * the default entry, every other one a section of its own.
 */
export function writeBootCatalog(images: readonly BootImage[]): Uint8Array {
  const catalog = new Uint8Array(SECTOR);
  const view = viewOf(catalog);
  const [first, ...others] = images;
  if (first === undefined) return catalog;
  catalog.set([1, PLATFORM_ID[first.platform]], 0);
  catalog.set([0x55, 0xaa], 30);
  view.setUint16(28, checksum(view), true);
  writeEntry(view, ENTRY, first);
  others.forEach((image, index) => {
    const header = ENTRY * (2 + index * 2);
    const isLast = index === others.length - 1;
    catalog.set([isLast ? LAST_SECTION : MORE_SECTIONS, PLATFORM_ID[image.platform], 1, 0], header);
    writeEntry(view, header + ENTRY, image);
  });
  return catalog;
}

function writeEntry(view: DataView, offset: number, { sector, blocks }: BootImage): void {
  view.setUint8(offset, BOOTABLE);
  // Firmware takes zero for all that follows.
  view.setUint16(offset + 6, blocks > 0xffff ? 0 : blocks, true);
  view.setUint32(offset + 8, sector, true);
}

/** All words of the validation entry add up to zero. */
function checksum(view: DataView): number {
  let sum = 0;
  for (let offset = 0; offset < ENTRY; offset += 2) sum += view.getUint16(offset, true);
  return -sum & 0xffff;
}
