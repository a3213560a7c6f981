/**
 * What was made for each object last, as long as it would be made from the same: what the leader writes comes back as a
 * change of the object, and whoever has a URL may ask for it again and again.
 */

import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { objectKey } from './buildRequest.ts';

/** Versions are those of the Secret that the object names, if there is one. */
export interface BuildCache<T> {
  recall(image: PreprovisioningImage, version: string | undefined): T | undefined;
  remember(image: PreprovisioningImage, version: string | undefined, made: T): void;
  forget(owner: string): void;
}

interface Remembered<T> {
  readonly wish: string;
  readonly version: string | undefined;
  readonly made: T;
}

export function createBuildCache<T>(): BuildCache<T> {
  const remembered = new Map<string, Remembered<T>>();
  return {
    recall: (image, version) => {
      const found = remembered.get(objectKey(image));
      return found?.wish === wishOf(image) && found.version === version ? found.made : undefined;
    },
    remember: (image, version, made) => {
      remembered.set(objectKey(image), { wish: wishOf(image), version, made });
    },
    forget: (owner) => void remembered.delete(owner),
  };
}

function wishOf({ spec }: PreprovisioningImage): string {
  return JSON.stringify(spec);
}
