/** Writes the change of an image: into the image where it is, or into a copy of it. */

import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, open, stat } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { editInPlace } from '../../image/editInPlace.ts';
import { type ImageChange, sizeAfter } from '../../image/imageChange.ts';
import { chunksOf, lentChunksOf, patchSource } from '../../image/overlay.ts';
import type { RandomAccess } from '../../image/randomAccess.ts';
import { fileError } from '../files/fileErrors.ts';
import { writeAll } from '../files/handles.ts';
import type { OpenImage } from './imageBytes.ts';
import type { Io } from '../io.ts';
import type { NewFile } from '../files/newFile.ts';
import type { TempFile } from '../files/tempFile.ts';
import { openWritableImage } from './writableImage.ts';

/** Milliseconds between two looks at how far a copy is. */
const LOOK_EVERY = 200;

/**
 * Changes a file or block device where it is. It is the old image or the new one, or is seen to be unfinished and can be
 * undone, whenever the program ends; when something fails, what was written is taken back.
 * @param path as the user gave it
 * @throws CliError in the user's terms; the file is then as it was
 */
export async function changeInPlace(path: string, change: ImageChange, io: Pick<Io, 'cwd'>): Promise<void> {
  if (change.stages.length === 0 && change.size === undefined) return;
  const image = await openWritableImage(path, io);
  try {
    if (image.isDevice === true && sizeAfter(change, image.size) !== image.size) {
      throw new CliError(`${path} is a block device, which cannot become longer or shorter with its image`, {
        hint: 'write the result to a file with -o, and copy that to the device',
      });
    }
    await editInPlace(image, change);
  } catch (error) {
    throw fileError(error, { path, what: 'ISO image', action: 'write' });
  } finally {
    await image.close();
  }
}

/** What to write: an image with its change. */
export interface ChangedImage {
  readonly image: OpenImage;
  readonly change: ImageChange;
}

/**
 * Writes an image with its change to a new file: by sharing the blocks of the original where the file system can, by
 * copying otherwise.
 * @param report is told how many bytes are written, now and then
 * @throws CliError in the user's terms; there is then no output
 */
export async function copyWithChange(
  { image, change }: ChangedImage,
  output: NewFile,
  report: Report = () => undefined,
): Promise<void> {
  const { kind, path, size } = image;
  const original = kind === 'file' && path !== undefined ? { path, size } : undefined;
  const fill = async ({ handle }: TempFile): Promise<void> => {
    if (original === undefined) await copyInOrder(image, handle, report);
    for (const patch of change.stages.flat()) await copyData(patchSource(patch), handle, patch.offset);
    if (change.size !== undefined) await handle.truncate(change.size);
  };
  const { createFile } = await import('../files/newFile.ts'); // changing in place gets by without
  await createFile(output, fill, original && ((target) => copyOriginal(original, target, report)));
}

/** Is told how many bytes are written. */
type Report = (written: number) => void;

/** The system copies as fast as `cp`, and tells nobody how far it is. */
async function copyOriginal(
  source: { readonly path: string; readonly size: number },
  target: string,
  report: Report,
): Promise<FileHandle> {
  const look = (): void => {
    stat(target).then(
      ({ size }) => report(size),
      () => undefined, // it is not there yet
    );
  };
  const timer = setInterval(look, LOOK_EVERY);
  try {
    await copyFile(source.path, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await chmod(target, 0o600); // copyFile takes over the mode of the original, which may forbid writing
    const handle = await open(target, 'r+');
    if ((await handle.stat()).size === source.size) return handle;
    await handle.close();
    throw new CliError('The ISO image became another while it was copied', { hint: 'try again' });
  } finally {
    clearInterval(timer);
  }
}

/** Reads the original once, from start to end. */
async function copyInOrder(image: OpenImage, target: FileHandle, report: Report): Promise<void> {
  const inOrder = image.inOrder ?? ((use) => use(image));
  await inOrder(async (bytes) => {
    let written = 0;
    for await (const chunk of lentChunksOf(bytes, { offset: 0, length: bytes.size })) {
      await writeAll(target, chunk, written);
      written += chunk.length;
      report(written);
    }
  });
}

async function copyData(source: RandomAccess, target: FileHandle, start: number): Promise<void> {
  let offset = start;
  for await (const chunk of chunksOf(source, { offset: 0, length: source.size })) {
    await writeAll(target, chunk, offset);
    offset += chunk.length;
  }
}
