/** Writes images with their changes to new files and to standard output. */

import { constants } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { CliError } from '../core/errors.ts';
import { once } from '../core/once.ts';
import { changedImage, type ImageChange } from '../image/imageChange.ts';
import { patchSource, type RandomAccess, reusedChunks } from '../image/overlay.ts';
import { writeChunks } from '../io/files/handles.ts';
import { createFile, type Fill, type NewFile } from '../io/files/newFile.ts';
import { copyOf, isDone } from '../io/files/shareFile.ts';
import type { Io } from '../io/io.ts';
import { writeLentToStdout } from '../io/stdout.ts';
import type { OpenImage } from './openImage.ts';

/** What becomes of an image in its copy. */
export interface PlannedCopy {
  readonly change: ImageChange;
  /** Permission bits that the content of the copy needs; they replace those of the output. */
  readonly mode?: number | undefined;
}

/** Receives the number of bytes written. */
type Report = (written: number) => void;

/**
 * Writes an image with its change to a new file. The system copies a regular file, or shares its blocks, while the change is
 * planned; other images, and files that this user cannot open again, are read afterwards.
 * @param report receives the number of bytes written, from time to time
 * @throws what `plan` throws, at once; the copy is removed then, although the system still writes it
 */
export async function copyWithChange(
  image: OpenImage,
  plan: () => Promise<PlannedCopy>,
  output: NewFile,
  report: Report = () => undefined,
): Promise<void> {
  const planned = once(plan);
  if (image.path !== undefined) {
    const copy = copyOf(image.path, constants.COPYFILE_FICLONE, (path, copying) =>
      reportSize(path, report, Promise.all([copying, planned()])),
    );
    const patch: Fill = async ({ handle }) => {
      const { change, mode } = await planned();
      await image.checkUnchanged();
      if ((await handle.stat()).size !== image.size) throw changedMeanwhile(image);
      await writeChange(handle, change);
      return mode;
    };
    if (await isDone(() => createFile({ ...output, size: image.size }, patch, copy))) return;
  }
  const { change, mode } = await planned();
  const changed = changedImage(image, change);
  await createFile({ ...output, size: changed.size }, async ({ handle, path }) => {
    await reportSize(path, report, writeChunks(handle, allChunks(changed)));
    await image.checkUnchanged();
    return mode;
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
export async function writeChange(handle: FileHandle, { stages, size }: ImageChange): Promise<void> {
  for (const patch of stages.flat()) await writeChunks(handle, allChunks(patchSource(patch)), patch.offset);
  if (size !== undefined) await handle.truncate(size);
}

/** Milliseconds between two looks at how far a copy is. */
const LOOK_EVERY = 200;

/** Reports the size of a file until it is copied: the system reports no progress. */
async function reportSize(path: string, report: Report, copying: Promise<unknown>): Promise<void> {
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
  await writeLentToStdout(io, allChunks(changedImage(image, change)));
  await image.checkUnchanged();
}
