/**
 * The finalizer that image builders put on a PreprovisioningImage, under the name that all of them use, so that one builder
 * can take the place of another. Nothing here would have to be cleaned up: images are made when they are fetched.
 */

import type { PreprovisioningImage } from './preprovisioningImage.ts';

const FINALIZER = 'preprovisioningimage.metal3.io';

/** The finalizers that the object is to have, if they are others than it has. */
export function wantedFinalizers({ finalizers, isDeleted }: PreprovisioningImage): string[] | undefined {
  const isThere = finalizers.includes(FINALIZER);
  if (isDeleted) return isThere ? finalizers.filter((name) => name !== FINALIZER) : undefined;
  return isThere ? undefined : [...finalizers, FINALIZER];
}
