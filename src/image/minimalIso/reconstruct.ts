/** The minimal ISO as its parts give it, without a copy: files of the full ISO, and between them what was packed. */

import { createHash } from 'node:crypto';
import { FormatError } from '../../core/errors.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';
import { decodeXz } from '../../formats/xz/decode.ts';
import { bytesAccess, reusedChunks, overlay, type Patch, type BufferReader, slice } from '../overlay.ts';
import { MINISO_PATH, type MinisoData, type SharedFile } from './minisoData.ts';

/** Of an image that is put together from parts, which may be the wrong ones until all of it has been read. */
export interface Reconstruction {
  readonly image: Required<BufferReader>;
  /** SHA-256 that it should have. */
  readonly digest: Uint8Array;
}

/** What is packed has to fit into memory: boot code, directories and gaps, in releases less than 1 MiB. */
export const MAX_PACKED = 64 * 1024 * 1024;

/** @throws FormatError where the data asks for something that is not there, or for more than there can be */
export function reconstructMinimalIso(full: BufferReader, data: MinisoData): Reconstruction {
  const unpacked = decodeXz(data.packed, { maxBytes: Math.min(MAX_PACKED, full.size) }).data;
  const patches = placeParts(full, data.files, unpacked);
  const image = overlay(bytesAccess(new Uint8Array()), patches);
  // It lacks the root filesystem, and a table may name one file so often that no disk holds the result.
  if (image.size > full.size) throw damaged('describes a minimal ISO that is larger than the full one');
  return { image, digest: data.digest };
}

/**
 * All chunks of the image, each only lent until the next one is asked for, and after the last one an error where the image
 * is not what it should be.
 * @throws FormatError `wrong final digest: …`
 */
export async function* verifiedChunks({ image, digest }: Reconstruction): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  for await (const chunk of reusedChunks(image, { offset: 0, length: image.size })) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  const expected = Buffer.from(digest).toString('hex');
  if (found === expected) return;
  throw new FormatError(`wrong final digest: expected ${expected}, found ${found}`, {
    hint: 'files of the full ISO are not as they were: download it again',
  });
}

/** @throws FormatError `wrong final digest: …` */
export async function verifyReconstruction(reconstruction: Reconstruction): Promise<void> {
  const chunks = verifiedChunks(reconstruction);
  while ((await chunks.next()).done !== true);
}

function placeParts(full: BufferReader, files: readonly SharedFile[], unpacked: Uint8Array): Patch[] {
  const patches: Patch[] = [];
  let position = 0; // in the minimal ISO
  let taken = 0; // of what was packed
  for (const { minimalSector, fullSector, length } of files) {
    const offset = minimalSector * SECTOR;
    const end = taken + offset - position;
    if (end > unpacked.length) throw damaged('packs less than the minimal ISO needs');
    const source = { offset: fullSector * SECTOR, length };
    if (source.offset + length > full.size) throw damaged('names a file beyond the end of the image');
    patches.push({ offset: position, data: unpacked.subarray(taken, end) });
    patches.push({ offset, data: slice(full, source) });
    position = offset + length;
    taken = end;
  }
  return [...patches, { offset: position, data: unpacked.subarray(taken) }];
}

function damaged(problem: string): FormatError {
  return new FormatError(`${MINISO_PATH} ${problem}`, { hint: 'download the live ISO again' });
}
