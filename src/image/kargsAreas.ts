/**
 * The areas of a live ISO that are reserved for kernel arguments: in the menu of each boot loader, or in the boot image of
 * s390x. All areas contain the same arguments. `coreos/kargs.json` lists the areas; images before 2021-09 have the header
 * `coreKarg` instead. The invalid header `corekarg` of a few images of 2020 is ignored, as in coreos-installer.
 */

import { isUtf8 } from 'node:buffer';
import { formatCount } from '../formats/messageText.ts';
import { CliError, FormatError } from '../core/errors.ts';
import { isMapping } from '../formats/mapping.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import { checkDisjoint } from './imageChange.ts';
import { type IsoEntry, type IsoTree, readJsonFile } from './isoTree.ts';
import { trimEndOf } from '../core/trimming.ts';
import { trimSpace } from '../formats/goText.ts';
import { isByteCount, type Patch, type RandomAccess, zeros } from './overlay.ts';
import { livePaths } from './livePaths.ts';

/** The areas without their contents, which is sufficient to repair them. */
export interface KargsLayout {
  /** Size of each area in bytes, including one byte for the character at the end of the arguments. */
  readonly length: number;
  /** The arguments of the released image. */
  readonly defaults: string;
  /** Sorted by offset. */
  readonly places: readonly KargsPlace[];
  /** Undefined for images before 2021-09. */
  readonly info?: KargsInfo;
}

export interface KargsAreas extends KargsLayout {
  /** The arguments that all areas contain. */
  readonly current: string;
}

/** `coreos/kargs.json` */
interface KargsInfo {
  readonly entry: IsoEntry;
  /** In the order of the file; offsets are in bytes from the start of the file at `path`. */
  readonly files: readonly KargsFile[];
}

interface KargsFile extends KargsPlace {
  readonly path: string;
}

interface KargsPlace {
  /** In bytes from the start of the image. */
  readonly offset: number;
  /** Character that fills the rest of the area, from `kargs.json` (default: `#`). */
  readonly pad?: string;
  /** Character after the arguments, from `kargs.json` (default: a line feed). */
  readonly end?: string;
}

/** Limit of the kernel on x86_64. */
const MAX_LENGTH = 2048;
const DEFAULT_PAD = '#';
const DEFAULT_END = '\n';

/** The 72 bytes of the header, which ends where the header of the embed area begins. */
const HEADER = { offset: 32_672, magic: 'coreKarg', length: 8, defaults: 16, places: 24, size: 72 };
const REPAIR =
  'use `iso reset --force` to restore the default kernel arguments; it also removes all embedded files';

/**
 * Undefined if the image reserves no areas.
 * @throws FormatError if the areas are invalid, or their arguments differ
 */
export async function findKargsAreas(tree: IsoTree): Promise<KargsAreas | undefined> {
  const layout = await findKargsLayout(tree);
  if (layout === undefined) return undefined;
  let current: string | undefined;
  for (const place of layout.places) {
    const found = await readKargs(tree.image, layout.length, place, REPAIR);
    current ??= found;
    if (found === current) continue;
    throw new FormatError(
      `kargs don't match at all offsets! (expected '${current}', but offset ${place.offset} has: '${found}')`,
      { offset: place.offset, hint: REPAIR },
    );
  }
  return { ...layout, current: current ?? layout.defaults };
}

/** @throws FormatError if an area is outside of the image, or areas overlap */
export async function findKargsLayout(tree: IsoTree): Promise<KargsLayout | undefined> {
  const described = (await readInfo(tree)) ?? (await readHeader(tree.image));
  if (described === undefined) return undefined;
  const { defaults, info, length } = described;
  const defaultSize = Buffer.byteLength(defaults);
  if (defaultSize > length) {
    throw damaged(`default kargs size ${defaultSize} larger than embed areas (${length})`);
  }
  // Sorted by offset. An area that is listed twice, for example because a file has two names, is returned once.
  const places: KargsPlace[] = [];
  for (const place of described.places.toSorted((a, b) => a.offset - b.offset)) {
    const previous = places.at(-1);
    const { offset, pad, end } = place;
    if (previous?.offset !== offset || previous.pad !== pad || previous.end !== end) places.push(place);
  }
  const last = places.at(-1);
  if (last === undefined) throw damaged('No karg embed areas found; corrupted CoreOS ISO image.');
  if (!Number.isSafeInteger(last.offset) || last.offset + length > tree.image.size) {
    throw damaged(`karg embed area at ${last.offset} exceeds the end of the image`);
  }
  checkDisjoint({ patches: places.map(({ offset }) => ({ offset, data: zeros(length) })) });
  return { defaults, length, places, ...(info !== undefined && { info }) };
}

/** @throws CliError if the image has no areas */
export function requireKargsAreas<T extends KargsLayout>(areas: T | undefined): T {
  if (areas !== undefined) return areas;
  throw new CliError('No karg embed areas found; old or corrupted CoreOS ISO image.', {
    code: 'ERR_IMAGE',
    hint: 'use an image of 2020-10 or later; older images reserve no area for kernel arguments',
  });
}

/**
 * Returns patches that write the arguments to all areas.
 * @throws CliError if the image has no areas, or the arguments do not fit
 */
export function writeKargs(areas: KargsLayout | undefined, kargs: string): Patch[] {
  const { length, places } = requireKargsAreas(areas);
  const text = trimSpace(kargs);
  const needed = Buffer.byteLength(text) + 1;
  if (needed > length) {
    throw new CliError(`kargs too large for area: ${needed} vs ${length}`, {
      code: 'ERR_IMAGE_SPACE',
      hint: `shorten the kernel arguments by at least ${formatCount(needed - length, 'byte')}`,
    });
  }
  return places.map(({ offset, pad = DEFAULT_PAD, end = DEFAULT_END }) => {
    const data = Buffer.alloc(length, pad);
    data.write(text + end);
    return { offset, data };
  });
}

async function readKargs(
  image: RandomAccess,
  length: number,
  { offset, pad = DEFAULT_PAD, end = DEFAULT_END }: KargsPlace,
  hint: string,
): Promise<string> {
  const bytes = await image.read(offset, length);
  if (!isUtf8(bytes))
    throw new FormatError(`invalid UTF-8 in karg area at offset ${offset}`, { offset, hint });
  return trimSpace(trimEndOf(trimEndOf(Buffer.from(bytes).toString(), pad), end));
}

/** An error in data of the release, which no command can restore. */
function damaged(message: string, cause?: unknown): FormatError {
  return new FormatError(message, { hint: DOWNLOAD_AGAIN, cause });
}

function invalidInfo(problem: string, cause?: unknown): FormatError {
  return damaged(`${livePaths.kargsInfo} on the image ${problem}`, cause);
}

async function readInfo(tree: IsoTree): Promise<KargsLayout | undefined> {
  const info = await readJsonFile(tree, livePaths.kargsInfo, invalidInfo);
  if (info === undefined) return undefined;
  const { default: defaults, files, size } = info.object;
  if (typeof defaults !== 'string') throw invalidInfo('has no string "default"');
  if (!isByteCount(size)) throw invalidInfo('has no valid "size"');
  if (!Array.isArray(files)) throw invalidInfo('has no list "files"');
  checkLength(size);
  const listed = files.map((file) => {
    if (!isMapping(file)) throw invalidInfo('contains an invalid entry in "files"');
    const { path, offset, pad, end } = file;
    if (typeof path !== 'string' || !isByteCount(offset))
      throw invalidInfo('lists a file without path or offset');
    return { path, offset, ...characterOf('pad', pad), ...characterOf('end', end) };
  });
  const places = await Promise.all(listed.map((listedFile) => findPlace(tree, listedFile, size)));
  return { length: size, defaults: trimSpace(defaults), places, info: { entry: info.entry, files: listed } };
}

function checkLength(length: number): void {
  if (length > MAX_LENGTH) throw damaged(`karg embed area size larger than ${MAX_LENGTH} (found ${length})`);
}

async function findPlace(tree: IsoTree, file: KargsFile, length: number): Promise<KargsPlace> {
  const { path, offset, ...characters } = file;
  const entry = await tree.find(path);
  if (entry?.kind !== 'file') throw invalidInfo(`lists the missing file ${path}`);
  if (offset + length > entry.size) throw invalidInfo(`lists an area that exceeds the end of ${path}`);
  return { offset: entry.offset + offset, ...characters };
}

/** A character must be one byte long, so that it can fill an area. */
function characterOf(key: 'pad' | 'end', value: unknown): Partial<KargsPlace> {
  if (value === undefined || value === null) return {};
  // oxlint-disable-next-line no-control-regex -- s390x fills its area with NUL
  if (typeof value === 'string' && /^[\0-\x7f]$/.test(value)) return { [key]: value };
  throw invalidInfo(`has an invalid "${key}": one ASCII character is required`);
}

async function readHeader(image: RandomAccess): Promise<KargsLayout | undefined> {
  const header = Buffer.from(await image.read(HEADER.offset, HEADER.size));
  if (header.toString('latin1', 0, HEADER.length) !== HEADER.magic) return undefined;
  const numberAt = (at: number): number => Number(header.readBigUInt64LE(at));
  const length = numberAt(HEADER.length);
  checkLength(length);
  const places: KargsPlace[] = [];
  for (let at = HEADER.places; at < HEADER.size && numberAt(at) !== 0; at += 8) {
    places.push({ offset: numberAt(at) });
  }
  const defaults = { offset: numberAt(HEADER.defaults) };
  if (!Number.isSafeInteger(defaults.offset) || defaults.offset + length > image.size) {
    throw damaged(`the default kernel arguments at ${defaults.offset} exceed the end of the image`);
  }
  return { length, defaults: await readKargs(image, length, defaults, DOWNLOAD_AGAIN), places };
}
