/**
 * Embeds an archive that is larger than the reserved area. Boot loaders find the archive through the directory record of
 * its file. Therefore a larger archive is appended to the image, and the records of both trees (and the header `coreiso+`,
 * if there is one) are changed to point to it.
 */

import { CliError } from '../core/errors.ts';
import { putBoth32, SECTOR, viewOf } from '../formats/iso9660/fields.ts';
import { formatCount } from '../formats/messageText.ts';
import type { EmbedArea, EmbedFiles } from './embedArea.ts';
import type { IsoTree } from './isoTree.ts';
import { wholeSectors } from './isoVolume.ts';
import { CHUNK, hasTextAt, type Patch, type RandomAccess } from './overlay.ts';

/** Whether a change may enlarge the image: not at all, for an archive of usual size, or for any archive. */
export type Growth = 'refused' | 'usual' | 'any';

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

export interface Addition {
  readonly data: Patch['data'];
  /** Bytes that it occupies. */
  readonly size: number;
  /** Patches for the pointers to the data, which start at `offset` (bytes, start of a sector). */
  readonly pointAt: (offset: number) => readonly Patch[];
}

/**
 * Returns the archive with spare space after it. An image that may not grow has the space that it has now.
 * @param trees of the original image
 * @param area its reserved area
 * @param current the area that the image has now
 */
export async function planArchive(
  trees: readonly IsoTree[],
  area: EmbedArea,
  archive: Uint8Array,
  current: EmbedArea,
  growth: Growth,
): Promise<Addition> {
  const usual = wholeSectors(Math.ceil(archive.length * (1 + SPARE)));
  const size = growth === 'refused' ? Math.min(usual, current.length) : usual;
  const places: ((offset: number) => Patch)[] = [];
  for (const tree of trees) {
    const entry = await tree.find(area.file ?? '');
    if (entry?.kind !== 'file' || entry.offset !== area.offset) continue;
    places.push((offset) => ({
      offset: entry.recordOffset + RECORD_EXTENT.offset,
      data: recordExtent(offset, size),
    }));
    if (tree.names === 'primary' && (await hasAreaHeader(tree.image)))
      places.push((offset) => ({ offset: AREA_HEADER.extent, data: headerExtent(offset, size) }));
  }
  return { data: archive, size, pointAt: (offset) => places.map((place) => place(offset)) };
}

/** Whether the image has the header of images before 2022. */
export async function hasAreaHeader(image: RandomAccess): Promise<boolean> {
  return hasTextAt(image, AREA_HEADER.offset, AREA_HEADER.magic);
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

/** @throws CliError if the archive does not fit in the area, and the image cannot or may not become larger for it */
export function checkGrowth(area: EmbedArea, archive: Uint8Array, files: EmbedFiles, growth: Growth): void {
  const missing = archive.length - area.length;
  if (missing <= 0) return;
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
