/** Copies a stretch of an image into a file without holding it in memory. */

import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ByteRange, CHUNK } from '../../image/overlay.ts';
import { writeAll, writeAllNow } from '../files/handles.ts';
import type { OpenImage } from './imageBytes.ts';

/** Bytes between two looks at what else there is to do, such as to end on a signal: some tens of milliseconds. */
const TURN = 32 * CHUNK;

/** To the start of `target`. */
export async function copyRange(image: OpenImage, range: ByteRange, target: FileHandle): Promise<void> {
  const { readNow, inOrder = (use) => use(image) } = image;
  if (readNow !== undefined) {
    const write: DirectTarget['write'] = (bytes, position) => {
      writeAllNow(target.fd, bytes, position);
      return 'written';
    };
    await copyNow(readNow, range, { write, blockSize: CHUNK });
    return;
  }
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, range.length));
  await inOrder(async (bytes) => {
    for (let position = 0; position < range.length; position += CHUNK) {
      const chunk = buffer.subarray(0, Math.min(CHUNK, range.length - position));
      await bytes.readInto(chunk, range.offset + position);
      await writeAll(target, chunk, position);
    }
  }, range);
}

/** Where bytes go at once. */
export interface DirectTarget {
  /** `position` counts from the start of the range that is copied. `reader gone` ends the copying. */
  readonly write: (bytes: Uint8Array, position: number) => 'written' | 'reader gone';
  /** Bytes that are written at once. */
  readonly blockSize: number;
}

/**
 * Copies what can be read at once to where it can be written at once: so short are these steps that waiting for other
 * threads to take them would take longer.
 */
export async function copyNow(
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
