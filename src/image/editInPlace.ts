/**
 * Changes an image where it is so that it is the old one or the new one, or is seen to be unfinished and can be undone,
 * whenever the process ends: `rollback.ts` has what undoes it.
 */

import { type ImageChange, sizeAfter } from './imageChange.ts';
import { type ByteRange, chunksOf, type Patch, patchSource } from './overlay.ts';
import { rollBack, type WritableImage, writeRollback } from './rollback.ts';

/** Old and new bytes are compared in pieces of this size, so that little is written where little differs. */
const COMPARED = 64 * 1024;

/**
 * Makes the change, one stage after the other. What already has the right bytes is not written; when something fails, what
 * was written is taken back.
 * @throws errors of the image and of the sources of patches as they are
 */
export async function editInPlace(image: WritableImage, change: ImageChange): Promise<void> {
  const { size } = image;
  const after = sizeAfter(change, size);
  const replaced = await findReplaced(image, change);
  if (replaced.length === 0 && after === size) return;
  const furthest = Math.max(after, sizeAfter({ stages: change.stages }, size));
  try {
    await writeRollback(image, replaced, furthest);
    for (const stage of change.stages) {
      for (const patch of stage) await writePatch(image, patch, size);
      await image.sync();
    }
    await image.truncate(after);
  } catch (error) {
    if (!(await rollBack(image))) await image.truncate(size); // not even its first bytes could be written
    throw error;
  }
  await image.sync();
}

/** What of the image will differ; what is appended to it replaces nothing. */
async function findReplaced(image: WritableImage, { stages }: ImageChange): Promise<ByteRange[]> {
  const ranges: { offset: number; length: number }[] = [];
  for (const patch of stages.flat()) {
    for await (const { offset, data } of piecesOf(patch, image.size)) {
      if (await holds(image, data, offset)) continue;
      const last = ranges.at(-1);
      if (last !== undefined && last.offset + last.length === offset) last.length += data.length;
      else ranges.push({ offset, length: data.length });
    }
  }
  return ranges;
}

/** @param size bytes of the image before the change */
async function writePatch(image: WritableImage, patch: Patch, size: number): Promise<void> {
  for await (const { offset, data } of piecesOf(patch, Infinity)) {
    const isAppended = offset + data.length > size;
    if (isAppended || !(await holds(image, data, offset))) await image.write(data, offset);
  }
}

interface Piece {
  readonly offset: number;
  readonly data: Uint8Array;
}

/** A patch up to `end` of the image, in pieces to compare. */
async function* piecesOf(patch: Patch, end: number): AsyncGenerator<Piece, void> {
  const source = patchSource(patch);
  const length = Math.min(source.size, end - patch.offset);
  let { offset } = patch;
  for await (const chunk of chunksOf(source, { offset: 0, length })) {
    for (let start = 0; start < chunk.length; start += COMPARED) {
      yield { offset: offset + start, data: chunk.subarray(start, start + COMPARED) };
    }
    offset += chunk.length;
  }
}

async function holds(image: WritableImage, data: Uint8Array, offset: number): Promise<boolean> {
  return Buffer.compare(await image.read(offset, data.length), data) === 0;
}
