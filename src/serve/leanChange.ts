/**
 * Changes of images in as little memory as they need. The place for a config on an ISO is a quarter of a mebibyte, most of
 * which is filled with zeros: without those, the images of thousands of hosts fit into memory, instead of a hundred.
 */

import type { ImageChange } from '../image/imageChange.ts';
import { type Patch, zeros } from '../image/overlay.ts';

/** The same change. What it holds is its own, and no part of larger memory. */
export function leanChange(change: ImageChange): ImageChange {
  return { ...change, stages: change.stages.map((stage) => stage.flatMap(leanPatches)) };
}

/** Bytes of memory that its patches take. */
export function heldBytes({ stages }: ImageChange): number {
  const sizes = stages.flat().map(({ data }) => (data instanceof Uint8Array ? data.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Fewer zeros are not worth a patch of their own. */
const LEAST_ZEROS = 1024;

function leanPatches({ offset, data }: Patch): Patch[] {
  if (!(data instanceof Uint8Array)) return [{ offset, data }];
  const used = data.findLastIndex((byte) => byte !== 0) + 1;
  const kept = data.length - used < LEAST_ZEROS ? data.length : used;
  const own = new Uint8Array(data.subarray(0, kept));
  if (kept === data.length) return [{ offset, data: own }];
  return [
    { offset, data: own },
    { offset: offset + kept, data: zeros(data.length - kept) },
  ];
}
