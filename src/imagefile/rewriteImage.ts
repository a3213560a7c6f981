/** The frame of every command that reads or changes a live ISO: open it, work, deliver the result, name it in errors. */

import { formatCount } from '../formats/messageText.ts';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FormatError, UsageError, located } from '../core/errors.ts';
import { readAppendix } from '../image/appendix.ts';
import type { EmbedFiles } from '../image/embedArea.ts';
import type { Growth } from '../image/growth.ts';
import { changedImage, type ImageChange } from '../image/imageChange.ts';
import { openIsoTree } from '../image/isoTree.ts';
import { MEDIUM_FOLDER } from '../image/mediumFiles.ts';
import { type LiveIso, openLiveIso } from '../image/liveIso.ts';
import { bytesAccess, patchSource } from '../image/overlay.ts';
import { copyWithChange, streamImage, type ChangedImage } from './copyImage.ts';
import { changeInPlace, editAlone } from './writableImage.ts';
import { type ImageIo, isLocalImage, isPipe, readImage } from './imageFile.ts';
import { checkOutput, modeForFiles, outputFile, type OutputOptions, warnOfSecrets } from './imageOutput.ts';
import type { ExitCode, Io } from '../io/io.ts';
import type { OpenImage } from './openImage.ts';
import type { NewFile } from '../io/files/newFile.ts';
import { canAllRead } from '../io/files/platform.ts';
import { showTransfer } from '../io/progress.ts';

/** Whether the image may become larger. */
export interface GrowthOptions {
  /** The image may become longer where what is embedded does not fit. */
  readonly grow?: boolean;
  /** And by more than hosts usually have the memory for. */
  readonly force?: boolean;
}

/** Which image to change, and where the result goes: without an output, into the image itself. */
export interface Rewrite extends OutputOptions, GrowthOptions {
  /** A path, a URL, or `-` for standard input; only what has a path can be changed itself. */
  readonly iso: string;
}

/**
 * Opens a live ISO for reading: a path, a URL, or `-` for standard input.
 * @throws CliError with the name of the image where the message is about it
 */
export async function readLiveIso<T>(
  source: string,
  io: ImageIo,
  use: (iso: LiveIso) => Promise<T>,
): Promise<T> {
  return readImage(source, io, async (image) => {
    const result = await use(await openLiveIso(image));
    await image.checkUnchanged();
    return result;
  });
}

/**
 * Applies the change that `edit` works out, and returns the exit code. When anything fails, neither the image nor an
 * existing file has changed.
 */
export async function rewriteLiveIso(
  rewrite: Rewrite,
  edit: (iso: LiveIso) => Promise<ImageChange>,
  io: Io,
): Promise<ExitCode> {
  const { iso: source, grow = false, force = false, output } = rewrite;
  const file = outputFile(rewrite, io);
  if (output !== undefined) await checkOutput(file, [source], io);
  else await requirePlace(source, io);
  const run = (): Promise<void> =>
    readImage(source, io, async (image) => {
      const iso = await openLiveIso(image, growthOf(grow, force));
      logImage(iso, io);
      const change = await edit(iso);
      logChange(change, image, io);
      if (output === undefined) await deliverInPlace({ iso, image, change }, source, io);
      else await deliverCopy({ iso, image, change }, file, io);
    });
  await (output === undefined ? editAlone(source, io, run) : run());
  return 0;
}

/** @throws UsageError for an image that cannot be changed in place */
async function requirePlace(source: string, { cwd }: Io): Promise<void> {
  const isOnce = isLocalImage(source) && (await isPipe(resolve(cwd, source)));
  if (isLocalImage(source) && !isOnce) return;
  const kind = isOnce ? 'from a pipe' : source === '-' ? 'from standard input' : 'at a URL';
  throw new UsageError(`an image ${kind} cannot be changed in place`, {
    hint: 'write the result to a new file with -o, or to standard output with "-o -"',
  });
}

/**
 * Returns the bytes of the changed image.
 */
export async function rewriteLiveBytes(
  image: Uint8Array,
  { grow = false, force = false }: GrowthOptions,
  edit: (iso: LiveIso) => Promise<ImageChange>,
): Promise<Uint8Array> {
  return located({ subject: 'image:', code: 'ERR_IMAGE' }, async () => {
    const base = bytesAccess(image);
    const changed = changedImage(base, await edit(await openLiveIso(base, growthOf(grow, force))));
    return changed.read(0, changed.size);
  });
}

function growthOf(grow: boolean, force: boolean): Growth {
  return grow ? (force ? 'any' : 'usual') : 'refused';
}

function logImage({ embedArea, label }: LiveIso, { note }: Io): void {
  const { file, length, offset } = embedArea;
  const where = file ?? 'the initramfs';
  note?.(`live ISO ${label}: reserved area in ${where}, ${length} bytes at offset ${offset}`);
}

function logChange({ patches, size }: ImageChange, image: OpenImage, { note }: Io): void {
  if (note === undefined) return;
  const bytes = patches.reduce((sum, patch) => sum + patchSource(patch).size, 0);
  const grown = (size ?? image.size) - image.size;
  const length =
    grown === 0
      ? 'image size unchanged'
      : `image ${Math.abs(grown)} bytes ${grown > 0 ? 'longer' : 'shorter'}`;
  note(
    `changed ${formatCount(patches.length, 'range')} of the image (${formatCount(bytes, 'byte')}); ${length}`,
  );
}

interface Result extends ChangedImage {
  readonly iso: LiveIso;
}

async function deliverInPlace(result: Result, path: string, io: Io): Promise<void> {
  await result.image.checkUnchanged();
  await changeInPlace(path, result.change, io);
  const { files = new Map() } = result.change;
  if (files.size === 0 || !canAllRead(await stat(resolve(io.cwd, path)))) return;
  warnOfSecrets(await result.iso.embeddedFiles(), files, io);
}

/** @param file undefined for standard output */
async function deliverCopy(result: Result, file: NewFile | undefined, io: Io): Promise<void> {
  const { image, change } = result;
  if (file === undefined) return streamImage(image, change, io);
  const mode = file.mode ?? modeForFiles(undefined, await filesOnImage(result), io);
  const { name, size } = image;
  const progress = showTransfer(io, name);
  try {
    await copyWithChange(result, { ...file, mode }, (written) => progress.update(written, size));
    progress.update(size, size);
  } finally {
    progress.end();
  }
}

/** Larger files on the medium are archives of container images. */
const MAX_SECRET = 4 * 1024 * 1024;

/** The embedded files and the files on the medium of the changed image. Files that cannot be read do not require a mode. */
async function filesOnImage({ change, image, iso }: Result): Promise<EmbedFiles> {
  try {
    const changed = changedImage(image, change);
    const files = new Map(change.files ?? (await iso.embeddedFiles()));
    const appendix = await readAppendix(await openIsoTree(changed));
    for (const { name, offset, size } of appendix?.mediumFiles ?? []) {
      if (size <= MAX_SECRET) files.set(`${MEDIUM_FOLDER}/${name}`, await changed.read(offset, size));
    }
    return files;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return new Map();
  }
}
