/**
 * Changes of an image, in an order that survives an interruption. An in-place edit writes the stages one after the other,
 * and flushes each to the disk. Copies and streams apply all stages at the same time.
 */

import { FormatError } from '../core/errors.ts';
import { DOWNLOAD_AGAIN } from './imageHints.ts';
import {
  type ByteRange,
  type ImageBytes,
  overlay,
  type Patch,
  patchRange,
  type RandomAccess,
} from './overlay.ts';

export interface ImageChange {
  /** Data is written before the directory records and headers that point to it. Patches do not overlap. */
  readonly stages: readonly (readonly Patch[])[];
  /** Size of the changed image in bytes (default: the current size, or the end of the last patch if that is larger). */
  readonly size?: number;
  /** All files of the embed area after the change, if the change affects them. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** The whole line of kernel arguments after the change, if the change affects it. */
  readonly kargs?: string | undefined;
}

/** The change that changes nothing. */
export const unchanged: ImageChange = { stages: [] };

/** A change whose patches may be written in any order. */
export function patchesOnly(patches: readonly Patch[]): ImageChange {
  return { stages: [patches] };
}

/**
 * Returns the change, after it checks that no patches overlap. The image may be damaged or malicious.
 * @throws FormatError if two patches overlap, because two parts of the image have the same offset
 */
export function checkDisjoint(change: ImageChange): ImageChange {
  let end = 0;
  for (const { offset, length } of rangesOf(change).toSorted((a, b) => a.offset - b.offset)) {
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

/** Where the patches write. */
function rangesOf({ stages }: ImageChange): ByteRange[] {
  return stages.flat().map(patchRange);
}

/** Size after the change of an image of `size` bytes. */
export function sizeAfter({ stages, size: after }: ImageChange, size: number): number {
  if (after !== undefined) return after;
  return rangesOf({ stages }).reduce((end, { offset, length }) => Math.max(end, offset + length), size);
}

/** The image after the change. */
export function changedImage(base: RandomAccess, { stages, size }: ImageChange): ImageBytes {
  const whole = overlay(base, stages.flat());
  return size === undefined || size >= whole.size ? whole : { ...whole, size };
}
