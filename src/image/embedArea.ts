/**
 * The embed area: the reserved area of a live ISO that the boot loader loads after the initramfs. It contains one archive,
 * or only zeros. The `coreiso+` header of images before 2022 is not read, because on these images the area is also the file
 * images/ignition.img.
 */

import { CliError, FormatError, only } from '../core/errors.ts';
import type { Mapping } from '../formats/mapping.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import { readInitrd } from './initrd.ts';
import { type IsoTree, readJsonFile } from './isoTree.ts';
import { isByteCount, type Patch, type RandomAccess, zeros } from './overlay.ts';
import { livePaths } from './livePaths.ts';

/** Bytes from the start of the image. */
export interface EmbedArea {
  readonly offset: number;
  readonly length: number;
  /** Path of the file that is the area; undefined if the area is a part of a larger file. */
  readonly file?: string;
}

/** Members of the archive by name, e.g. `config.ign`. */
export type EmbedFiles = ReadonlyMap<string, Uint8Array>;

/** Limit in bytes, because the archive is decoded in memory. */
const MAX_AREA = 512 * 1024 * 1024;

/** @throws FormatError if the image reserves no area, or describes an invalid area */
export async function findEmbedArea(tree: IsoTree): Promise<EmbedArea> {
  return unrecognizedUnless(async () => {
    const info = await readInfo(tree);
    const file = await tree.find(info.file);
    if (file === undefined) throw new FormatError(`it contains no ${info.file}`);
    if (file.kind === 'directory') throw new FormatError(`${info.file} on it is a directory`);
    const length = info.length ?? file.size - info.offset;
    const end = file.offset + file.size;
    if (length < 0 || info.offset + length > file.size || end > tree.image.size) {
      throw new FormatError(`its reserved area exceeds the end of ${info.file}`);
    }
    const isWhole = info.offset === 0 && info.length === undefined;
    return { offset: file.offset + info.offset, length, ...(isWhole && { file: info.file }) };
  });
}

/**
 * Returns the files in the area.
 * @throws FormatError if the area contains data that is not an archive
 */
export async function readEmbedArea(image: RandomAccess, area: EmbedArea): Promise<EmbedFiles> {
  return unrecognizedUnless(async () => {
    if (area.length > MAX_AREA) {
      throw new FormatError(`its reserved area is too large: ${area.length} > ${MAX_AREA} bytes`);
    }
    const bytes = await image.read(area.offset, area.length);
    return Buffer.alloc(area.length).equals(bytes) ? new Map() : readInitrd(bytes);
  });
}

/** Returns patches that fill the area with this archive, which must fit. */
export function fillEmbedArea(area: EmbedArea, archive: Uint8Array): Patch[] {
  return [
    { offset: area.offset, data: archive },
    { offset: area.offset + archive.length, data: zeros(area.length - archive.length) },
  ];
}

/** Adds the message of coreos-installer, which scripts look for. */
async function unrecognizedUnless<T>(step: () => Promise<T>): Promise<T> {
  const refuse = only(CliError, (cause) => {
    const hint = cause.hint ?? `use a live ISO of CoreOS; if this is one, ${DOWNLOAD_AGAIN}`;
    throw new FormatError(`Unrecognized CoreOS ISO image: ${cause.message}`, { hint, cause });
  });
  return step().catch(refuse);
}

interface EmbedInfo {
  readonly file: string;
  readonly offset: number;
  /** Undefined for the rest of the file. */
  readonly length: number | undefined;
}

async function readInfo(tree: IsoTree): Promise<EmbedInfo> {
  const found = await readJsonFile(
    tree,
    livePaths.embedInfo,
    (problem, cause) => new FormatError(`${livePaths.embedInfo} on it ${problem}`, { cause }),
  );
  if (found === undefined) return { file: livePaths.embedArea, offset: 0, length: undefined };
  const info = found.object;
  const { file } = info;
  if (typeof file !== 'string' || file === '')
    throw new FormatError(`${livePaths.embedInfo} on it has no "file"`);
  return { file, offset: sizeOf(info, 'offset') ?? 0, length: sizeOf(info, 'length') };
}

function sizeOf(info: Mapping, key: 'offset' | 'length'): number | undefined {
  const value = info[key];
  if (value === undefined || value === null) return undefined;
  if (isByteCount(value)) return value;
  throw new FormatError(`${livePaths.embedInfo} on it has an invalid "${key}"`);
}
