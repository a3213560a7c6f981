/** An open image, wherever its bytes are, and the constructor for those in an open file. */

import type { FileHandle } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { type ImageBytes, readerOf } from '../image/overlay.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { readUpTo } from '../io/files/handles.ts';

/** A file, a device, a temporary copy or a file on an HTTP server; only its owner closes it. */
export interface OpenImage extends ImageBytes {
  /** For messages: the path that the user gave, or the URL without its secrets. */
  readonly name: string;
  /** A block device is larger than the image on it. */
  readonly isDevice?: boolean;
  /** Absolute path of a regular file; all other images have none. */
  readonly path?: string;
  /** @throws CliError if another program has changed the image since it was opened */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** The bytes of an open file or device, which no other program changes. */
export function imageOf(
  handle: FileHandle,
  { name, size }: { readonly name: string; readonly size: number },
): OpenImage {
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    const filled = await readUpTo(handle, target, offset).catch((error: unknown) => {
      throw fileError(error, { path: name, what: 'ISO image', action: 'read' });
    });
    if (filled === target.length) return;
    throw new CliError(`${name} was truncated while it was being read`, { code: 'ERR_IMAGE_CHANGED' });
  };
  return {
    name,
    ...readerOf(size, readInto),
    checkUnchanged: async () => undefined,
    close: () => handle.close(),
  };
}
