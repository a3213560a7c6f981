/** What of an image a change leaves as it is: for those who can copy that faster than by reading the changed image. */

import type { ImageChange } from './imageChange.ts';
import { type ByteRange, patchSource } from './overlay.ts';
import type { RandomAccess } from './randomAccess.ts';

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
