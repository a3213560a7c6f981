/** Copies of images, with their change: to new files, with or without a digest, and to standard output. */

import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CliError } from '../core/errors.ts';
import { changedImage, type ImageChange, keptRanges } from '../image/imageChange.ts';
import { type RandomAccess, type ByteRange, CHUNK, patchSource, reusedChunks } from '../image/overlay.ts';
import { writeAll, writeAllNow, writeChunks } from '../io/files/handles.ts';
import { createFile, type Fill, type NewFile } from '../io/files/newFile.ts';
import { cloneOf, isDone } from '../io/files/shareFile.ts';
import type { Io } from '../io/io.ts';
import { type DirectStdout, openDirectStdout, writeLentToStdout } from '../io/stdout.ts';
import type { OpenImage } from './imageBytes.ts';

/** What to write: an image with its change. */
export interface ChangedImage {
  readonly image: OpenImage;
  readonly change: ImageChange;
}

/** Receives the number of bytes written. */
type Report = (written: number) => void;

/**
 * Writes an image with its change to a new file: by sharing the blocks of the original where the file system can, by
 * copying otherwise.
 * @param report receives the number of bytes written, from time to time
 * @throws CliError in the user's terms; there is then no output
 */
export async function copyWithChange(
  { image, change }: ChangedImage,
  output: NewFile,
  report: Report = () => undefined,
): Promise<void> {
  if (await isCloned({ image, change }, output)) return;
  const { size } = changedImage(image, change);
  await createFile({ ...output, size }, async ({ handle, path }) => {
    await reportSize(path, report, copyRange(image, { offset: 0, length: image.size }, handle));
    await image.checkUnchanged?.();
    await writeChange(handle, change);
  });
}

/**
 * The same, and returns the SHA-256 of the file in hexadecimal. If blocks cannot be shared, the digest is computed from the
 * bytes during the copy, without a second read: one thread computes while another one copies.
 * @throws CliError in the user's terms; there is then no new file
 */
export async function copyHashed({ image, change }: ChangedImage, target: NewFile): Promise<string> {
  const changed = changedImage(image, change);
  if (!(await isCloned({ image, change }, target))) return writeHashed(changed, target);
  const hash = createHash('sha256');
  for await (const chunk of reusedChunks(changed, { offset: 0, length: changed.size })) hash.update(chunk);
  return hash.digest('hex');
}

/** Writes the changed image to a new file that shares blocks with it; false if the file system does not support it. */
async function isCloned({ image, change }: ChangedImage, target: NewFile): Promise<boolean> {
  const { kind, path } = image;
  if (kind !== 'file' || path === undefined) return false;
  const fill: Fill = async ({ handle }) => {
    await image.checkUnchanged?.();
    if ((await handle.stat()).size !== image.size)
      throw new CliError(`${image.name} changed while it was being copied`, {
        code: 'ERR_IMAGE_CHANGED',
        hint: `run the command again when no program writes to ${image.name}`,
      });
    await writeChange(handle, change);
  };
  return isDone(() => createFile(target, fill, cloneOf(path)));
}

/** Changes a new file that has the bytes of the image. */
export async function writeChange(handle: FileHandle, { stages, size }: ImageChange): Promise<void> {
  for (const patch of stages.flat()) {
    const data = patchSource(patch);
    await writeChunks(handle, reusedChunks(data, { offset: 0, length: data.size }), patch.offset);
  }
  if (size !== undefined) await handle.truncate(size);
}

/** Milliseconds between two looks at how far a copy is. */
const LOOK_EVERY = 200;

/** Reports the size of a file until it is copied. Copies by the system are as fast as those of `cp`, but report no progress. */
async function reportSize<T>(path: string, report: Report, copying: Promise<T>): Promise<T> {
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
    return await copying;
  } finally {
    isCopying = false;
    clearInterval(timer);
  }
}

/**
 * Writes bytes from first to last to a new file, and gives its SHA-256 in hexadecimal.
 * @throws CliError in the user's terms; there is then no new file
 */
export async function writeHashed(bytes: RandomAccess, target: NewFile): Promise<string> {
  const hash = createHash('sha256');
  await createFile({ ...target, size: bytes.size }, async ({ handle }) => {
    let position = 0;
    for await (const chunk of reusedChunks(bytes, { offset: 0, length: bytes.size })) {
      const writing = writeAll(handle, chunk, position);
      hash.update(chunk); // while another thread writes
      await writing;
      position += chunk.length;
    }
  });
  return hash.digest('hex');
}

/** The digest of what `prefix` has taken in, and of these bytes behind it; `prefix` stays as it is. */
export function digestBehind(prefix: Hash, bytes: Uint8Array): string {
  return prefix.copy().update(bytes).digest('hex');
}

/** Bytes between two looks at what else there is to do, such as to end on a signal: some tens of milliseconds. */
const TURN = 32 * CHUNK;

/** Copies a range of an image to the start of `target`. */
export async function copyRange(image: OpenImage, range: ByteRange, target: FileHandle): Promise<void> {
  const { inOrder = (use) => use(image), readNow } = image;
  if (readNow === undefined) {
    return inOrder((bytes) => writeChunks(target, reusedChunks(bytes, range)), range);
  }
  const write: DirectTarget['write'] = (bytes, position) => {
    writeAllNow(target.fd, bytes, position);
    return 'written';
  };
  await copyNow(readNow, range, { write, blockSize: CHUNK });
}

/** Where bytes go at once. */
interface DirectTarget {
  /** `position` counts from the start of the range that is copied. `reader gone` ends the copying. */
  readonly write: (bytes: Uint8Array, position: number) => 'written' | 'reader gone';
  /** Bytes that are written at once. */
  readonly blockSize: number;
}

/**
 * Copies what can be read at once to where it can be written at once: so short are these steps that waiting for other
 * threads to take them would take longer.
 */
async function copyNow(
  readNow: NonNullable<OpenImage['readNow']>,
  { offset, length }: ByteRange,
  { write, blockSize }: DirectTarget,
): Promise<'written' | 'reader gone'> {
  const buffer = Buffer.allocUnsafe(Math.min(blockSize, length));
  for (let position = 0; position < length; position += blockSize) {
    if (position % TURN === 0) await nextTurn();
    const block = buffer.subarray(0, Math.min(blockSize, length - position));
    readNow(block, offset + position);
    if (write(block, position) === 'reader gone') return 'reader gone';
  }
  return 'written';
}

/**
 * Writes all of the image as it is after the change. Ends quietly when the reader has gone.
 * @throws CliError in the user's terms
 */
export async function streamImage(image: OpenImage, change: ImageChange, io: Io): Promise<void> {
  const { readNow } = image;
  const direct = readNow === undefined ? undefined : openDirectStdout(io);
  if (readNow === undefined || direct === undefined) {
    const { inOrder = (use) => use(image) } = image;
    return inOrder(async (bytes) => {
      const changed = changedImage(bytes, change);
      await writeLentToStdout(io, reusedChunks(changed, { offset: 0, length: changed.size }));
    });
  }
  try {
    await streamDirectly({ ...image, readNow }, change, direct);
  } finally {
    direct.close();
  }
}

interface FileImage extends OpenImage {
  readonly readNow: NonNullable<OpenImage['readNow']>;
}

async function streamDirectly(image: FileImage, change: ImageChange, direct: DirectStdout): Promise<void> {
  const changed = changedImage(image, change);
  const end = { offset: changed.size, length: 0 };
  let written = 0;
  for (const kept of [...keptRanges(image, change), end]) {
    const patched = { offset: written, length: kept.offset - written };
    for await (const chunk of reusedChunks(changed, patched)) {
      if (direct.write(chunk) === 'reader gone') return;
    }
    if ((await copyNow(image.readNow, kept, direct)) === 'reader gone') return;
    written = kept.offset + kept.length;
  }
}
