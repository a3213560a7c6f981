/** An image file that stays open for all that is made from it, and is read only as long as it is what it was. */

import { type BigIntStats, fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { hashHandle } from '../io/files/fileDigests.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { readerOf } from '../image/overlay.ts';
import { imageOf, type OpenImage } from './openImage.ts';

/** A digest of a whole file, in hexadecimal digits. */
export interface FileDigest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

/**
 * Opens a file, which may get another name meanwhile. Each read fails if its bytes have changed.
 * @param path absolute
 * @param digest if known, distinguishes a changed file with a reset modification time from a renamed file
 */
export async function openSharedImage(path: string, name: string, digest?: FileDigest): Promise<OpenImage> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(error, { path: name, what: 'Image', action: 'read' });
  });
  return { ...shareImage(handle, name, digest), path };
}

/** The same for an open file; the code that closes the image closes the file. */
export function shareImage(handle: FileHandle, name: string, digest?: FileDigest): OpenImage {
  const opened = statNow(handle);
  const image = imageOf(handle, { name, size: Number(opened.size) });
  // The last answer is kept while ctime stays the same: hashing an image takes seconds.
  let last = { ctime: opened.ctimeNs, isSame: Promise.resolve(true) };
  const checkUnchanged = async (): Promise<void> => {
    const { ctimeNs: ctime, mtimeNs, size } = statNow(handle);
    if (mtimeNs === opened.mtimeNs && size === opened.size) {
      // A new name, a link or other permissions change only ctime. A program that resets the modification time also changes ctime.
      if (last.ctime !== ctime) last = { ctime, isSame: hasDigest(handle, digest) };
      if (await last.isSame) return;
    }
    throw new CliError(`${name} changed while it was being served`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'reload to serve the changed image; to replace an image, rename a new file over it',
    });
  };
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    await image.readInto(target, offset);
    await checkUnchanged(); // afterwards, as it may change while it is read
  };
  return { ...image, ...readerOf(image.size, readInto), checkUnchanged };
}

/** Synchronous, because it takes microseconds: in a thread it would take longer than a small read. */
function statNow({ fd }: FileHandle): BigIntStats {
  return fstatSync(fd, { bigint: true });
}

/** Whether the file still matches the digest; true without a digest. */
async function hasDigest(handle: FileHandle, digest: FileDigest | undefined): Promise<boolean> {
  if (digest === undefined) return true;
  const hashes = await hashHandle(handle, [digest.algorithm]);
  return hashes.get(digest.algorithm)?.digest('hex') === digest.hex;
}
