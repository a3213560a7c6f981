/**
 * What was appended to an image behind its own end, and how to take it back. The last sector of such a volume belongs to a
 * record of the bytes that were there before something began to point at the appended data, so that undoing gives the
 * original image also after other programs have edited this one.
 *
 * The record is JSON, and ends with its sector: magic, length and CRC-32 of the JSON in the last 32 bytes.
 */

import { crc32 } from 'node:zlib';
import { CliError, FormatError } from '../core/errors.ts';
import {
  backupSize,
  changingPlaces,
  partitionsEnd,
  type PartitionTable,
  readPartitionTable,
  type Resize,
  resizePartitionTable,
} from '../formats/gpt.ts';
import type { VolumeDescriptor } from '../formats/iso9660/descriptors.ts';
import { parseJsonObject } from '../formats/mapping.ts';
import { putBoth32, SECTOR, SYSTEM_AREA_SECTORS, viewOf } from '../formats/iso9660/fields.ts';
import { checkDisjoint, type ImageChange } from './imageChange.ts';
import type { IsoTree } from './isoTree.ts';
import { type ByteRange, type ImageAccess, type Patch, patchSource, type RandomAccess } from './overlay.ts';

export interface Appendix {
  /** Bytes of the image before anything was appended. */
  readonly originalSize: number;
  /** Bytes that the image had at other places before they were changed to point behind its end. No two overlap. */
  readonly originals: readonly Original[];
}

interface Original {
  readonly offset: number;
  readonly data: Uint8Array;
}

const MAGIC = 'ironic-coreos/1\0';
const FOOTER = 32;
/** Bytes of JSON: some twenty records of directories need a tenth of it. */
const MAX_JSON = 256 * 1024;
const MAX_ORIGINALS = 1000;

/**
 * Undefined for an image that nothing was appended to. Where an edit was interrupted by other means than those of this
 * program, the record can be behind the volume: then it is found from another descriptor, or from the end of the image.
 * @throws FormatError where the record is damaged
 */
export async function readAppendix(image: RandomAccess, tree: IsoTree): Promise<Appendix | undefined> {
  for (const end of await findEnds(image, tree)) {
    const appendix = await readRecord(image, end);
    if (appendix !== undefined) return appendix;
  }
  return undefined;
}

/** Where the record may end; of an image that is as long as its volume, only there. */
async function findEnds(image: RandomAccess, { volume, descriptors }: IsoTree): Promise<Set<number>> {
  const ends = [volume.volumeSpaceSize * SECTOR];
  if (image.size > volume.volumeSpaceSize * SECTOR) {
    const table = readPartitionTable(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
    const backup = table === undefined ? 0 : Math.ceil(backupSize(table) / SECTOR) * SECTOR;
    ends.push(...volumeEnds(descriptors), image.size - backup, image.size);
  }
  return new Set(ends.filter((end) => end >= SECTOR && end <= image.size && end % SECTOR === 0));
}

async function readRecord(image: RandomAccess, end: number): Promise<Appendix | undefined> {
  const footer = Buffer.from(await image.read(end - FOOTER, FOOTER));
  if (footer.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const length = footer.readUInt32LE(MAGIC.length);
  const start = end - sizeFor(length);
  if (length > MAX_JSON || start < 0) throw damaged('its length is impossible');
  const text = Buffer.from(await image.read(start, length));
  if (crc32(text) !== footer.readUInt32LE(MAGIC.length + 4)) throw damaged('its checksum does not match');
  return checkedAppendix(text.toString('utf8'), start);
}

/** Whole sectors, the last of the volume. */
function writeAppendix({ originalSize, originals }: Appendix): Uint8Array {
  const listed = originals.map(({ offset, data }) => [offset, Buffer.from(data).toString('base64')]);
  const json = Buffer.from(JSON.stringify({ originalSize, originals: listed }));
  const bytes = Buffer.alloc(sizeFor(json.length));
  json.copy(bytes);
  const footer = bytes.subarray(bytes.length - FOOTER);
  footer.write(MAGIC, 'latin1');
  footer.writeUInt32LE(json.length, MAGIC.length);
  footer.writeUInt32LE(crc32(json), MAGIC.length + 4);
  return bytes;
}

/**
 * The appendix with what the image has now at `places`; what is known of them already is older, and stays.
 */
async function rememberOriginals(
  image: RandomAccess,
  appendix: Appendix | undefined,
  places: readonly ByteRange[],
): Promise<Appendix> {
  const { originalSize, originals } = appendix ?? { originalSize: image.size, originals: [] };
  const added: Original[] = [];
  for (const place of places) {
    for (const gap of gapsIn(place, originals)) {
      added.push({ offset: gap.offset, data: await image.read(gap.offset, gap.length) });
    }
  }
  return { originalSize, originals: [...originals, ...added] };
}

function sizeFor(jsonLength: number): number {
  return Math.ceil((jsonLength + FOOTER) / SECTOR) * SECTOR;
}

function damaged(problem: string): FormatError {
  return new FormatError(`the record of what was appended to the image is damaged: ${problem}`, {
    hint: 'the original image cannot be restored from this one; download it again',
  });
}

function checkedAppendix(text: string, end: number): Appendix {
  const { originalSize, originals } = parseJsonObject(text, () => damaged('it is not a JSON object'));
  if (!isOffset(originalSize) || originalSize > end) throw damaged('it names an impossible size');
  if (!Array.isArray(originals) || originals.length > MAX_ORIGINALS) throw damaged('it has no list of bytes');
  const list: readonly unknown[] = originals;
  return { originalSize, originals: list.map((original) => checkedOriginal(original, originalSize)) };
}

function checkedOriginal(original: unknown, originalSize: number): Original {
  const [offset, text]: readonly unknown[] = Array.isArray(original) ? original : [];
  if (!isOffset(offset) || typeof text !== 'string') throw damaged('it has an entry without offset or bytes');
  const data = Buffer.from(text, 'base64');
  if (offset + data.length > originalSize) throw damaged('it has an entry beyond the original image');
  return { offset, data };
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** What of a range none of the known ones covers. */
function gapsIn(range: ByteRange, known: readonly Original[]): ByteRange[] {
  let gaps: ByteRange[] = [range];
  for (const { offset, data } of known) {
    const end = offset + data.length;
    gaps = gaps.flatMap((gap) => {
      const gapEnd = gap.offset + gap.length;
      if (end <= gap.offset || offset >= gapEnd) return [gap];
      return [
        { offset: gap.offset, length: Math.max(0, offset - gap.offset) },
        { offset: end, length: Math.max(0, gapEnd - end) },
      ].filter(({ length }) => length > 0);
    });
  }
  return gaps;
}

// Where an image ends by what it says itself. What is behind that, only an edit that was interrupted can have left there.

/** In bytes, as each descriptor says it: the same in all of them, if the image is not damaged. */
export function volumeEnds(descriptors: readonly VolumeDescriptor[]): number[] {
  return descriptors.flatMap((descriptor) =>
    descriptor.type === 'primary' || descriptor.type === 'supplementary'
      ? [descriptor.volumeSpaceSize * SECTOR]
      : [],
  );
}

/** Bytes behind the end of the volume and of the partitions; those of a device belong to nobody. */
export async function bytesBehind(image: ImageAccess, { descriptors }: IsoTree): Promise<number> {
  if (image.isDevice === true) return 0;
  const partitions = partitionsEnd(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  return Math.max(0, image.size - Math.max(partitions, ...volumeEnds(descriptors)));
}

// Data behind the end of an image, and what has to follow: the size of the volume in its descriptors, and the partition table
// of hybrid images. The record above has the bytes that were there before. Nothing that is in use is overwritten before the image points
// elsewhere.

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
  if (end / SECTOR > 0xffff_fff0)
    throw new CliError('the image would be larger than ISO 9660 allows', { code: 'ERR_TOO_LARGE' });
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
