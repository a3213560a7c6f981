/** Where an image ends by what it says itself. What is behind that, only an edit that was interrupted can have left there. */

import type { VolumeDescriptor } from '../formats/iso9660/descriptors.ts';
import { partitionsEnd } from '../formats/gpt.ts';
import { SECTOR, SYSTEM_AREA_SECTORS } from '../formats/iso9660/fields.ts';
import type { IsoTree } from './isoTree.ts';
import type { ImageAccess } from './overlay.ts';

/** In bytes, as each descriptor says it: the same in all of them, if the image is not damaged. */
export function volumeEnds(descriptors: readonly VolumeDescriptor[]): number[] {
  return descriptors.flatMap((descriptor) =>
    descriptor.type === 'primary' || descriptor.type === 'supplementary'
      ? [descriptor.volumeSpaceSize * SECTOR]
      : [],
  );
}

/** Bytes behind the end of the volume and of the partitions; those of a device belong to nobody. */
export async function bytesBehind(image: ImageAccess, { descriptors }: IsoTree): Promise<number> {
  if (image.isDevice === true) return 0;
  const partitions = partitionsEnd(await image.read(0, SYSTEM_AREA_SECTORS * SECTOR));
  return Math.max(0, image.size - Math.max(partitions, ...volumeEnds(descriptors)));
}
