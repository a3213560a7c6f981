/** An image file that stays open for all that is made from it, and is read only as long as it is what it was. */

import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { hashHandle } from '../files/fileDigests.ts';
import { fileError } from '../files/fileErrors.ts';
import { readerOf } from '../../image/overlay.ts';
import { type ImageBytes, readFrom } from './imageBytes.ts';

/** Whatever is read from it is rejected with a CliError where the file has been changed since it was opened. */
export interface SharedImage extends ImageBytes {
  /** As the user gave it. */
  readonly name: string;
  /** Of the last change to its bytes. */
  readonly modified: Date;
  /** @throws CliError where the file has been changed since it was opened: what is known of it is not true any more */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** A digest of a whole file, in hexadecimal digits. */
export interface FileDigest {
  readonly algorithm: 'sha256' | 'sha512';
  readonly hex: string;
}

/**
 * @param digest if known, distinguishes a changed file with a reset modification time from a renamed file
 * @throws CliError in the user's terms
 */
export async function openSharedImage(path: string, name: string, digest?: FileDigest): Promise<SharedImage> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(error, { path: name, what: 'Image', action: 'read' });
  });
  return shareImage(handle, name, digest);
}

/** The same for an open file; the code that closes the image closes the file. */
export async function shareImage(
  handle: FileHandle,
  name: string,
  digest?: FileDigest,
): Promise<SharedImage> {
  const opened = timesOf(handle);
  const bytes = readFrom(handle, { name, size: opened.size });
  const hasContent = rememberLast(() => hasDigest(handle, digest));
  const check = async (now: Times): Promise<void> => {
    const isSame = now.mtime === opened.mtime && now.size === opened.size;
    // A new name, a link or other permissions change only ctime. A program that resets the modification time also changes ctime.
    if (isSame && (now.ctime === opened.ctime || (await hasContent(now.ctime)))) return;
    throw new CliError(`${name} changed while it was being served`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'reload to serve the changed image; to replace an image, rename a new file over it',
    });
  };
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    await bytes.readInto(target, offset);
    await check(timesOf(handle)); // afterwards, as it may change while it is read
  };
  return {
    ...bytes,
    ...readerOf(bytes.size, readInto),
    modified: opened.modified,
    checkUnchanged: () => check(timesOf(handle)),
  };
}

interface Times {
  /** Bytes. */
  readonly size: number;
  /** In nanoseconds, of the last change to the bytes. */
  readonly mtime: bigint;
  /** In nanoseconds, of the last change to whatever the system knows of the file. */
  readonly ctime: bigint;
  readonly modified: Date;
}

/** At once: that takes microseconds, and a thread of its own would take longer than a small read. */
function timesOf({ fd }: FileHandle): Times {
  const { ctimeNs, mtime, mtimeNs, size } = fstatSync(fd, { bigint: true });
  return { size: Number(size), mtime: mtimeNs, ctime: ctimeNs, modified: mtime };
}

/** Asks again only for another value than the last one. */
function rememberLast<T>(ask: () => Promise<T>): (value: bigint) => Promise<T> {
  let last: { readonly value: bigint; readonly answer: Promise<T> } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, answer: ask() };
    return last.answer;
  };
}

/** Whether the file still matches the digest; true without a digest. */
async function hasDigest(handle: FileHandle, digest: FileDigest | undefined): Promise<boolean> {
  if (digest === undefined) return true;
  const hashes = await hashHandle(handle, [digest.algorithm]);
  return hashes.get(digest.algorithm)?.digest('hex') === digest.hex;
}
