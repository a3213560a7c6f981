/**
 * The last outcome of each object, as long as it is made from the same: what is written comes back as a change of the
 * object, and its image need not be made again for that.
 */

import type { Outcome } from '../../preprovisioning/outcome.ts';
import type { PreprovisioningImage } from '../../preprovisioning/preprovisioningImage.ts';
import { ownerOf } from './imageOrder.ts';

export interface OutcomeMemory {
  /** @param version of the Secret that the object names, if there is one */
  recall(image: PreprovisioningImage, version: string | undefined): Outcome | undefined;
  remember(image: PreprovisioningImage, outcome: Outcome): void;
  forget(owner: string): void;
}

interface Remembered {
  readonly wish: string;
  readonly version: string | undefined;
  readonly outcome: Outcome;
}

export function createOutcomeMemory(): OutcomeMemory {
  const remembered = new Map<string, Remembered>();
  return {
    recall: (image, version) => {
      const found = remembered.get(ownerOf(image));
      return found?.wish === wishOf(image) && found.version === version ? found.outcome : undefined;
    },
    remember: (image, outcome) => {
      const version = outcome.attempt?.networkData?.version;
      remembered.set(ownerOf(image), { wish: wishOf(image), version, outcome });
    },
    forget: (owner) => void remembered.delete(owner),
  };
}

function wishOf({ spec }: PreprovisioningImage): string {
  return JSON.stringify(spec);
}
