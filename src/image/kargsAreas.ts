/**
 * The places on a live ISO that are reserved for kernel arguments: inside the menu of each boot loader, or in the boot image
 * of s390x. All of them hold the same arguments. Where they are is said by `coreos/kargs.json`, and on images before
 * 2021-09 by the header `coreKarg`; the header `corekarg` of a few images of 2020 was wrong, and nobody reads it.
 */

import { CliError, FormatError } from '../errors.ts';
import type { IsoTree } from './isoTree.ts';
import type { Patch } from './overlay.ts';
import type { RandomAccess } from './randomAccess.ts';

export interface KargsAreas {
  /** Of each area, in bytes; one of them is for what ends the arguments. */
  readonly length: number;
  /** As the image was built. */
  readonly defaults: string;
  readonly current: string;
  /** By offset. */
  readonly places: readonly KargsPlace[];
}

export interface KargsPlace {
  /** In bytes from the start of the image. */
  readonly offset: number;
  /** One character that fills the rest of the area, where `kargs.json` gives one; otherwise `#`. */
  readonly pad?: string;
  /** One character behind the arguments, where `kargs.json` gives one; otherwise a line feed. */
  readonly end?: string;
}

const INFO_PATH = 'coreos/kargs.json';
const MAX_INFO = 1024 * 1024;
/** Of the kernel on x86_64. */
const MAX_LENGTH = 2048;
const MAX_PLACES = 1000;
const DEFAULT_PAD = '#';
const DEFAULT_END = '\n';

/** The 72 bytes of the header, which ends where the header of the embed area begins. */
const HEADER = { offset: 32_672, magic: 'coreKarg', length: 8, defaults: 16, places: 24, size: 72 };

/**
 * Undefined where the image reserves no place.
 * @throws FormatError where the places are not as the image says, or do not hold the same
 */
export async function findKargsAreas(image: RandomAccess, tree: IsoTree): Promise<KargsAreas | undefined> {
  const layout = await findKargsLayout(image, tree);
  if (layout === undefined) return undefined;
  const [first, ...others] = layout.places;
  if (first === undefined) throw new FormatError('No karg embed areas found; corrupted CoreOS ISO image.');
  const current = await readKargs(image, layout, first);
  for (const place of others) {
    const found = await readKargs(image, layout, place);
    if (found !== current) throw differentKargs(current, found, place);
  }
  return { ...layout, current };
}

/** What is known of the areas without a look into them, which is enough to repair them. */
export type KargsLayout = Omit<KargsAreas, 'current'>;

/** @throws FormatError where the image describes areas that it does not have */
export async function findKargsLayout(image: RandomAccess, tree: IsoTree): Promise<KargsLayout | undefined> {
  const layout = (await readInfo(tree)) ?? (await readHeader(image));
  if (layout === undefined) return undefined;
  if (layout.length > MAX_LENGTH) {
    throw new FormatError(`karg embed area is too large: ${layout.length} > ${MAX_LENGTH}`);
  }
  if (Buffer.byteLength(layout.defaults) > layout.length) {
    throw new FormatError('the default kernel arguments are longer than their area');
  }
  for (const { offset } of layout.places) {
    if (!Number.isSafeInteger(offset) || offset + layout.length > image.size) {
      throw new FormatError(`karg embed area at ${offset} reaches beyond the end of the image`);
    }
  }
  const places = layout.places.toSorted((left, right) => left.offset - right.offset);
  return { ...layout, places };
}

/**
 * Patches that put these arguments into all areas.
 * @throws CliError where there are none, or where the arguments do not fit
 */
export function writeKargs(areas: KargsLayout | undefined, kargs: string): Patch[] {
  if (areas === undefined || areas.places.length === 0) {
    throw new CliError('No karg embed areas found; old or corrupted CoreOS ISO image.', {
      hint: 'images before 2020-10 reserve no place for kernel arguments: use a newer one',
    });
  }
  const text = kargs.trim();
  const needed = Buffer.byteLength(text) + 1;
  if (needed > areas.length) {
    throw new CliError(`kargs too large for area: ${needed} vs ${areas.length}`, {
      hint: `leave out at least ${needed - areas.length} bytes of them`,
    });
  }
  return areas.places.map(({ offset, pad = DEFAULT_PAD, end = DEFAULT_END }) => {
    const data = Buffer.alloc(areas.length, pad);
    data.write(text + end);
    return { offset, data };
  });
}

async function readKargs(image: RandomAccess, { length }: KargsLayout, place: KargsPlace): Promise<string> {
  const { offset, pad = DEFAULT_PAD, end = DEFAULT_END } = place;
  const bytes = await image.read(offset, length);
  return stripEnd(stripEnd(decodeUtf8(bytes, offset), pad), end).trim();
}

function decodeUtf8(bytes: Uint8Array, offset: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new FormatError(`invalid UTF-8 in karg area at offset ${offset}`, { cause: error, offset });
  }
}

function stripEnd(text: string, character: string): string {
  let length = text.length;
  while (text[length - 1] === character) length--;
  return text.slice(0, length);
}

function differentKargs(expected: string, found: string, { offset }: KargsPlace): FormatError {
  const quoted = [expected, found].map((text) => JSON.stringify(text));
  return new FormatError(
    `kargs don't match at all offsets! (expected ${quoted[0]}, but offset ${offset} has: ${quoted[1]})`,
    { offset, hint: 'a change of the image was interrupted: `iso reset --force` puts the defaults back' },
  );
}

async function readInfo(tree: IsoTree): Promise<KargsLayout | undefined> {
  const entry = await tree.find(INFO_PATH);
  if (entry?.kind !== 'file') return undefined;
  const info = parseObject(Buffer.from(await tree.readFile(entry, { maxBytes: MAX_INFO })).toString('utf8'));
  const { default: defaults, files, size } = info;
  if (typeof defaults !== 'string') throw invalidInfo('has no text "default"');
  if (!isSize(size)) throw invalidInfo('gives no valid "size"');
  if (!Array.isArray(files)) throw invalidInfo('has no list "files"');
  if (files.length > MAX_PLACES) throw invalidInfo(`lists more than ${MAX_PLACES} files`);
  const listed: readonly unknown[] = files;
  const places = await Promise.all(listed.map((file) => readPlace(tree, file)));
  return { length: size, defaults, places };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new FormatError(`${INFO_PATH} on the image is not JSON`, { cause: error });
  }
  throw invalidInfo('is not a JSON object');
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function invalidInfo(problem: string): FormatError {
  return new FormatError(`${INFO_PATH} on the image ${problem}`);
}

async function readPlace(tree: IsoTree, file: unknown): Promise<KargsPlace> {
  if (!isObject(file)) throw invalidInfo('lists something that is no file');
  const { path, offset, pad, end } = file;
  if (typeof path !== 'string' || !isSize(offset)) throw invalidInfo('lists a file without path or offset');
  const entry = await tree.find(path);
  if (entry?.kind !== 'file') throw invalidInfo(`lists ${path}, which is not there`);
  return { offset: entry.offset + offset, ...characterOf('pad', pad), ...characterOf('end', end) };
}

/** Of one byte, so that an area can be filled with it. */
function characterOf(key: 'pad' | 'end', value: unknown): Partial<KargsPlace> {
  if (value === undefined || value === null) return {};
  // oxlint-disable-next-line no-control-regex -- s390x fills its area with NUL
  if (typeof value === 'string' && /^[\0-\x7f]$/.test(value)) return { [key]: value };
  throw invalidInfo(`gives "${key}" that is not one ASCII character`);
}

async function readHeader(image: RandomAccess): Promise<KargsLayout | undefined> {
  const header = Buffer.from(await image.read(HEADER.offset, HEADER.size));
  if (header.toString('latin1', 0, HEADER.length) !== HEADER.magic) return undefined;
  const length = Number(header.readBigUInt64LE(HEADER.length));
  const offset = Number(header.readBigUInt64LE(HEADER.defaults));
  if (length > MAX_LENGTH || offset + length > image.size) {
    throw new FormatError('the header with the karg embed areas is damaged', { offset: HEADER.offset });
  }
  const offsets: number[] = [];
  for (let at = HEADER.places; at < HEADER.size; at += 8) {
    const place = Number(header.readBigUInt64LE(at));
    if (place === 0) break;
    offsets.push(place);
  }
  const places = offsets.map((place) => ({ offset: place }));
  const defaults = await readKargs(image, { length, defaults: '', places }, { offset });
  return { length, defaults, places };
}
