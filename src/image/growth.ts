/**
 * Embeds an archive that is larger than the reserved area. Boot loaders find the archive through the directory record of
 * its file. Therefore a larger archive is appended to the image, and the records of both trees (and the header `coreiso+`,
 * if there is one) are changed to point to it.
 */

import { CliError, FormatError } from '../core/errors.ts';
import { putBoth32, SECTOR, viewOf } from '../formats/iso9660/fields.ts';
import { formatCount } from '../formats/messageText.ts';
import { type Addition, type Appendix, replaceAppendix, treesOf, wholeSectors } from './appendix.ts';
import { type EmbedArea, type EmbedFiles, fillEmbedArea } from './embedArea.ts';
import type { ImageChange } from './imageChange.ts';
import type { IsoEntry, IsoTree } from './isoTree.ts';
import { type ByteRange, CHUNK, type RandomAccess } from './overlay.ts';

/** Whether a change may enlarge the image: not at all, for an archive of usual size, or for any archive. */
export type Growth = 'refused' | 'usual' | 'any';

export interface TreeWithArea {
  readonly tree: IsoTree;
  readonly area: EmbedArea;
  readonly growth: Growth;
}

/** Limit of unpacked bytes, which the host needs as memory. With too little memory, it boots with a part of the files. */
const USUAL_UNPACKED = 32 * 1024 * 1024;

/**
 * Fraction of an appended archive that is reserved after it. On every change, also of kernel arguments only,
 * coreos-installer compresses the archive with a slightly larger result, and fails if that does not fit.
 */
const SPARE = 1 / 16;

/** Fields of a directory record: sectors of the extended attributes, then first sector and size in both byte orders. */
const RECORD_EXTENT = { offset: 1, length: 17, sector: 1, size: 9 } as const;
/** The header of images before 2022: magic, then offset and length of the area. */
const AREA_HEADER = { offset: 32_744, magic: 'coreiso+', extent: 32_752, length: 16 } as const;

/** What earlier edits appended to an image, and the data that it is to have. */
export interface NewData {
  readonly before: Appendix | undefined;
  /** The files on the medium that earlier edits added. */
  readonly added: readonly IsoEntry[];
  /** More files for the medium. */
  readonly additions: readonly Addition[];
  /** All files of the embed area; undefined keeps the archive. */
  readonly files: EmbedFiles | undefined;
}

/**
 * Writes the files to the embed area, or appends them as an archive if they do not fit, and appends the additions. What
 * earlier edits wrote, and is not a part of the image any more, is overwritten or cut off.
 * @throws CliError if the files do not fit, and the image cannot or may not grow enough
 */
export async function replaceData(
  place: TreeWithArea,
  { added, additions, before, files }: NewData,
): Promise<ImageChange> {
  const { area, tree } = place;
  const kept = added.map(({ offset, size }): ByteRange => ({ offset, length: size }));
  const hasGrown = before !== undefined && area.offset >= before.originalSize;
  const reserved = hasGrown ? await reservedArea(place, before) : area;
  const emptied = fillEmbedArea(reserved, new Uint8Array());
  if (files === undefined) {
    const contents = hasGrown ? { kept: [...kept, area], pointers: emptied } : { kept, pointers: [] };
    return replaceAppendix(tree, before, { additions, data: [], ...contents });
  }
  const { writeInitrd } = await import('./initrd.ts');
  const archive = files.size === 0 ? new Uint8Array() : writeInitrd(files);
  if (archive.length > reserved.length) {
    if (archive.length > area.length) checkGrowth(place, archive, files);
    const all = [...additions, await additionOf(place, archive)];
    return replaceAppendix(tree, before, { additions: all, kept, data: [], pointers: emptied });
  }
  const places = hasGrown ? new Set((await areaPointers(place)).map(({ offset }) => offset)) : undefined;
  return replaceAppendix(tree, before, {
    additions,
    kept,
    data: fillEmbedArea(reserved, archive),
    pointers: before?.originals.filter(({ offset }) => places?.has(offset)) ?? [],
  });
}

/** A location on the image that contains the offset and the size of the area, in bytes. */
interface Pointer {
  readonly offset: number;
  readonly encode: (offset: number, size: number) => Uint8Array;
}

/** The archive with spare space after it. An image that may not grow has the space that it has now. */
async function additionOf(place: TreeWithArea, archive: Uint8Array): Promise<Addition> {
  const pointers = await areaPointers(place);
  const usual = wholeSectors(Math.ceil(archive.length * (1 + SPARE)));
  const size = place.growth === 'refused' ? Math.min(usual, place.area.length) : usual;
  const data = new Uint8Array(size);
  data.set(archive);
  return {
    data,
    pointAt: (start) => pointers.map(({ encode, offset }) => ({ offset, data: encode(start, size) })),
  };
}

async function areaPointers(place: TreeWithArea): Promise<Pointer[]> {
  const { tree, area } = place;
  const file = area.file ?? '';
  const pointers: Pointer[] = [];
  for (const it of (await treesOf(tree)).toReversed()) {
    const entry = await it.find(file);
    if (entry?.kind !== 'file' || entry.offset !== area.offset) continue;
    pointers.push({ offset: entry.recordOffset + RECORD_EXTENT.offset, encode: recordExtent });
  }
  if (await hasAreaHeader(tree.image)) {
    pointers.push({ offset: AREA_HEADER.extent, encode: headerExtent });
  }
  return pointers;
}

/** Whether the image has the header of images before 2022. */
export async function hasAreaHeader(image: RandomAccess): Promise<boolean> {
  const { offset, magic } = AREA_HEADER;
  return Buffer.from(await image.read(offset, magic.length)).toString('latin1') === magic;
}

function recordExtent(offset: number, size: number): Uint8Array {
  const bytes = new Uint8Array(RECORD_EXTENT.length);
  putBoth32(viewOf(bytes), RECORD_EXTENT.sector, offset / SECTOR);
  putBoth32(viewOf(bytes), RECORD_EXTENT.size, size);
  return bytes;
}

function headerExtent(offset: number, size: number): Uint8Array {
  const bytes = Buffer.alloc(AREA_HEADER.length);
  bytes.writeBigUInt64LE(BigInt(offset));
  bytes.writeBigUInt64LE(BigInt(size), 8);
  return bytes;
}

/** The original reserved area of an image whose area was appended. */
async function reservedArea(place: TreeWithArea, { originalSize, originals }: Appendix): Promise<EmbedArea> {
  const entry = await place.tree.find(place.area.file ?? '');
  const offset = (entry?.recordOffset ?? 0) + RECORD_EXTENT.offset;
  const original = originals.find((it) => it.offset === offset && it.data.length === RECORD_EXTENT.length);
  const view = original === undefined ? undefined : viewOf(original.data);
  if (view === undefined) throw new FormatError('the record of the original reserved area is missing');
  const reserved = {
    offset: (view.getUint8(0) + view.getUint32(RECORD_EXTENT.sector, true)) * SECTOR,
    length: view.getUint32(RECORD_EXTENT.size, true),
  };
  if (reserved.offset + reserved.length > originalSize) {
    throw new FormatError('the original reserved area exceeds the end of the original image');
  }
  return reserved;
}

function checkGrowth({ area, growth }: TreeWithArea, archive: Uint8Array, files: EmbedFiles): void {
  const missing = archive.length - area.length;
  const message = `Compressed initramfs is too large: ${archive.length} > ${area.length}`;
  if (area.file === undefined) {
    throw new CliError(message, {
      code: 'ERR_IMAGE_SPACE',
      hint: `remove at least ${formatCount(missing, 'byte')}; this image cannot grow, because its reserved area is a part of another file`,
    });
  }
  if (growth === 'refused') {
    throw new CliError(message, {
      code: 'ERR_IMAGE_SPACE',
      hint: `use --grow to enlarge the image, or serve large files over HTTP; the archive is ${formatCount(missing, 'byte')} too large`,
    });
  }
  const unpacked = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (growth === 'usual' && unpacked > USUAL_UNPACKED) {
    const [found, usual] = [unpacked, USUAL_UNPACKED].map((bytes) => Math.ceil(bytes / CHUNK));
    throw new CliError(
      `The embedded files require ${found} MiB of memory on the host, more than ${usual} MiB`,
      {
        code: 'ERR_TOO_LARGE',
        hint: 'use --force to embed them anyway; a host with too little memory boots with only a part of them',
      },
    );
  }
}
