/**
 * Images as something to be read from anywhere: regular files, block devices such as /dev/sr0, files on HTTP servers, and
 * named pipes and standard input, which are written to a temporary file first.
 */

import { fstatSync, statSync } from 'node:fs';
import { type FileHandle, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, located } from '../core/errors.ts';
import { parseUrl } from '../formats/url.ts';
import { overlay, readerOf } from '../image/overlay.ts';
import { emptyPathError, fileError } from '../io/files/fileErrors.ts';
import { statsOf } from '../io/files/fileStates.ts';
import { openForReading, openPipe } from '../io/files/handles.ts';
import { isRemote } from '../http/client/httpUrl.ts';
import type { Io } from '../io/io.ts';
import { imageOf, type OpenImage } from './openImage.ts';

/**
 * Without standard input, `-` is the name of a file, and named pipes are refused; without the environment, servers are asked without
 * proxies.
 */
export type ImageIo = Partial<Io> & { readonly cwd: string };

/**
 * Opens an image: a path, a URL (http://, https://), or `-` for standard input.
 * @param what noun for errors
 */
export async function openImage(source: string, io: ImageIo, what = 'ISO image'): Promise<OpenImage> {
  io.signal?.throwIfAborted();
  const image = await openSource(source, io, what);
  return io.signal === undefined ? image : abortable(image, io.signal);
}

async function openSource(source: string, io: ImageIo, what: string): Promise<OpenImage> {
  // Not read for other sources, because reading the property opens standard input.
  if (source === '-' && io.stdin !== undefined) {
    const { openStdin } = await import('./spool.ts');
    return openStdin(io.stdin, what);
  }
  if (isRemote(source)) {
    const { accessFor, openRemoteImage } = await import('./remoteImage.ts');
    return openRemoteImage(source, accessFor(io));
  }
  return openLocalImage(source, io, what);
}

/** The same image, which cannot be read any more once the signal is aborted. */
function abortable(image: OpenImage, signal: AbortSignal): OpenImage {
  const readInto: OpenImage['readInto'] = async (target, offset) => {
    signal.throwIfAborted();
    await image.readInto(target, offset);
  };
  const checkUnchanged = async (): Promise<void> => {
    signal.throwIfAborted();
    await image.checkUnchanged();
  };
  return { ...image, ...readerOf(image.size, readInto), checkUnchanged };
}

/** For images that are opened several times: standard input and pipes can be read only once. */
export function withoutStdin({ cwd, env, inputs, note, signal, stderr }: Io): ImageIo {
  return { cwd, env, inputs, note, signal, stderr };
}

/** Calls `use` with a function that opens images, and closes these afterwards. */
export async function withOpened<T>(
  io: ImageIo,
  use: (open: (source: string, what: string) => Promise<OpenImage>) => Promise<T>,
): Promise<T> {
  const opened: OpenImage[] = [];
  try {
    return await use(async (source, what) => {
      const image = await openImage(source, io, what);
      opened.push(image);
      return image;
    });
  } finally {
    for (const image of opened) await image.close();
  }
}

/** Whether the source is a place that can be written to as well. */
export function isLocalImage(source: string): boolean {
  return source !== '-' && !isRemote(source);
}

/** The name of the file without folders, for making other names of it; undefined for standard input. */
export function imageFileName(source: string): string | undefined {
  if (source === '-') return undefined;
  const url = isRemote(source) ? parseUrl(source) : undefined;
  return basename(url?.pathname ?? source);
}

async function openLocalImage(path: string, io: ImageIo, what: string): Promise<OpenImage> {
  if (path === '') throw emptyPathError(`The ${what} path is empty`);
  const absolute = resolve(io.cwd, path);
  try {
    if ('stdin' in io && (await isPipe(absolute))) {
      const { openSpooled } = await import('./spool.ts');
      return await openSpooled(path, openPipe(absolute, io.signal));
    }
    const handle = await openForReading(absolute);
    try {
      const { kind, size } = await measureImage(handle, path);
      io.inputs?.add(handle.fd);
      io.note?.(`opened ${path}: ${kind === 'device' ? 'a block device' : 'a file'} of ${size} bytes`);
      const image = imageOf(handle, { name: path, size });
      if (kind === 'device') return await withTail(image, absolute);
      return { ...image, path: absolute, checkUnchanged: checkOf(handle, absolute, path) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw fileError(error, { path, what, action: 'read' });
  }
}

/** Whether a path is a named pipe, or one of the shell: `<(…)`. */
export async function isPipe(path: string): Promise<boolean> {
  return (await statsOf(path))?.isFIFO() === true;
}

function checkOf({ fd }: FileHandle, path: string, name: string): () => Promise<void> {
  const opened = fstatSync(fd, { bigint: true });
  return async () => {
    const now = statSync(path, { bigint: true, throwIfNoEntry: false });
    const isSame = (['dev', 'ino', 'size', 'mtimeNs'] as const).every((key) => now?.[key] === opened[key]);
    if (isSame) return;
    throw new CliError(`${name} was changed by another program while it was in use`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: `run the command again when no program writes to ${name}`,
    });
  };
}

/** Whether a file is a regular one or a device, and its bytes. Throws CliError for anything else. */
export async function measureImage(
  handle: FileHandle,
  path: string,
): Promise<{ readonly kind: 'file' | 'device'; readonly size: number }> {
  const stats = await handle.stat();
  if (stats.isFile()) return { kind: 'file', size: stats.size };
  if (stats.isBlockDevice()) return { kind: 'device', size: await deviceSize(handle) };
  throw new CliError(`${path} is not seekable`, {
    code: 'ERR_FILE_READ',
    hint: 'save the image to a file first',
  });
}

/** The device with what an edit has behind its end: one that was interrupted leaves it. */
async function withTail(device: OpenImage, path: string): Promise<OpenImage> {
  const tail = await readFile(tailOf(await realpath(path))).catch(() => new Uint8Array());
  return { ...device, ...overlay(device, [{ offset: device.size, data: tail }]), isDevice: true };
}

/** A device has no size in its metadata: looks for the last byte that can be read. */
async function deviceSize(handle: FileHandle): Promise<number> {
  const probe = Buffer.alloc(1);
  const hasByteAt = async (offset: number): Promise<boolean> =>
    (await handle.read(probe, 0, 1, offset).catch(() => ({ bytesRead: 0 }))).bytesRead === 1;
  if (!(await hasByteAt(0))) return 0;
  let low = 0;
  let high = 1;
  while (await hasByteAt(high)) high *= 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await hasByteAt(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** @param device its real path */
export function tailOf(device: string): string {
  return join(dirname(device), `.${basename(device)}.rollback`);
}

/**
 * Opens an image for reading, whatever is on it: a path, a URL, or `-` for standard input.
 * @throws CliError with the name of the image where the message is about it
 */
export async function readImage<T>(
  source: string,
  io: ImageIo,
  use: (image: OpenImage) => Promise<T>,
): Promise<T> {
  return withOpened(io, async (open) => {
    const image = await open(source, 'ISO image');
    return located({ subject: `${image.name}:`, code: 'ERR_IMAGE' }, () => use(image));
  });
}
