/** Where a config may be: a file, a live ISO, an initramfs, a URL of one of them, standard input. Opens it, and tells which. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { detectImageKind, type ImageKind } from '../../image/imageKind.ts';
import { bytesAccess, type ImageAccess } from '../../image/overlay.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { readUserFile } from '../../io/files/files.ts';
import { isRemote } from '../../io/http/httpUrl.ts';
import { openImage } from '../../io/images/imageFile.ts';
import type { Io } from '../../io/io.ts';

export interface ImageInput {
  readonly kind: ImageKind;
  /** As it may be shown. */
  readonly name: string;
  readonly image: ImageAccess;
}

/** What the source is to the user, and how much of anything but an image, which is read in parts, is still plausible. */
export interface ExpectedSource {
  /** Begins a sentence, e.g. `Deployed config`. */
  readonly what: string;
  readonly maxBytes: number;
}

/**
 * Opens what `source` names for `use`; `-` is standard input.
 * @throws CliError in the user's terms
 */
export async function readImageSource<T>(
  source: string,
  expected: ExpectedSource,
  {
    io,
    use,
  }: { readonly io: Pick<Io, 'cwd' | 'note' | 'stdin'>; readonly use: (source: ImageInput) => Promise<T> },
): Promise<T> {
  if (!isRemote(source) && source !== '-' && !(await isSeekable(source, expected, io))) {
    const image = bytesAccess(await readUserFile(source, io, expected));
    return use(await detected(source, image, io));
  }
  const image = await openImage(source, io);
  try {
    const result = await use(await detected(image.name, image, io));
    await image.checkUnchanged?.();
    return result;
  } finally {
    await image.close();
  }
}

async function detected(name: string, image: ImageAccess, { note }: Pick<Io, 'note'>): Promise<ImageInput> {
  const kind = await detectImageKind(image);
  note?.(`${name} is told by its content: ${kind === 'other' ? 'no image' : kind}`);
  return { kind, name, image };
}

/**
 * All bytes of anything but an image.
 * @throws CliError where they are too many
 */
export async function readWhole(
  { image, name }: ImageInput,
  { maxBytes }: ExpectedSource,
): Promise<Uint8Array> {
  if (image.size <= maxBytes) return image.read(0, image.size);
  throw new CliError(`${name} is too large: more than ${maxBytes} bytes`, {
    hint: 'give an Ignition config, a live ISO or an initramfs',
  });
}

/** Pipes are not: they are read from start to end. */
async function isSeekable(
  path: string,
  { what }: ExpectedSource,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<boolean> {
  const stats = await stat(resolve(cwd, path)).catch((error: unknown) => {
    throw fileError(error, { path, what, action: 'read' });
  });
  return stats.isFile() || stats.isBlockDevice();
}
