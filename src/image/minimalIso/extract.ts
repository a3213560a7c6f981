/** Extracts the minimal ISO and the root filesystem of a live ISO. */

import { createHash } from 'node:crypto';
import { checkArgumentLine } from '../../kargs/argumentLine.ts';
import { parseBootUrl } from '../../kargs/urlArgument.ts';
import { CliError, FormatError } from '../../core/errors.ts';
import { SECTOR } from '../../formats/iso9660/fields.ts';
import { ByteReader, sourceOfBytes } from '../../formats/byteReader.ts';
import { unpackXz } from '../../formats/xz/decode.ts';
import type { ImageChange } from '../imageChange.ts';
import type { IsoEntry } from '../isoTree.ts';
import { requireKargsAreas, writeKargs } from '../kargsAreas.ts';
import { editKargs } from '../kargsEdit.ts';
import { type LiveIso, openLiveIso } from '../liveIso.ts';
import {
  bytesAccess,
  type ImageBytes,
  overlay,
  type Patch,
  type RandomAccess,
  reusedChunks,
  slice,
} from '../overlay.ts';
import { decodeMinisoData, MAX_MINISO, MINISO_PATH, type MinisoData, type SharedFile } from './minisoData.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import { livePaths } from '../livePaths.ts';

const LIVE_ISO_KARG = `${coreosArguments.liveIso.name}=`;
/** White space as in coreos-installer: ASCII without the vertical tab. */
const BLANKS = /[ \t\n\f\r]+/;

/**
 * Refuses a customized image, because its files do not match the digest.
 * @throws CliError for the user
 */
export async function refuseCustomized(iso: LiveIso): Promise<void> {
  const isEmpty = (await iso.embeddedFiles()).size === 0;
  const isDefault = async (): Promise<boolean> => {
    const { current, defaults } = requireKargsAreas(await iso.kargsAreas());
    return current === defaults;
  };
  if (isEmpty && (await isDefault())) return;
  throw new CliError('Cannot operate on ISO with embedded customizations.', {
    code: 'ERR_IMAGE',
    hint: 'use `iso reset` first, and customize the minimal ISO afterwards',
  });
}

/**
 * Returns the released minimal ISO, not verified.
 * @throws CliError if the image contains no data for it
 */
export async function openMinimalIso({ image, tree }: LiveIso): Promise<Reconstruction> {
  const entry = await tree.find(MINISO_PATH);
  if (entry?.kind !== 'file') {
    throw new CliError('This ISO image does not support extracting a minimal ISO.', {
      code: 'ERR_IMAGE',
      hint: 'use a full live ISO of 2022 or later (s390x: 2023-07 or later)',
    });
  }
  const used = { ...entry, size: Math.min(entry.size, MAX_MINISO) };
  const data = await decodeMinisoData(await tree.readFile(used, { maxBytes: MAX_MINISO }));
  return reconstructMinimalIso(image, data);
}

/** @throws CliError if the image contains no root filesystem */
export async function findRootfs({ tree }: LiveIso): Promise<IsoEntry> {
  const entry = await tree.find(livePaths.rootfs);
  if (entry?.kind === 'file') return entry;
  throw new CliError(`This ISO image has no ${livePaths.rootfs}`, {
    code: 'ERR_IMAGE',
    hint: 'use a full live ISO',
  });
}

/**
 * Adapts the kernel arguments of a minimal ISO: removes `coreos.liveiso=`, also from the default arguments, and sets the URL
 * of the root filesystem.
 * @throws CliError if the minimal ISO is invalid, or the URL does not fit
 */
export async function adaptKargs(
  minimal: Reconstruction,
  rootfsUrl: string | undefined,
): Promise<ImageChange> {
  const iso = await openLiveIso(minimal.image);
  const areas = requireKargsAreas(await iso.kargsAreas());
  const liveIso = areas.current.split(BLANKS).find((karg) => karg.startsWith(LIVE_ISO_KARG));
  if (liveIso === undefined) throw new FormatError(`minimal ISO does not have ${LIVE_ISO_KARG} karg`);
  const defaults = editKargs(areas.current, { delete: [liveIso] }).kargs;
  const append = rootfsUrl === undefined ? [] : [`${coreosArguments.rootfsUrl.name}=${rootfsUrl}`];
  const { kargs } = editKargs(defaults, { append });
  // The keys of `kargs.json` are in the order of coreos-installer, so that both programs create the same image. The file keeps
  // its length, because the following data must not move. Spaces after JSON are valid.
  if (areas.info === undefined) throw new FormatError('minimal ISO does not have kargs.json');
  const { entry, files } = areas.info;
  const text = Buffer.from(JSON.stringify({ default: defaults, files, size: areas.length }, undefined, 2));
  if (text.length > entry.size) {
    throw new FormatError(
      `New version of coreos/kargs.json does not fit in space (${text.length} vs ${entry.size})`,
    );
  }
  const info = {
    offset: entry.offset,
    data: Buffer.concat([text, Buffer.alloc(entry.size - text.length, ' ')]),
  };
  return { patches: [...writeKargs(areas, kargs), info] };
}

/**
 * Messages do not contain the URL, because it may contain credentials.
 * @throws CliError for an invalid URL, or a URL that the kernel command line would split
 */
export function checkRootfsUrl(url: string): void {
  if (BLANKS.test(url)) {
    throw urlError(
      'forbidden whitespace found in the rootfs URL',
      'remove it, or percent-encode spaces as %20',
    );
  }
  if (parseBootUrl(url) === undefined) {
    throw urlError(
      'The rootfs URL has no scheme or no valid host',
      'use a URL such as http://192.0.2.1/rootfs.img',
    );
  }
  const issue = checkArgumentLine('', `${coreosArguments.rootfsUrl.name}=${url}`).find(
    ({ severity }) => severity === 'error',
  );
  if (issue !== undefined) throw urlError(issue.message, issue.hint);
}

function urlError(problem: string, hint?: string): CliError {
  return new CliError(problem, { code: 'ERR_SETTING', hint });
}

/**
 * The minimal ISO as an overlay of its parts: files of the full ISO, and packed data between them. It is not verified until it
 * is read completely.
 */
export interface Reconstruction {
  readonly image: ImageBytes;
  /** Expected SHA-256. */
  readonly digest: Uint8Array;
}

/** Limit of the packed data, which is unpacked in memory: boot code, directories and gaps; less than 1 MiB in releases. */
const MAX_PACKED = 64 * 1024 * 1024;

/** @throws FormatError if the data is invalid */
export async function reconstructMinimalIso(full: RandomAccess, data: MinisoData): Promise<Reconstruction> {
  const reader = new ByteReader('xz', sourceOfBytes(data.packed));
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackXz(reader, Math.min(MAX_PACKED, full.size))) {
    pieces.push(Uint8Array.from(piece));
  }
  const unpacked = Buffer.concat(pieces);
  const patches = placeParts(full, data.files, unpacked);
  const image = overlay(bytesAccess(new Uint8Array()), patches);
  // A malicious table may list one file so often that the result does not fit on a disk.
  if (image.size > full.size) throw damaged('describes a minimal ISO that is larger than the full ISO');
  return { image, digest: data.digest };
}

/**
 * Yields all chunks of the image, and throws after the last one if the digest does not match. A chunk is valid until the next
 * one is requested.
 * @throws FormatError with the message of coreos-installer
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
    hint: 'download the full ISO again, because its files are modified',
  });
}

/** @throws FormatError if the digest does not match */
export async function verifyReconstruction(reconstruction: Reconstruction): Promise<void> {
  const chunks = verifiedChunks(reconstruction);
  while ((await chunks.next()).done !== true);
}

function placeParts(full: RandomAccess, files: readonly SharedFile[], unpacked: Uint8Array): Patch[] {
  const patches: Patch[] = [];
  let position = 0; // in the minimal ISO
  let taken = 0; // in the packed data
  for (const { minimalSector, fullSector, length } of files) {
    const offset = minimalSector * SECTOR;
    const end = taken + offset - position;
    if (end > unpacked.length) throw damaged('contains less data than the minimal ISO requires');
    const source = { offset: fullSector * SECTOR, length };
    if (source.offset + length > full.size) throw damaged('lists a file that exceeds the end of the image');
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
