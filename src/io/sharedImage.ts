/** An image file that many read at the same time, for as long as any of them does. */

import { type FileHandle, open } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { fileError } from './fileErrors.ts';
import { type ImageBytes, readFrom } from './imageBytes.ts';

export interface SharedImage extends ImageBytes {
  /** As the user gave it. */
  readonly name: string;
  /** Of the last change to its bytes. */
  readonly modified: Date;
  /**
   * One more reader, beside whoever opened it; each gives it back by `release`.
   * @throws CliError where the file has been changed since it was opened: what is known of it is not true any more
   */
  retain(): Promise<void>;
  /** The last one closes the file. */
  release(): Promise<void>;
}

/** @throws CliError in the user's terms */
export async function openSharedImage(path: string, name: string): Promise<SharedImage> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError(error, { path: name, what: 'Image', action: 'read' });
  });
  return shareImage(handle, name);
}

/** The same of a file that is open already; with its last reader it is closed. */
export async function shareImage(handle: FileHandle, name: string): Promise<SharedImage> {
  const opened = await handle.stat({ bigint: true });
  let readers = 1;
  return {
    ...readFrom(handle, { name, size: Number(opened.size) }),
    modified: opened.mtime,
    retain: async () => {
      readers += 1; // at once, so that nobody closes the file meanwhile
      const now = await handle.stat({ bigint: true });
      if (now.mtimeNs === opened.mtimeNs && now.size === opened.size) return;
      await release();
      throw new CliError(`${name} was changed while it is served`, {
        hint: 'put a new image beside it and rename it over the old one; reload to serve it as it is now',
      });
    },
    release,
  };

  async function release(): Promise<void> {
    readers -= 1;
    if (readers === 0) await handle.close();
  }
}
