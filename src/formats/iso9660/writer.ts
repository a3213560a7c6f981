/**
 * Masters ISO 9660 images: ISO level 1 names with Rock Ridge, path tables, and El Torito where images to boot are named.
 * Equal input gives equal bytes. Layout and content are separate: `layoutIso` needs sizes only, so large files can be
 * streamed to their places. Files of 4 GiB and more have several extents (level 3). Leaves out Joliet, links and deep
 * directories.
 */

import { type Extent, writeBootRecord, writeTerminator, writeVolumeDescriptor } from './descriptors.ts';
import { SELF, writeDirectoryRecord } from './directory.ts';
import { DirectoryPlan } from './directoryPlan.ts';
import { SECTOR, sectorsFor, SYSTEM_AREA_SECTORS, viewOf } from './fields.ts';
import { writePathTable } from './pathTable.ts';
import { buildTree, type FileSpec } from './tree.ts';

export type { FileSpec } from './tree.ts';

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
export function layoutIso(spec: IsoSpec, files: readonly FileSpec[]): IsoLayout {
  const root = buildTree(files);
  const bootPaths = [spec.boot?.bios, spec.boot?.efi].filter((path) => path !== undefined);
  const isBootable = bootPaths.length > 0;

  const sectors = sectorAllocator(SYSTEM_AREA_SECTORS);
  const descriptorsAt = sectors(isBootable ? 3 : 2);
  const plan = new DirectoryPlan(root, spec.date);
  const tableSectors = sectorsFor(plan.pathTableSize);
  const pathTable = {
    size: plan.pathTableSize,
    littleEndianSector: sectors(tableSectors),
    bigEndianSector: sectors(tableSectors),
  };
  const base = sectors(sectorsFor(plan.size));
  const catalogAt = isBootable ? sectors(1) : 0;
  const extents = placeFiles(files, sectors);
  const totalSectors = sectors(0);

  const { volumeId, date } = spec;
  const rootExtent = plan.extentOf(root, base);
  const primary = writeVolumeDescriptor(
    { volumeId, volumeSpaceSize: totalSectors, root: rootExtent, date, pathTable },
    writeDirectoryRecord({
      ...rootExtent,
      identifier: SELF,
      isDirectory: true,
      date,
      systemUse: new Uint8Array(),
    }),
  );
  const bootRecords = isBootable ? [writeBootRecord(catalogAt)] : [];
  const descriptors = [primary, ...bootRecords, writeTerminator()];
  const directories = plan.pathTable(base);
  const pieces = [
    ...descriptors.map((data, index) => ({ offset: (descriptorsAt + index) * SECTOR, data })),
    { offset: pathTable.littleEndianSector * SECTOR, data: writePathTable(directories, 'little') },
    { offset: pathTable.bigEndianSector * SECTOR, data: writePathTable(directories, 'big') },
    { offset: base * SECTOR, data: plan.write(base, extents) },
    ...(isBootable
      ? [{ offset: catalogAt * SECTOR, data: writeBootCatalog(bootImages(spec, extents)) }]
      : []),
  ];
  return {
    size: totalSectors * SECTOR,
    pieces,
    files: new Map([...extents].map(([path, { sector, size }]) => [path, { offset: sector * SECTOR, size }])),
  };
}

/** Hands out consecutive sectors; each call returns the first of `count`. */
function sectorAllocator(start: number): (count: number) => number {
  let next = start;
  return (count) => {
    const first = next;
    next += count;
    return first;
  };
}

/** Empty files use no sectors; their sector is 0. */
function placeFiles(
  files: readonly FileSpec[],
  allocate: ReturnType<typeof sectorAllocator>,
): Map<string, Extent> {
  return new Map(
    files.map(({ path, size }) => [path, { sector: size === 0 ? 0 : allocate(sectorsFor(size)), size }]),
  );
}

function bootImages({ boot }: IsoSpec, extents: ReadonlyMap<string, Extent>): BootImage[] {
  const image = (platform: BootImage['platform'], path: string | undefined): BootImage[] => {
    if (path === undefined) return [];
    const { sector, size } = extents.get(path) ?? { sector: 0, size: 0 };
    // BIOS loads the first 2048 bytes of a loader that loads the rest itself; EFI wants the whole file system.
    const blocks = platform === 'bios' ? 4 : Math.ceil(size / 512);
    return [{ platform, sector, blocks }];
  };
  return [...image('bios', boot?.bios), ...image('efi', boot?.efi)];
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
