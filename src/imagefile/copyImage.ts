/** Writes images with their changes to new files and to standard output. */

import { constants } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { changedImage, type ImageChange } from '../image/imageChange.ts';
import { patchSource, type RandomAccess, reusedChunks } from '../image/overlay.ts';
import { writeChunks } from '../io/files/handles.ts';
import { createFile, type Fill, type NewFile } from '../io/files/newFile.ts';
import { copyOf, isDone } from '../io/files/shareFile.ts';
import type { Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import type { OpenImage } from './openImage.ts';

/** What to write: an image with its change. */
export interface ChangedImage {
  readonly image: OpenImage;
  readonly change: ImageChange;
}

/** Receives the number of bytes written. */
type Report = (written: number) => void;

/**
 * Writes an image with its change to a new file. The system copies a regular file, or shares its blocks; other images, and
 * files that this user cannot open again, are read.
 * @param report receives the number of bytes written, from time to time
 */
export async function copyWithChange(
  { image, change }: ChangedImage,
  output: NewFile,
  report: Report = () => undefined,
): Promise<void> {
  const changed = changedImage(image, change);
  const target = { ...output, size: changed.size };
  if (image.path !== undefined) {
    const copy = copyOf(image.path, constants.COPYFILE_FICLONE, (path, copying) =>
      reportSize(path, report, copying),
    );
    const patch: Fill = async ({ handle }) => {
      await image.checkUnchanged();
      if ((await handle.stat()).size !== image.size) throw changedMeanwhile(image);
      await writeChange(handle, change);
    };
    if (await isDone(() => createFile(target, patch, copy))) return;
  }
  await createFile(target, async ({ handle, path }) => {
    await reportSize(path, report, writeChunks(handle, allChunks(changed)));
    await image.checkUnchanged();
  });
}

function changedMeanwhile({ name }: OpenImage): CliError {
  return new CliError(`${name} changed while it was being copied`, {
    code: 'ERR_IMAGE_CHANGED',
    hint: `run the command again when no program writes to ${name}`,
  });
}

function allChunks(bytes: RandomAccess): AsyncGenerator<Uint8Array, void> {
  return reusedChunks(bytes, { offset: 0, length: bytes.size });
}

/** Changes a new file that has the bytes of the image. */
export async function writeChange(handle: FileHandle, { patches, size }: ImageChange): Promise<void> {
  for (const patch of patches) await writeChunks(handle, allChunks(patchSource(patch)), patch.offset);
  if (size !== undefined) await handle.truncate(size);
}

/** Milliseconds between two looks at how far a copy is. */
const LOOK_EVERY = 200;

/** Reports the size of a file until it is copied: the system reports no progress. */
async function reportSize(path: string, report: Report, copying: Promise<void>): Promise<void> {
  let isCopying = true;
  const look = (): void => {
    stat(path).then(
      ({ size }) => {
        if (isCopying) report(size);
      },
      () => undefined, // it is not there yet
    );
  };
  const timer = setInterval(look, LOOK_EVERY);
  try {
    await copying;
  } finally {
    isCopying = false;
    clearInterval(timer);
  }
}

/** Writes bytes that are no image of their own, such as a part of one, to a new file. */
export async function writeBytes(bytes: RandomAccess, target: NewFile): Promise<void> {
  await createFile({ ...target, size: bytes.size }, ({ handle }) => writeChunks(handle, allChunks(bytes)));
}

/** Writes all of the image as it is after the change. Ends quietly when the reader has gone. */
export async function streamImage(image: OpenImage, change: ImageChange, io: Io): Promise<void> {
  await writeStdout(io, allChunks(changedImage(image, change)));
  await image.checkUnchanged();
}
