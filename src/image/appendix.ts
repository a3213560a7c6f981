/**
 * The record of what was appended to an image. It is the end of the volume, and contains the original bytes of all changed
 * pointers. Therefore the original image is known, and can be restored, also after other programs have edited the image.
 *
 * The record is JSON in whole sectors; its last 32 bytes are a magic, and the length and the CRC-32 of the JSON.
 */

import { crc32 } from 'node:zlib';
import { FormatError } from '../core/errors.ts';
import { SECTOR } from '../formats/iso9660/fields.ts';
import { parseJsonObject } from '../formats/mapping.ts';
import { changedImage, checkDisjoint } from './imageChange.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import type { IsoTree } from './isoTree.ts';
import { wholeSectors } from './isoVolume.ts';
import { type ImageAccess, isByteCount } from './overlay.ts';

export interface Appendix {
  /** Size of the original image in bytes. */
  readonly originalSize: number;
  /** Original bytes of the changed pointers. They do not overlap. */
  readonly originals: readonly Original[];
  /** The files that were added to the folder `coreos` of the medium. */
  readonly mediumFiles: readonly PlacedFile[];
}

interface Original {
  readonly offset: number;
  readonly data: Uint8Array;
}

interface PlacedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** From the start of the image in bytes. */
  readonly offset: number;
}

const MAGIC = 'ironic-coreos/2\0';
const FOOTER = 32;
/** Limit of the JSON in bytes; about twenty directory records require a tenth of it. */
const MAX_JSON = 256 * 1024;

/**
 * Undefined for an image without appended data.
 * @throws FormatError if the record is damaged
 */
export async function readAppendix({ image, volume }: IsoTree): Promise<Appendix | undefined> {
  const end = volume.volumeSpaceSize * SECTOR;
  if (end < SECTOR) return undefined;
  const footer = Buffer.from(await image.read(end - FOOTER, FOOTER));
  if (footer.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const length = footer.readUInt32LE(MAGIC.length);
  const start = end - wholeSectors(length + FOOTER);
  if (length > MAX_JSON || start < 0) throw damaged('invalid length');
  const text = Buffer.from(await image.read(start, length));
  if (crc32(text) !== footer.readUInt32LE(MAGIC.length + 4)) throw damaged('checksum mismatch');
  const record = parseJsonObject(text.toString('utf8'), () => damaged('not a JSON object'));
  const { originalSize } = record;
  if (!isByteCount(originalSize) || originalSize > start) throw damaged('invalid original size');
  const originals = listOf(record['originals']).map((original) => checkedOriginal(original, originalSize));
  checkDisjoint({ patches: originals });
  const mediumFiles: PlacedFile[] = [];
  let offset = wholeSectors(originalSize);
  for (const [name, size] of listOf(record['mediumFiles'])) {
    if (typeof name !== 'string' || !isByteCount(size)) throw damaged('file without name or size');
    mediumFiles.push({ name, size, offset });
    offset += wholeSectors(size);
  }
  if (offset > start) throw damaged('files that exceed the end of the image');
  return { originalSize, originals, mediumFiles };
}

/** Returns the record in whole sectors, for the end of the volume. */
export function writeAppendix({ originalSize, originals, mediumFiles }: Appendix): Uint8Array {
  const record = {
    originalSize,
    originals: originals.map(({ offset, data }) => [offset, Buffer.from(data).toString('base64')]),
    mediumFiles: mediumFiles.map(({ name, size }) => [name, size]),
  };
  const json = Buffer.from(JSON.stringify(record));
  const bytes = Buffer.alloc(wholeSectors(json.length + FOOTER));
  json.copy(bytes);
  const footer = bytes.subarray(bytes.length - FOOTER);
  footer.write(MAGIC, 'latin1');
  footer.writeUInt32LE(json.length, MAGIC.length);
  footer.writeUInt32LE(crc32(json), MAGIC.length + 4);
  return bytes;
}

/** The image without appended data. The contents of its reserved areas are the current ones. */
export function originalImage(
  image: ImageAccess,
  { originalSize, originals }: Pick<Appendix, 'originalSize' | 'originals'>,
): ImageAccess {
  return changedImage(image, { patches: originals, size: originalSize });
}

function damaged(problem: string): FormatError {
  return new FormatError(`the record of appended data is damaged: ${problem}`, {
    hint: DOWNLOAD_AGAIN,
  });
}

/** The entries of a list in the record, which are pairs. */
function listOf(value: unknown): readonly (readonly unknown[])[] {
  if (!Array.isArray(value)) throw damaged('missing list');
  return value.map((entry: unknown): readonly unknown[] => (Array.isArray(entry) ? entry : []));
}

function checkedOriginal([offset, text]: readonly unknown[], originalSize: number): Original {
  if (!isByteCount(offset) || typeof text !== 'string') throw damaged('entry without offset or bytes');
  const data = Buffer.from(text, 'base64');
  if (offset + data.length > originalSize) throw damaged('entry outside of the original image');
  return { offset, data };
}
