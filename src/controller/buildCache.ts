/**
 * The last build result of each object, valid as long as the spec and the Secret version are unchanged. It avoids rebuilds
 * when the leader receives its own status update as a change, and when clients request the same URL repeatedly.
 */

import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { keyText } from './kube/objects.ts';

/** `version` is the resource version of the Secret that the object names; undefined without one. */
export interface BuildCache<T> {
  recall(image: PreprovisioningImage, version: string | undefined): T | undefined;
  remember(image: PreprovisioningImage, version: string | undefined, made: T): void;
  forget(owner: string): void;
}

interface Remembered<T> {
  readonly spec: string;
  readonly version: string | undefined;
  readonly made: T;
}

export function createBuildCache<T>(): BuildCache<T> {
  const remembered = new Map<string, Remembered<T>>();
  return {
    recall: (image, version) => {
      const found = remembered.get(keyText(image));
      return found?.spec === specText(image) && found.version === version ? found.made : undefined;
    },
    remember: (image, version, made) => {
      remembered.set(keyText(image), { spec: specText(image), version, made });
    },
    forget: (owner) => void remembered.delete(owner),
  };
}

function specText({ spec }: PreprovisioningImage): string {
  return JSON.stringify(spec);
}
