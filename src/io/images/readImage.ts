/** The frame of every command that reads an image: open it, work, close it, name it in errors. */

import { CliError, FormatError } from '../../core/errors.ts';
import type { OpenImage } from './imageBytes.ts';
import { type ImageIo, openImage } from './imageFile.ts';

/**
 * Opens an image for reading, whatever is on it: a path, a URL, or `-` for standard input.
 * @throws CliError in the user's terms, with its name where the message is about the image
 */
export async function readImage<T>(
  source: string,
  io: ImageIo,
  use: (image: OpenImage) => Promise<T>,
): Promise<T> {
  const image = await openImage(source, io);
  try {
    return await withImageName(image.name, () => use(image));
  } finally {
    await image.close();
  }
}

/** Errors of the step that are about the image get its name. */
export async function withImageName<T>(name: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint } = error;
    throw new CliError(`${name}: ${error.message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  }
}
