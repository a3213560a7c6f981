/** An image file that stays open for all that is made from it, and is read only as long as it is what it was. */

import { type BigIntStats, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { readerOf } from '../image/overlay.ts';
import { imageOf, type OpenImage } from './openImage.ts';

/**
 * Opens a file, which may get another name meanwhile. Each read fails if its bytes have changed.
 * @param path absolute
 */
export async function openSharedImage(path: string, name: string): Promise<OpenImage> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(error, { path: name, what: 'Image', action: 'read' });
  });
  // Synchronous, because it takes microseconds: in a thread it would take longer than a small read.
  const statNow = (): BigIntStats => fstatSync(handle.fd, { bigint: true });
  const opened = statNow();
  const image = imageOf(handle, { name, size: Number(opened.size) });
  const checkUnchanged = async (): Promise<void> => {
    const { mtimeNs, size } = statNow();
    if (mtimeNs === opened.mtimeNs && size === opened.size) return;
    throw new CliError(`${name} changed while it was being served`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'reload to serve the changed image; to replace an image, rename a new file over it',
    });
  };
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    await image.readInto(target, offset);
    await checkUnchanged(); // afterwards, as it may change while it is read
  };
  return { ...image, ...readerOf(image.size, readInto), checkUnchanged, path };
}
