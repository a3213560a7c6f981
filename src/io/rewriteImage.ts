/** The frame of every command that reads or changes a live ISO: open it, work, deliver the result, name it in errors. */

import { resolve } from 'node:path';
import { CliError, FormatError } from '../errors.ts';
import { changedImage, type ImageChange } from '../image/imageChange.ts';
import { type LiveIso, openLiveIso } from '../image/liveIso.ts';
import { chunksOf } from '../image/overlay.ts';
import { type OpenImage, openImage } from './imageFile.ts';
import type { Io } from './io.ts';
import { checkNewFile, type NewFile } from './newFile.ts';
import { changeInPlace, copyWithChange } from './changeFile.ts';
import { refuseTerminal, writeStdout } from './stdout.ts';

/** Which image to change, and where the result goes. */
export interface Rewrite {
  readonly iso: string;
  /** A new file, or `-` for standard output; without, the image itself is changed. */
  readonly output?: string | undefined;
  /** Permission bits of a new file; without, what the umask gives. */
  readonly mode?: number | undefined;
}

/**
 * Opens a live ISO for reading.
 * @throws CliError in the user's terms, with the path where the message is about the image
 */
export async function readLiveIso<T>(
  path: string,
  io: Pick<Io, 'cwd'>,
  use: (iso: LiveIso, image: OpenImage) => Promise<T>,
): Promise<T> {
  const image = await openImage(path, io);
  try {
    return await use(await openLiveIso(image), image);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint } = error;
    throw new CliError(`${path}: ${error.message}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  } finally {
    await image.close();
  }
}

/**
 * Applies the change that `edit` works out. When anything fails, neither the image nor an existing file has changed.
 * @throws CliError in the user's terms
 */
export async function rewriteLiveIso(
  rewrite: Rewrite,
  edit: (iso: LiveIso) => Promise<ImageChange>,
  io: Io,
): Promise<void> {
  const destination = destinationOf(rewrite, io);
  await checkDestination(destination, rewrite, io);
  await readLiveIso(rewrite.iso, io, async (iso, image) => {
    const change = await edit(iso);
    await deliver({ image, change }, { destination, iso: rewrite.iso }, io);
  });
}

type Destination =
  | { readonly kind: 'in place' }
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly file: NewFile };

function destinationOf({ output, mode }: Rewrite, { cwd }: Io): Destination {
  if (output === undefined) return { kind: 'in place' };
  if (output === '-') return { kind: 'stdout' };
  return {
    kind: 'file',
    file: { path: resolve(cwd, output), shownPath: output, existing: 'refuse', mode },
  };
}

/** Copying takes a while; what is wrong with the destination is said before. */
async function checkDestination(destination: Destination, { iso }: Rewrite, io: Io): Promise<void> {
  if (destination.kind === 'stdout') refuseTerminal(io);
  if (destination.kind !== 'file') return;
  const { path, shownPath } = destination.file;
  if (path === resolve(io.cwd, iso)) {
    throw new CliError(`File exists: ${shownPath} is the input`, {
      hint: 'leave -o out to change the image itself, or write to another file',
    });
  }
  await checkNewFile(destination.file);
}

interface Result {
  readonly image: OpenImage;
  readonly change: ImageChange;
}

async function deliver(
  { image, change }: Result,
  { destination, iso }: { readonly destination: Destination; readonly iso: string },
  io: Io,
): Promise<void> {
  switch (destination.kind) {
    case 'in place':
      return changeInPlace(iso, change, io);
    case 'stdout': {
      const result = changedImage(image, change);
      return writeStdout(io, chunksOf(result, { offset: 0, length: result.size }));
    }
    case 'file':
      return copyWithChange({ image, change }, destination.file);
  }
}
