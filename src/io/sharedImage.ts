/** An image file that stays open for all that is made from it, and is served only as long as it is what it was. */

import { type FileHandle, open } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { fileError } from './fileErrors.ts';
import { type ImageBytes, readFrom } from './imageBytes.ts';

export interface SharedImage extends ImageBytes {
  /** As the user gave it. */
  readonly name: string;
  /** Of the last change to its bytes. */
  readonly modified: Date;
  /** @throws CliError where the file has been changed since it was opened: what is known of it is not true any more */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** @throws CliError in the user's terms */
export async function openSharedImage(path: string, name: string): Promise<SharedImage> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(error, { path: name, what: 'Image', action: 'read' });
  });
  return shareImage(handle, name);
}

/** The same of a file that is open already; whoever closes the image closes it. */
export async function shareImage(handle: FileHandle, name: string): Promise<SharedImage> {
  const opened = await handle.stat({ bigint: true });
  return {
    ...readFrom(handle, { name, size: Number(opened.size) }),
    modified: opened.mtime,
    checkUnchanged: async () => {
      const now = await handle.stat({ bigint: true });
      if (now.mtimeNs === opened.mtimeNs && now.size === opened.size) return;
      throw new CliError(`${name} was changed while it is served`, {
        hint: 'put a new image beside it and rename it over the old one; reload to serve it as it is now',
      });
    },
  };
}
