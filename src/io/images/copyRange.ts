/** Copies an image, or a range of it, into a file or to standard output without holding it in memory. */

import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { changedImage, type ImageChange, keptRanges } from '../../image/imageChange.ts';
import { type ByteRange, CHUNK, reusedChunks } from '../../image/overlay.ts';
import { writeAll, writeAllNow } from '../files/handles.ts';
import type { OpenImage } from './imageBytes.ts';
import type { Io } from '../io.ts';
import { type DirectStdout, openDirectStdout, writeLentToStdout } from '../stdout.ts';

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
export async function streamImage(
  image: OpenImage,
  change: ImageChange,
  io: Pick<Io, 'stdout'>,
): Promise<void> {
  const { readNow } = image;
  const direct = readNow === undefined ? undefined : openDirectStdout(io);
  if (readNow === undefined || direct === undefined) return streamInOrder(image, change, io);
  try {
    await streamDirectly({ ...image, readNow }, change, direct);
  } finally {
    direct.close();
  }
}

async function streamInOrder(image: OpenImage, change: ImageChange, io: Pick<Io, 'stdout'>): Promise<void> {
  const { inOrder = (use) => use(image) } = image;
  await inOrder(async (bytes) => {
    const changed = changedImage(bytes, change);
    await writeLentToStdout(io, reusedChunks(changed, { offset: 0, length: changed.size }));
  });
}

type FileImage = OpenImage & Required<Pick<OpenImage, 'readNow'>>;

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
