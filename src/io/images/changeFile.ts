/** Writes the change of an image: into the image where it is, or into a copy of it. */

import { type FileHandle, stat } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { editInPlace } from '../../image/rollback.ts';
import { type ImageChange, sizeAfter } from '../../image/imageChange.ts';
import { reusedChunks, patchSource } from '../../image/overlay.ts';
import { fileError } from '../files/fileErrors.ts';
import { writeAll, writeChunks } from '../files/handles.ts';
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
        code: 'ERR_IMAGE_SPACE',
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
    await writeChange(handle, change);
  };
  const { createFile } = await import('../files/newFile.ts'); // changing in place gets by without
  await createFile(output, fill, original && ((target) => copyOriginal(original, target, report)));
}

/** Changes a new file that has the bytes of the image. */
export async function writeChange(handle: FileHandle, { stages, size }: ImageChange): Promise<void> {
  for (const patch of stages.flat()) {
    const data = patchSource(patch);
    await writeChunks(handle, reusedChunks(data, { offset: 0, length: data.size }), patch.offset);
  }
  if (size !== undefined) await handle.truncate(size);
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
    const { cloneOf } = await import('../files/shareFile.ts');
    const handle = await cloneOf(source.path, 'or copy')(target);
    if ((await handle.stat()).size === source.size) return handle;
    await handle.close();
    throw new CliError('The ISO image became another while it was copied', {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'try again',
    });
  } finally {
    clearInterval(timer);
  }
}

/** Reads the original once, from start to end. */
async function copyInOrder(image: OpenImage, target: FileHandle, report: Report): Promise<void> {
  const inOrder = image.inOrder ?? ((use) => use(image));
  await inOrder(async (bytes) => {
    let written = 0;
    for await (const chunk of reusedChunks(bytes, { offset: 0, length: bytes.size })) {
      await writeAll(target, chunk, written);
      written += chunk.length;
      report(written);
    }
  });
}
