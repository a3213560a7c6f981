/** Images as something to be read from anywhere: regular files and block devices such as /dev/sr0. */

import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { checkRange } from '../image/overlay.ts';
import type { RandomAccess } from '../image/randomAccess.ts';
import { fileError } from './fileErrors.ts';
import { openForReading, readUpTo } from './handles.ts';
import type { Io } from './io.ts';

/** An image that is open; nobody else closes it. */
export interface OpenImage extends RandomAccess {
  /** Absolute. */
  readonly path: string;
  /** Like `read`, into memory that is used again: copying is a third faster so. */
  readInto(target: Uint8Array, offset: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens an image that is a regular file or a block device.
 * @throws CliError in the user's terms
 */
export async function openImage(path: string, io: Pick<Io, 'cwd'>): Promise<OpenImage> {
  if (path === '')
    throw new CliError('The path of the ISO image is empty', { hint: 'give the path of a file' });
  const absolute = resolve(io.cwd, path);
  try {
    const handle = await openForReading(absolute);
    try {
      const size = await sizeOf(handle, path);
      const readInto = readerOf(handle, { path, size });
      const read = async (offset: number, length: number): Promise<Uint8Array> => {
        checkRange({ size }, offset, length);
        const bytes = Buffer.allocUnsafe(length);
        await readInto(bytes, offset);
        return bytes;
      };
      return { path: absolute, size, read, readInto, close: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileError(error, { path, what: 'ISO image', action: 'read' });
  }
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const stats = await handle.stat();
  if (stats.isFile()) return stats.size;
  if (stats.isBlockDevice()) return deviceSize(handle);
  throw new CliError(`${path} cannot be read from anywhere but its start`, {
    hint: 'save the image to a file first',
  });
}

/** A device has no size in its metadata: looks for the last byte that can be read. */
async function deviceSize(handle: FileHandle): Promise<number> {
  const probe = Buffer.alloc(1);
  const hasByteAt = async (offset: number): Promise<boolean> =>
    (await handle.read(probe, 0, 1, offset).catch(() => ({ bytesRead: 0 }))).bytesRead === 1;
  let low = 0;
  let high = 1;
  while (await hasByteAt(high)) high *= 2;
  if (high === 1 && !(await hasByteAt(0))) return 0;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await hasByteAt(middle)) low = middle;
    else high = middle;
  }
  return high;
}

function readerOf(
  handle: FileHandle,
  { path, size }: { readonly path: string; readonly size: number },
): OpenImage['readInto'] {
  return async (target, offset) => {
    checkRange({ size }, offset, target.length);
    const filled = await readUpTo(handle, target, offset).catch((error: unknown) => {
      throw fileError(error, { path, what: 'ISO image', action: 'read' });
    });
    if (filled < target.length) throw new CliError(`${path} became shorter while it was read`);
  };
}
