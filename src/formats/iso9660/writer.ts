/**
 * Masters ISO 9660 images: ISO level 1 names with Rock Ridge, a Joliet tree, path tables, and El Torito where images to
 * boot are named. Equal input gives equal bytes. Layout and content are separate: `layoutIso` needs sizes only, so large
 * files can be streamed to their places. Files of 4 GiB and more have several extents (level 3). Leaves out links and deep
 * directories.
 */

import { FormatError } from '../../core/errors.ts';
import {
  type Extent,
  type NameEncoding,
  type PathTablePlace,
  writeBootRecord,
  writeTerminator,
  writeVolumeDescriptor,
} from './descriptors.ts';
import { planDirectories, type DirectoryPlan } from './directoryPlan.ts';
import { writeDirectoryRecord, SELF } from './directory.ts';
import { writeBootCatalog, type BootImage } from './elTorito.ts';
import { SECTOR, sectorsFor, SYSTEM_AREA_SECTORS } from './fields.ts';
import { writePathTable } from './pathTable.ts';
import { buildTree, type FileSpec } from './tree.ts';

export type { FileSpec } from './tree.ts';

export interface IsoSpec {
  /** At most 32 characters; the live system finds its medium by it. */
  readonly volumeId: string;
  readonly systemId?: string;
  readonly applicationId?: string;
  /** Stamped on everything. */
  readonly date: Date;
  /** Paths of the images to boot, which are files of the image. */
  readonly boot?: { readonly bios?: string; readonly efi?: string };
}

/** Bytes at their place in an image. */
export interface Piece {
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

/** A whole image in memory. */
export function writeIso(spec: IsoSpec, files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const layout = layoutIso(
    spec,
    [...files].map(([path, data]) => ({ path, size: data.length })),
  );
  const image = new Uint8Array(layout.size);
  for (const { offset, data } of layout.pieces) image.set(data, offset);
  for (const [path, { offset }] of layout.files) image.set(files.get(path) ?? [], offset);
  return image;
}

/**
 * Where everything goes on an image with these files. Files lie in the order given.
 * @throws FormatError for names, sizes or depths that the format cannot express
 */
export function layoutIso(spec: IsoSpec, files: readonly FileSpec[]): IsoLayout {
  checkVolumeId(spec.volumeId);
  const root = buildTree(files);
  const plans = { primary: planDirectories(root, 'primary'), joliet: planDirectories(root, 'joliet') };
  const bootPaths = [spec.boot?.bios, spec.boot?.efi].filter((path) => path !== undefined);

  const sectors = sectorAllocator(SYSTEM_AREA_SECTORS);
  const descriptorsAt = sectors(bootPaths.length > 0 ? 4 : 3);
  const pathTables = {
    primary: placePathTable(plans.primary, sectors),
    joliet: placePathTable(plans.joliet, sectors),
  };
  const primaryAt = placeDirectories(plans.primary, sectors);
  const jolietAt = placeDirectories(plans.joliet, sectors);
  const catalogAt = bootPaths.length > 0 ? sectors(1) : 0;
  const extents = placeFiles(files, sectors);
  const totalSectors = sectors(0);

  const describe = (names: NameEncoding, rootExtent: Extent): Uint8Array =>
    writeVolumeDescriptor(
      names,
      {
        systemId: spec.systemId ?? 'LINUX',
        volumeId: spec.volumeId,
        volumeSpaceSize: totalSectors,
        root: rootExtent,
        date: spec.date,
        applicationId: spec.applicationId ?? '',
        pathTable: pathTables[names],
      },
      rootRecord(rootExtent, spec.date),
    );
  const descriptors = [
    describe('primary', plans.primary.extentOf(root, primaryAt)),
    ...(bootPaths.length > 0 ? [writeBootRecord(catalogAt)] : []),
    describe('joliet', plans.joliet.extentOf(root, jolietAt)),
    writeTerminator(),
  ];
  const pieces = [
    ...descriptors.map((data, index) => ({ offset: (descriptorsAt + index) * SECTOR, data })),
    ...pathTablePieces(plans.primary, pathTables.primary, primaryAt),
    ...pathTablePieces(plans.joliet, pathTables.joliet, jolietAt),
    { offset: primaryAt * SECTOR, data: plans.primary.write({ base: primaryAt, extents, date: spec.date }) },
    { offset: jolietAt * SECTOR, data: plans.joliet.write({ base: jolietAt, extents, date: spec.date }) },
    ...(catalogAt > 0
      ? [{ offset: catalogAt * SECTOR, data: writeBootCatalog(bootImages(spec, extents)) }]
      : []),
  ];
  return { size: totalSectors * SECTOR, pieces, files: byteRanges(extents) };
}

function checkVolumeId(volumeId: string): void {
  if (!/^[\x20-\x7e]{1,32}$/.test(volumeId)) {
    throw new FormatError(`not a volume ID: ${JSON.stringify(volumeId)}`, {
      hint: 'use 1 to 32 characters of ASCII',
    });
  }
}

/** Hands out consecutive sectors; each call returns the first of `count`. */
function sectorAllocator(start: number): (count: number) => number {
  let next = start;
  return (count) => {
    const first = next;
    next += count;
    if (next > 0xffff_ffff) throw new FormatError('the image would be larger than ISO 9660 allows');
    return first;
  };
}

type Allocate = ReturnType<typeof sectorAllocator>;

function placePathTable(plan: DirectoryPlan, allocate: Allocate): PathTablePlace {
  const count = sectorsFor(plan.pathTableSize);
  return { size: plan.pathTableSize, littleEndianSector: allocate(count), bigEndianSector: allocate(count) };
}

function placeDirectories(plan: DirectoryPlan, allocate: Allocate): number {
  return allocate(sectorsFor(plan.size));
}

/** Empty files have no place; sector 0 is what stands for that. */
function placeFiles(files: readonly FileSpec[], allocate: Allocate): Map<string, Extent> {
  return new Map(
    files.map(({ path, size }) => [path, { sector: size === 0 ? 0 : allocate(sectorsFor(size)), size }]),
  );
}

function rootRecord(extent: Extent, date: Date): Uint8Array {
  return writeDirectoryRecord({
    ...extent,
    identifier: SELF,
    isDirectory: true,
    date,
    systemUse: new Uint8Array(),
  });
}

function pathTablePieces(plan: DirectoryPlan, place: PathTablePlace, base: number): Piece[] {
  const entries = plan.pathTable(base);
  return [
    { offset: place.littleEndianSector * SECTOR, data: writePathTable(entries, 'little') },
    { offset: place.bigEndianSector * SECTOR, data: writePathTable(entries, 'big') },
  ];
}

function bootImages({ boot }: IsoSpec, extents: ReadonlyMap<string, Extent>): BootImage[] {
  const image = (platform: BootImage['platform'], path: string | undefined): BootImage[] => {
    if (path === undefined) return [];
    const extent = extents.get(path);
    if (extent === undefined) throw new FormatError(`the image to boot is not among the files: ${path}`);
    // BIOS loads the first 2048 bytes of a loader that loads the rest itself; EFI wants the whole file system.
    const blocks = platform === 'bios' ? 4 : Math.ceil(extent.size / 512);
    return [{ platform, sector: extent.sector, blocks }];
  };
  return [...image('bios', boot?.bios), ...image('efi', boot?.efi)];
}

function byteRanges(extents: ReadonlyMap<string, Extent>): IsoLayout['files'] {
  return new Map([...extents].map(([path, { sector, size }]) => [path, { offset: sector * SECTOR, size }]));
}
