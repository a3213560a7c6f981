/** The frame of every command that reads an image: open it, work, close it, name it in errors. */

import { CliError, FormatError } from '../errors.ts';
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
    return await use(image);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint } = error;
    throw new CliError(`${image.name}: ${error.message}`, {
      ...(hint !== undefined && { hint }),
      cause: error,
    });
  } finally {
    await image.close();
  }
}
