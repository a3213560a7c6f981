/** Writes the change of an image: into the image where it is, or into a copy of it. */

import { constants, type Stats } from 'node:fs';
import { chmod, copyFile, type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ImageChange } from '../image/imageChange.ts';
import { CHUNK, chunksOf, type Patch, patchSource } from '../image/overlay.ts';
import type { RandomAccess } from '../image/randomAccess.ts';
import { fileError } from './fileErrors.ts';
import { readUpTo, writeAll } from './handles.ts';
import type { OpenImage } from './imageFile.ts';
import type { Io } from './io.ts';
import { createFile, type NewFile } from './newFile.ts';
import { makeEmptyFile, type TempFile } from './tempFile.ts';

/** Old and new bytes are compared in pieces of this size, so that little is written where little differs. */
const COMPARED = 64 * 1024;

/**
 * Changes a file or block device where it is, one stage after the other, so that an interruption leaves the old image or
 * one that is seen to be damaged. What already has the right bytes is not written; when something fails, what was
 * written is taken back.
 * @param path as the user gave it
 * @throws CliError in the user's terms; the file is then as it was
 */
export async function changeInPlace(path: string, change: ImageChange, io: Pick<Io, 'cwd'>): Promise<void> {
  if (change.stages.length === 0 && change.size === undefined) return;
  try {
    const handle = await open(resolve(io.cwd, path), constants.O_RDWR);
    try {
      await changeOrRestore(handle, change);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, { path, what: 'ISO image', action: 'write' });
  }
}

/**
 * Writes an image with its change to a new file: by sharing the blocks of the original where the file system can, by
 * copying otherwise.
 * @throws CliError in the user's terms; there is then no output
 */
export async function copyWithChange(
  { image, change }: { readonly image: OpenImage; readonly change: ImageChange },
  output: NewFile,
): Promise<void> {
  let isClone = false;
  const make = async (path: string): Promise<FileHandle> => {
    isClone = await clone(image.path, path);
    return isClone ? open(path, 'r+') : makeEmptyFile(path);
  };
  const fill = async ({ handle }: TempFile): Promise<void> => {
    if (!isClone) await copyImage(image, handle);
    for (const patch of change.stages.flat()) await copyData(patchSource(patch), handle, patch.offset);
    if (change.size !== undefined) await handle.truncate(change.size);
  };
  await createFile(output, fill, make);
}

/** Whether `target` is now a file that shares its blocks with `source`; otherwise there is no such file. */
async function clone(source: string, target: string): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    await chmod(target, 0o666 & ~process.umask()); // copyFile takes over the mode of the original
    return true;
  } catch {
    return false;
  }
}

/** Two loops at once, each with a buffer of its own: one reads while the other writes. */
async function copyImage(image: OpenImage, target: FileHandle): Promise<void> {
  let next = 0; // shared: each loop takes the next chunk that nobody has
  const copyChunks = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(CHUNK);
    while (next < image.size) {
      const offset = next;
      next += CHUNK;
      const chunk = buffer.subarray(0, Math.min(CHUNK, image.size - offset));
      await image.readInto(chunk, offset);
      await writeAll(target, chunk, offset);
    }
  };
  // Both have to end before the file is closed, also when one of them fails.
  for (const result of await Promise.allSettled([copyChunks(), copyChunks()])) {
    if (result.status === 'rejected') throw result.reason;
  }
}

async function copyData(source: RandomAccess, target: FileHandle, targetOffset: number): Promise<void> {
  let offset = targetOffset;
  for await (const chunk of chunksOf(source, { offset: 0, length: source.size })) {
    await writeAll(target, chunk, offset);
    offset += chunk.length;
  }
}

/** Bytes that were replaced. */
interface Replaced {
  readonly offset: number;
  readonly data: Uint8Array;
}

async function changeOrRestore(handle: FileHandle, { stages, size }: ImageChange): Promise<void> {
  const before = await handle.stat();
  const replaced: Replaced[] = [];
  try {
    for (const patches of stages) {
      for (const patch of patches) await applyPatch(handle, patch, replaced);
      await handle.datasync();
    }
    if (size !== undefined) await handle.truncate(size);
  } catch (error) {
    await restore(handle, before, replaced);
    throw error;
  }
}

async function applyPatch(handle: FileHandle, patch: Patch, replaced: Replaced[]): Promise<void> {
  const source = patchSource(patch);
  let offset = patch.offset;
  for await (const chunk of chunksOf(source, { offset: 0, length: source.size })) {
    for (let start = 0; start < chunk.length; start += COMPARED) {
      const piece = chunk.subarray(start, start + COMPARED);
      const room = Buffer.allocUnsafe(piece.length);
      const old = room.subarray(0, await readUpTo(handle, room, offset + start));
      if (Buffer.compare(old, piece) === 0) continue;
      replaced.push({ offset: offset + start, data: old });
      await writeAll(handle, piece, offset + start);
    }
    offset += chunk.length;
  }
}

async function restore(handle: FileHandle, before: Stats, replaced: readonly Replaced[]): Promise<void> {
  for (const { offset, data } of replaced) await writeAll(handle, data, offset);
  if (before.isFile()) await handle.truncate(before.size);
}
