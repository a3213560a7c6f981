/**
 * What turns an image into another one, in an order that survives an interruption: an image is rewritten where it is in
 * stages, each of which is on the disk before the next begins. Copies and streams take all of it at once.
 */

import { FormatError } from '../core/errors.ts';
import {
  type ByteRange,
  overlay,
  type Patch,
  patchSource,
  type RandomAccess,
  type BufferReader,
} from './overlay.ts';

export interface ImageChange {
  /** Data come before the directory records and headers that point at them. Patches do not overlap. */
  readonly stages: readonly (readonly Patch[])[];
  /** Bytes of the image afterwards; without, it keeps its size or grows as far as the patches reach. */
  readonly size?: number;
  /** All files of the embed area afterwards, where the change says which. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
}

/** An image that stays as it is. */
export const unchanged: ImageChange = { stages: [] };

/** Of an image that keeps its size, where the order of the patches does not matter. */
export function patchesOnly(patches: readonly Patch[]): ImageChange {
  return { stages: [patches] };
}

/**
 * Both changes at once, stage by stage; only one of them may change the size.
 * @throws FormatError where they change the same bytes, since the image says so of its areas
 */
export function bothChanges(first: ImageChange, second: ImageChange): ImageChange {
  const count = Math.max(first.stages.length, second.stages.length);
  const stages = Array.from({ length: count }, (_, index) => [
    ...(first.stages[index] ?? []),
    ...(second.stages[index] ?? []),
  ]);
  const size = first.size ?? second.size;
  const files = first.files ?? second.files;
  return checkDisjoint({
    stages,
    ...(size !== undefined && { size }),
    ...(files !== undefined && { files }),
  });
}

/**
 * The change as it is, worked out from an image that may be damaged, or made to do harm.
 * @throws FormatError where two of its patches overlap: the image says of two of its parts that they are in one place
 */
export function checkDisjoint(change: ImageChange): ImageChange {
  const ranges = change.stages
    .flat()
    .map((patch) => ({ start: patch.offset, end: patch.offset + patchSource(patch).size }))
    .filter(({ start, end }) => start < end)
    .toSorted((left, right) => left.start - right.start);
  let previousEnd = 0;
  for (const { start, end } of ranges) {
    if (start < previousEnd) {
      throw new FormatError(`the image is damaged: two of its parts are at byte ${start}`, {
        offset: start,
        hint: 'download it again',
      });
    }
    previousEnd = end;
  }
  return change;
}

/** Bytes of an image of `size` bytes after the change. */
export function sizeAfter({ stages, size: after }: ImageChange, size: number): number {
  if (after !== undefined) return after;
  const ends = stages.flat().map((patch) => patch.offset + patchSource(patch).size);
  return ends.reduce((largest, end) => Math.max(largest, end), size);
}

/** The image as it is after the change. */
export function changedImage(base: BufferReader, { stages, size }: ImageChange): Required<BufferReader> {
  const whole = overlay(base, stages.flat());
  return size === undefined || size >= whole.size ? whole : { ...whole, size };
}

/** The longest stretches that are the same before and after the change, in order; none is empty. */
export function keptRanges(
  { size }: Pick<RandomAccess, 'size'>,
  { stages, size: newSize = size }: ImageChange,
): readonly ByteRange[] {
  const end = Math.min(size, newSize);
  const patches = stages
    .flat()
    .map((patch) => ({ offset: patch.offset, length: patchSource(patch).size }))
    .toSorted((left, right) => left.offset - right.offset);
  const kept: ByteRange[] = [];
  let offset = 0;
  for (const patch of [...patches, { offset: end, length: 0 }]) {
    const length = Math.min(patch.offset, end) - offset;
    if (length > 0) kept.push({ offset, length });
    offset = Math.max(offset, patch.offset + patch.length);
  }
  return kept;
}
