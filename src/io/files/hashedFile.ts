/**
 * New files whose digest is taken from the bytes on their way to the disk: nobody reads them again for it, and one thread
 * computes while others copy. Left out: changing files in place, which `changeFile.ts` does.
 */

import { createHash, type Hash } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { changedImage, type ImageChange } from '../../image/imageChange.ts';
import { type ByteRange, reusedChunks, type BufferReader } from '../../image/overlay.ts';
import { writeChange } from '../images/changeFile.ts';
import { writeAll } from './handles.ts';
import type { OpenImage } from '../images/imageBytes.ts';
import { createFile, type NewFile } from './newFile.ts';
import { cloneOf, isDone } from './shareFile.ts';
import type { TempFile } from './tempFile.ts';

/** What to write: an image with its change. */
export interface ImageCopy {
  readonly image: OpenImage;
  readonly change: ImageChange;
}

/**
 * Writes an image with its change to a new file, which shares the blocks of the original where the file system can.
 * Gives the SHA-256 of the file in hexadecimal.
 * @throws CliError in the user's terms; there is then no new file
 */
export async function copyHashed(copy: ImageCopy, target: NewFile): Promise<string> {
  const { image, change } = copy;
  const changed = changedImage(image, change);
  const { kind, path } = image;
  const isCloned =
    kind === 'file' && path !== undefined && (await isDone(() => cloneChanged(copy, path, target)));
  return isCloned ? hashBytes(changed) : writeHashed(changed, target);
}

async function cloneChanged({ image, change }: ImageCopy, original: string, target: NewFile): Promise<void> {
  const { name, size } = image;
  const fill = async ({ handle }: TempFile): Promise<void> => {
    if ((await handle.stat()).size !== size) {
      throw new CliError(`${name} became another file while it was copied`, {
        code: 'ERR_IMAGE_CHANGED',
        hint: 'try again',
      });
    }
    await writeChange(handle, change);
  };
  await createFile(target, fill, cloneOf(original, 'only clone'));
}

/**
 * Writes bytes, or a range of them, from first to last to a new file, and gives its SHA-256 in hexadecimal.
 * @throws CliError in the user's terms; there is then no new file
 */
export async function writeHashed(
  bytes: BufferReader,
  target: NewFile,
  range: ByteRange = { offset: 0, length: bytes.size },
): Promise<string> {
  const hash = createHash('sha256');
  await createFile(target, async ({ handle }) => {
    let position = 0;
    for await (const chunk of reusedChunks(bytes, range)) {
      const writing = writeAll(handle, chunk, position);
      hash.update(chunk); // while another thread writes
      await writing;
      position += chunk.length;
    }
  });
  return hash.digest('hex');
}

async function hashBytes(bytes: BufferReader): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of reusedChunks(bytes, { offset: 0, length: bytes.size })) hash.update(chunk);
  return hash.digest('hex');
}

/** The digest of what `prefix` has taken in, and of these bytes behind it; `prefix` stays as it is. */
export function digestBehind(prefix: Hash, bytes: Uint8Array): string {
  return prefix.copy().update(bytes).digest('hex');
}
