/** Writes `miniso.dat`, from which the minimal ISO can be extracted. Used when a release is built. */

import { createHash } from 'node:crypto';
import { CliError, FormatError } from '../../core/errors.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';
import { encodeXz } from '../../formats/xz/encode.ts';
import { type ImageChange, patchesOnly } from '../imageChange.ts';
import type { IsoEntry, IsoTree } from '../isoTree.ts';
import type { LiveIso } from '../liveIso.ts';
import { chunksOf, gapsIn, type RandomAccess } from '../overlay.ts';
import { encodeMinisoData, MAX_MINISO, MINISO_PATH, type MinisoData, type SharedFile } from './minisoData.ts';
import { MAX_PACKED, reconstructMinimalIso, verifyReconstruction } from './extract.ts';

export interface PackedMinimalIso {
  /** Change of the full ISO. */
  readonly change: ImageChange;
  /** Number of files in the minimal ISO; the full ISO contains all of them. */
  readonly fileCount: number;
  /** Bytes of these files in the minimal ISO. */
  readonly sharedBytes: number;
  /** Bytes of all other data, before and after compression. */
  readonly packedBytes: number;
  readonly compressedBytes: number;
}

const CREATOR = 'ironic-coreos';
const MAX_FILE = 0xffff_ffff;

/**
 * @throws CliError if the minimal ISO cannot be created from the full ISO, or the reserved file is missing or too small
 */
export async function packMinimalIso(full: LiveIso, minimal: LiveIso): Promise<PackedMinimalIso> {
  const room = await findRoom(full);
  const minimalFiles = await filesOf(minimal.tree);
  const files = shareFiles(minimalFiles, await filesOf(full.tree));
  // The data between the files, in the order of the image.
  const ranges = files.map(({ minimalSector, length }) => ({ offset: minimalSector * SECTOR, length }));
  if (ranges.some(({ offset, length }) => offset + length > minimal.image.size)) {
    throw new FormatError('a file exceeds the end of the minimal ISO');
  }
  const gaps = gapsIn({ offset: 0, length: minimal.image.size }, ranges);
  const size = gaps.reduce((sum, { length }) => sum + length, 0);
  if (size > MAX_PACKED) {
    throw new CliError(`the minimal ISO has too much data outside of files: ${size} > ${MAX_PACKED} bytes`, {
      code: 'ERR_TOO_LARGE',
    });
  }
  const rest = Buffer.concat(
    await Promise.all(gaps.map(({ offset, length }) => minimal.image.read(offset, length))),
  );
  const packed = encodeXz([rest], 'crc64');
  const data = { creator: CREATOR, files, digest: await digestOf(minimal.image), packed };
  const encoded = encodeMinisoData(data);
  if (encoded.length > room.size) {
    throw new CliError(`${MINISO_PATH} of the full ISO is too small: ${encoded.length} > ${room.size}`, {
      code: 'ERR_IMAGE_SPACE',
      hint: `build the full ISO with a larger ${MINISO_PATH}`,
    });
  }
  await verifyFiles(full.image, minimal.image, data);
  return {
    change: patchesOnly([{ offset: room.offset, data: Buffer.concat([encoded], room.size) }]),
    fileCount: minimalFiles.size,
    sharedBytes: minimal.image.size - rest.length,
    packedBytes: rest.length,
    compressedBytes: packed.length,
  };
}

/** The size is limited to the bytes that readers use. */
async function findRoom({ tree }: LiveIso): Promise<{ readonly offset: number; readonly size: number }> {
  const entry = await tree.find(MINISO_PATH);
  if (entry?.kind === 'file') return { offset: entry.offset, size: Math.min(entry.size, MAX_MINISO) };
  throw new CliError(`The full ISO has no ${MINISO_PATH}`, {
    code: 'ERR_IMAGE',
    hint: `build the full ISO with ${MINISO_PATH}, a file of 16 KiB of zeros`,
  });
}

async function filesOf(tree: IsoTree): Promise<Map<string, IsoEntry>> {
  const files = new Map<string, IsoEntry>();
  for await (const { path, entry } of tree.walk()) if (entry.kind === 'file') files.set(path, entry);
  return files;
}

/** Omits empty files, which have no data, and duplicates, which are hard links. */
function shareFiles(
  minimal: ReadonlyMap<string, IsoEntry>,
  full: ReadonlyMap<string, IsoEntry>,
): SharedFile[] {
  const files = new Map<string, SharedFile>();
  for (const [path, entry] of minimal) {
    const file = shareFile(path, entry, full.get(path));
    if (file.length > 0) files.set([file.minimalSector, file.fullSector, file.length].join(' '), file);
  }
  return [...files.values()].toSorted((a, b) => a.minimalSector - b.minimalSector);
}

function shareFile(path: string, minimal: IsoEntry, full: IsoEntry | undefined): SharedFile {
  if (path.toLowerCase() === MINISO_PATH) {
    throw new CliError(`the minimal ISO contains ${MINISO_PATH}`, {
      code: 'ERR_IMAGE',
      hint: 'build the minimal ISO without this file',
    });
  }
  if (full === undefined)
    throw new CliError(`missing minimal file ${path} in full ISO`, { code: 'ERR_IMAGE' });
  if (full.size !== minimal.size) {
    throw new CliError(`File ${path} has different lengths in full and minimal ISOs`, { code: 'ERR_IMAGE' });
  }
  if (minimal.size > MAX_FILE)
    throw new CliError(`File ${path} is too large: 4 GiB or more cannot be packed`, {
      code: 'ERR_TOO_LARGE',
    });
  return {
    minimalSector: minimal.offset / SECTOR,
    fullSector: full.offset / SECTOR,
    length: minimal.size,
  };
}

async function digestOf(image: RandomAccess): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(image, { offset: 0, length: image.size })) hash.update(chunk);
  return hash.digest();
}

/** Verifies that the files are equal in both images, by reconstructing the minimal ISO. */
async function verifyFiles(full: RandomAccess, minimal: RandomAccess, data: MinisoData): Promise<void> {
  if (minimal.size > full.size) {
    throw new CliError('the minimal ISO is larger than the full ISO', {
      code: 'ERR_IMAGE',
      hint: 'pass the full ISO first, then the minimal ISO',
    });
  }
  const hint = 'use two images of the same build; a file differs in the full ISO';
  try {
    await verifyReconstruction(reconstructMinimalIso(full, data));
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new CliError(cause.message, { code: 'ERR_IMAGE', hint, cause });
  }
}
