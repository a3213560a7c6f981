/** Changes of an image, which are written in place, to a copy or to a stream, or served. */

import { FormatError } from '../core/errors.ts';
import { largest } from '../core/lists.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import { type ImageBytes, overlay, type Patch, patchRange, type RandomAccess } from './overlay.ts';

export interface ImageChange {
  /** Data comes before the directory records and headers that point to it. Patches do not overlap. */
  readonly patches: readonly Patch[];
  /** Size of the changed image in bytes (default: the current size, or the end of the last patch if that is larger). */
  readonly size?: number;
  /** All files of the embed area after the change, if the change affects them. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** The whole line of kernel arguments after the change, if the change affects it. */
  readonly kargs?: string | undefined;
}

/**
 * Returns the change, after it checks that no patches overlap. The image may be damaged or malicious.
 * @throws FormatError if two patches overlap, because two parts of the image have the same offset
 */
export function checkDisjoint(change: ImageChange): ImageChange {
  let end = 0;
  const ranges = change.patches.map(patchRange);
  for (const { offset, length } of ranges.toSorted((a, b) => a.offset - b.offset)) {
    if (length === 0) continue;
    if (offset < end) {
      throw new FormatError(`the image is damaged: two of its parts overlap at byte ${offset}`, {
        offset,
        hint: DOWNLOAD_AGAIN,
      });
    }
    end = offset + length;
  }
  return change;
}

/** Size after the change of an image of `size` bytes. */
export function sizeAfter({ patches, size: after }: ImageChange, size: number): number {
  return (
    after ??
    largest(
      patches.map(patchRange).map(({ offset, length }) => offset + length),
      size,
    )
  );
}

/** The image after the change. */
export function changedImage(base: RandomAccess, { patches, size }: ImageChange): ImageBytes {
  const whole = overlay(base, patches);
  return size === undefined || size >= whole.size ? whole : { ...whole, size };
}
