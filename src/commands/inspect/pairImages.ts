/** Pairs the images of two folders by their paths, as `diff -r` does. */

import { join, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { isRemote } from '../../http/client/httpUrl.ts';
import { listUserFiles, statsOf } from '../../io/files/fileStates.ts';
import type { Io } from '../../io/io.ts';

export interface ImagePair {
  /** Path in both folders; undefined if the images themselves were given. */
  readonly file?: string;
  /** Undefined if the folder contains no such file. */
  readonly first: string | undefined;
  readonly second: string | undefined;
}

/** The pair of two images, or all pairs of two folders in the order of their paths. */
export async function pairImages(first: string, second: string, io: Io): Promise<ImagePair[]> {
  const isFirstFolder = await isFolder(first, io);
  const isSecondFolder = await isFolder(second, io);
  if (!isFirstFolder && !isSecondFolder) return [{ first, second }];
  if (!isFirstFolder || !isSecondFolder) {
    throw new UsageError('a folder can be compared only with another folder', {
      hint: 'pass two folders, or two images such as configs/worker-0.ign',
    });
  }
  const [before, after] = [await listImages(first, io), await listImages(second, io)];
  const files = [...new Set([...before, ...after])].toSorted();
  if (files.length === 0) {
    throw new UsageError(`neither ${first} nor ${second} contains an image or a config`, {
      hint: 'pass folders with files that end with .ign, .iso or .img',
    });
  }
  return files.map((file) => ({
    file,
    first: before.has(file) ? join(first, file) : undefined,
    second: after.has(file) ? join(second, file) : undefined,
  }));
}

async function isFolder(source: string, { cwd }: Io): Promise<boolean> {
  if (source === '-' || isRemote(source)) return false;
  return (await statsOf(resolve(cwd, source)))?.isDirectory() === true;
}

/** The paths in the folder of all files whose names are those of images and configs. */
async function listImages(folder: string, io: Io): Promise<Set<string>> {
  const files = await listUserFiles(folder, 'Folder', io);
  return new Set(files.filter((path) => /\.(?:ign|img|iso)$/.test(path)));
}
