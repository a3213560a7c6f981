/** Reads an initramfs: a file, a named pipe, a URL or standard input. It may be larger than memory. */

import { located } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteReader.ts';
import { withOpened } from '../../imagefile/imageFile.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import type { Io } from '../../io/io.ts';
import { readAs } from './contentKind.ts';

/**
 * Opens an initramfs, calls `use` and closes it.
 * @param source a path, a URL, or `-` for standard input
 * @throws CliError with the name if it cannot be read or is not an initramfs
 */
export async function withInitrd<T>(
  source: string,
  io: Io,
  use: (bytes: ByteSource) => Promise<T>,
): Promise<T> {
  return withOpened(io, async (open) => {
    const image = await open(source, 'Initramfs');
    const result = await readInitrdImage(image, use);
    await image.checkUnchanged();
    return result;
  });
}

/** The result of `read`. @throws CliError that names what the file is, or that begins with its name */
export async function readInitrdImage<T>(
  image: OpenImage,
  read: (bytes: ByteSource) => Promise<T>,
): Promise<T> {
  return located({ subject: `${image.name}:` }, () => readAs('an initramfs', image, read));
}
