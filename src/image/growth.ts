/**
 * Embeds an archive that is larger than the reserved area. Boot loaders find the archive through the directory record of
 * its file. Therefore a larger archive is appended to the image, and the records of both trees (and the header `coreiso+`,
 * if there is one) are changed to point to it.
 */

import { CliError, FormatError } from '../core/errors.ts';
import { putBoth32, SECTOR, viewOf } from '../formats/iso9660/fields.ts';
import { formatCount } from '../formats/messageText.ts';
import {
  type Addition,
  type Appendix,
  appendToImage,
  isOfEveryAppendix,
  readAppendix,
  restoreOriginals,
  treesOf,
  wholeSectors,
} from './appendix.ts';
import { type EmbedArea, type EmbedFiles, fillEmbedArea } from './embedArea.ts';
import { bothChanges, checkDisjoint, type ImageChange, patchesOnly } from './imageChange.ts';
import type { IsoTree } from './isoTree.ts';
import { CHUNK, type Patch, type RandomAccess } from './overlay.ts';

/** Whether a change may enlarge the image: not at all, for an archive of usual size, or for any archive. */
export type Growth = 'refused' | 'usual' | 'any';

export interface TreeWithArea {
  readonly tree: IsoTree;
  readonly area: EmbedArea;
  readonly growth: Growth;
}

/** Limit of unpacked bytes, which the host needs as memory. With too little memory, it boots with a part of the files. */
const USUAL_UNPACKED = 32 * 1024 * 1024;

/** Maximum ratio of the sizes of gzip and xz, for texts with many repeated parts. */
const MOST_XZ_SAVES = 4;
/** Usual ratio of the sizes of gzip and xz. If the image may grow, xz is not tried beyond it. */
const LIKELY_XZ_SAVES = 1.25;

/**
 * Fraction of an appended archive that is reserved after it. On every change, also of kernel arguments only,
 * coreos-installer compresses the archive with a slightly larger result, and fails if that does not fit.
 */
const SPARE = 1 / 16;

/** Fields of a directory record: sectors of the extended attributes, then first sector and size in both byte orders. */
const RECORD_EXTENT = { offset: 1, length: 17, sector: 1, size: 9 } as const;
/** The header of images before 2022: magic, then offset and length of the area. */
const AREA_HEADER = { offset: 32_744, magic: 'coreiso+', extent: 32_752, length: 16 } as const;

/**
 * Writes the files to the embed area, and appends the additions. If an earlier edit appended the archive, and it now fits
 * into the reserved area, it is moved there, unless there are additions.
 * @param writeXz returns the files as an archive of `writeInitrd`; undefined if they are to be compressed here
 * @throws CliError if the files do not fit, and the image cannot or may not grow enough
 */
export async function changeEmbedFiles(
  place: TreeWithArea,
  files: EmbedFiles,
  additions: readonly Addition[],
  writeXz: (() => Uint8Array) | undefined,
): Promise<ImageChange> {
  const { area, growth } = place;
  const appendix = await readAppendix(place.tree);
  const hasGrown = appendix !== undefined && area.offset >= appendix.originalSize;
  const reserved = hasGrown ? await reservedArea(place, appendix) : area;
  const hopeless = reserved.length * (growth === 'refused' ? MOST_XZ_SAVES : LIKELY_XZ_SAVES);
  const { encodeEmbedFiles } = await import('./initrd.ts');
  const archive = encodeEmbedFiles(files, hopeless, writeXz);
  if (hasGrown && archive.length <= reserved.length && additions.length === 0) {
    return shrink(place, appendix, fillEmbedArea(reserved, archive));
  }
  if (archive.length <= area.length) {
    const filled = patchesOnly(fillEmbedArea(area, archive));
    return additions.length === 0 ? filled : bothChanges(filled, await appendToImage(place.tree, additions));
  }
  checkGrowth(place, archive, files);
  return appendToImage(place.tree, [...additions, await additionOf(place, archive)]);
}

/** A location on the image that contains the offset and the size of the area, in bytes. */
interface Pointer {
  readonly offset: number;
  readonly encode: (offset: number, size: number) => Uint8Array;
}

/** The archive with spare space after it. */
async function additionOf(place: TreeWithArea, archive: Uint8Array): Promise<Addition> {
  const pointers = await areaPointers(place);
  const size = wholeSectors(Math.ceil(archive.length * (1 + SPARE)));
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

/** @param data patches of the original reserved area */
async function shrink(place: TreeWithArea, appendix: Appendix, data: readonly Patch[]): Promise<ImageChange> {
  const pointers = new Set((await areaPointers(place)).map(({ offset }) => offset));
  const isCommon = await isOfEveryAppendix(place.tree);
  const isOnlyAppended = appendix.originals.every((it) => pointers.has(it.offset) || isCommon(it));
  if (isOnlyAppended) return restoreOriginals(place.tree, appendix, data);
  return checkDisjoint({ stages: [data, appendix.originals.filter(({ offset }) => pointers.has(offset))] });
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
