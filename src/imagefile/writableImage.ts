/**
 * A file or block device as an image that is edited where it is, by one process at a time; an edit that was interrupted is
 * undone before the next one begins. A device cannot become longer: what is written behind its end, which is the rollback
 * journal, is in a file beside it.
 */

import { constants, ftruncateSync } from 'node:fs';
import { type FileHandle, open, realpath, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, located } from '../core/errors.ts';
import { checkRange, chunksOf, zeros } from '../image/overlay.ts';
import { type ImageChange, sizeAfter } from '../image/imageChange.ts';
import { editInPlace, rollBack, type WritableImage } from '../image/rollback.ts';
import { type ImageIo, measureImage, tailOf } from './imageFile.ts';
import { errorCode, fileError } from '../io/files/fileErrors.ts';
import { readUpTo, writeAllNow } from '../io/files/handles.ts';
import type { Io } from '../io/io.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FolderLock, takeLock } from '../io/files/folderLock.ts';
import { completeBeforeEnd, onInterrupt } from '../io/interrupts.ts';

interface OpenWritableImage extends WritableImage {
  close(): Promise<void>;
}

/**
 * @param path as the user gave it
 */
export async function openWritableImage(
  path: string,
  { cwd }: { readonly cwd: string },
): Promise<OpenWritableImage> {
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

/** Edits are many small writes: each at once, as one that another thread does takes several times as long. */
function withHandle(handle: FileHandle, initialSize: number): OpenWritableImage {
  let size = initialSize;
  return {
    get size() {
      return size;
    },
    read: async (offset, length) => {
      checkRange({ size }, offset, length);
      const bytes = Buffer.allocUnsafe(length);
      if ((await readUpTo(handle, bytes, offset)) < length)
        throw new CliError('The image was truncated while it was being edited', {
          code: 'ERR_IMAGE_CHANGED',
        });
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
      // The journal is on the device itself if an image with an unfinished edit was copied to a device of its size.
      let at = length;
      for await (const chunk of chunksOf(zeros(end - length), { offset: 0, length: end - length })) {
        await device.write(chunk, at);
        at += chunk.length;
      }
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

/** The error codes of the system if no file can be created beside the image, for a lock or for undoing an edit. */
const NO_NEW_FILE = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Where no file may be made beside the device, an edit can be undone only by the process itself. */
async function openTail(path: string, which: 'existing' | 'new'): Promise<OpenWritableImage | undefined> {
  const create = which === 'new' ? constants.O_CREAT | constants.O_EXCL : 0;
  try {
    const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | create, 0o600);
    return withHandle(handle, (await handle.stat()).size);
  } catch (error) {
    if (which === 'existing' && errorCode(error) === 'ENOENT') return undefined;
    if (which === 'existing' || !NO_NEW_FILE.has(errorCode(error) ?? '')) throw error;
    const { openNameless } = await import('./spool.ts');
    return withHandle(await openNameless(), 0);
  }
}

/**
 * Changes a file or block device where it is. It is the old image or the new one, or is seen to be unfinished and can be
 * undone, whenever the program ends; when something fails, what was written is taken back. A signal ends the program after the
 * edit, which is then complete; if the edit fails, it is undone, and its error ends the program.
 * @param path as the user gave it
 * @throws CliError; the file is then as it was
 */
export async function changeInPlace(path: string, change: ImageChange, io: ImageIo): Promise<void> {
  if (change.patches.length === 0 && change.size === undefined) return;
  const image = await openWritableImage(path, io);
  try {
    if (image.isDevice === true && sizeAfter(change, image.size) > image.size) {
      throw new CliError(`${path} is a block device, so the image on it cannot become longer`, {
        code: 'ERR_IMAGE_SPACE',
        hint: 'write the result to a file with -o, then copy it to the device',
      });
    }
    await completeBeforeEnd(
      () => editInPlace(image, image.isDevice === true ? { patches: change.patches } : change),
      (signal) =>
        void io.stderr?.write(`${path}: the edit was completed before ${signal} ended the program\n`),
    );
  } catch (error) {
    throw fileError(error, { path, what: 'ISO image', action: 'write', place: resolve(io.cwd, path) });
  } finally {
    await image.close();
  }
}

/** An edit waits for another one for 20 seconds: attempts, and milliseconds between them. */
const ATTEMPTS = 400;
const ATTEMPT_EVERY = 50;

/**
 * Runs `edit` while no other edit of the image runs.
 * @param path as the user gave it; errors about what it names are left to `edit`
 * @throws CliError where another process has been editing the image for too long
 */
export async function editAlone(path: string, io: Io, edit: () => Promise<void>): Promise<void> {
  const place = await realpath(resolve(io.cwd, path)).catch(() => undefined);
  const stats = place === undefined ? undefined : await stat(place).catch(() => undefined);
  const isImage = stats?.isFile() === true || stats?.isBlockDevice() === true;
  if (place === undefined || !isImage) return edit();
  const lockPath = join(dirname(place), `.${basename(place)}.lock`);
  const lock = await waitForLock(lockPath, path);
  const release = (): void => lock?.release();
  const forget = onInterrupt(release);
  try {
    await undoInterrupted(path, io);
    await edit();
  } finally {
    release();
    forget();
  }
}

async function waitForLock(lockPath: string, shown: string): Promise<FolderLock | undefined> {
  for (let left = ATTEMPTS - 1; ; left--) {
    let lock: ReturnType<typeof takeLock>;
    try {
      lock = takeLock(lockPath);
    } catch (error) {
      if (NO_NEW_FILE.has(errorCode(error) ?? '')) return undefined; // then the image is edited without a lock
      throw fileError(error, { path: shown, what: 'ISO image', action: 'write', place: lockPath });
    }
    if (!('owner' in lock)) return lock;
    if (left === 0)
      throw new CliError(`Another process is editing ${shown}: process ${lock.owner}`, {
        code: 'ERR_BUSY',
        hint: `wait until it ends, or remove ${lockPath} if it is not running`,
      });
    await sleep(ATTEMPT_EVERY);
  }
}

/** Whether the image can be written at all, `edit` finds out by itself. */
async function undoInterrupted(path: string, io: Io): Promise<void> {
  const image = await openWritableImage(path, io).catch(() => undefined);
  if (image === undefined) return;
  try {
    const isUndone = await located({ subject: `${path}:`, code: 'ERR_IMAGE' }, () => rollBack(image));
    if (isUndone) io.stderr.write(`${path}: rolled back an interrupted edit\n`);
  } finally {
    await image.close();
  }
}
