/**
 * A file or block device as an image that is edited where it is. A device cannot become longer: what is written behind its
 * end, which is the rollback journal, is in a file beside it.
 */

import { constants, ftruncateSync } from 'node:fs';
import { type FileHandle, open, realpath, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { checkRange } from '../../image/overlay.ts';
import type { WritableImage } from '../../image/rollback.ts';
import { measureImage, tailOf } from './imageFile.ts';
import { errorCode, fileError } from '../files/fileErrors.ts';
import { readUpToNow, writeAllNow } from '../files/handles.ts';
import type { Io } from '../io.ts';

export interface OpenWritableImage extends WritableImage {
  close(): Promise<void>;
}

/**
 * @param path as the user gave it
 * @throws CliError in the user's terms
 */
export async function openWritableImage(path: string, { cwd }: Pick<Io, 'cwd'>): Promise<OpenWritableImage> {
  const absolute = resolve(cwd, path);
  try {
    const handle = await open(absolute, constants.O_RDWR);
    try {
      const { kind, size } = await measureImage(handle, path);
      const file = withHandle(handle, size);
      return kind === 'file' ? file : withTail(file, await realpath(absolute));
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileError(error, { path, what: 'ISO image', action: 'write' });
  }
}

/** Edits are many small reads and writes: each at once, as one that another thread does takes several times as long. */
function withHandle(handle: FileHandle, initialSize: number): OpenWritableImage {
  let size = initialSize;
  return {
    get size() {
      return size;
    },
    read: async (offset, length) => {
      checkRange({ size }, offset, length);
      const bytes = Buffer.allocUnsafe(length);
      if (readUpToNow(handle, bytes, offset) < length)
        throw new CliError('The image became shorter while it was edited');
      return bytes;
    },
    write: async (bytes, offset) => {
      writeAllNow(handle.fd, bytes, offset);
      size = Math.max(size, offset + bytes.length);
    },
    truncate: async (length) => {
      ftruncateSync(handle.fd, length);
      size = length;
    },
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

/** @param path of the device */
async function withTail(device: OpenWritableImage, path: string): Promise<OpenWritableImage> {
  const end = device.size;
  const tailPath = tailOf(path);
  let tail = await openTail(tailPath, 'existing');
  const parts = (): OpenWritableImage[] => (tail === undefined ? [device] : [device, tail]);
  return {
    isDevice: true,
    get size() {
      return end + (tail?.size ?? 0);
    },
    read: async (offset, length) =>
      tail !== undefined && offset >= end ? tail.read(offset - end, length) : device.read(offset, length),
    write: async (bytes, offset) => {
      if (offset < end) return device.write(bytes, offset);
      tail ??= await openTail(tailPath, 'new');
      await tail?.write(bytes, offset - end);
    },
    truncate: async (length) => {
      if (length !== end) throw new RangeError('a device keeps its length');
      const ended = tail;
      tail = undefined;
      await unlink(tailPath).catch(() => undefined);
      await ended?.close();
    },
    sync: async () => {
      for (const part of parts()) await part.sync();
    },
    close: async () => {
      for (const part of parts()) await part.close();
    },
  };
}

/** Where no file may be made beside the device, an edit can be undone only by the process itself. */
async function openTail(path: string, which: 'existing' | 'new'): Promise<OpenWritableImage | undefined> {
  const create = which === 'new' ? constants.O_CREAT : 0;
  try {
    const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | create, 0o600);
    return withHandle(handle, (await handle.stat()).size);
  } catch (error) {
    if (which === 'existing' && errorCode(error) === 'ENOENT') return undefined;
    if (which === 'existing' || !['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
    const { openNameless } = await import('../files/spool.ts');
    return withHandle(await openNameless(), 0);
  }
}
