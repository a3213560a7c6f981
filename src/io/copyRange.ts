/** Copies a stretch of an image into a file without holding it in memory. */

import type { FileHandle } from 'node:fs/promises';
import { type ByteRange, CHUNK } from '../image/overlay.ts';
import { writeAll } from './handles.ts';
import type { OpenImage } from './imageBytes.ts';

/** To the start of `target`. Two loops at once, each with a buffer of its own: one reads while the other writes. */
export async function copyRange(image: OpenImage, range: ByteRange, target: FileHandle): Promise<void> {
  let next = 0; // shared: each loop takes the next chunk that nobody has
  const copyChunks = async (): Promise<void> => {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, range.length));
    while (next < range.length) {
      const position = next;
      next += CHUNK;
      const chunk = buffer.subarray(0, Math.min(CHUNK, range.length - position));
      await image.readInto(chunk, range.offset + position);
      await writeAll(target, chunk, position);
    }
  };
  // Both have to end before the file is closed, also when one of them fails.
  for (const result of await Promise.allSettled([copyChunks(), copyChunks()])) {
    if (result.status === 'rejected') throw result.reason;
  }
}
