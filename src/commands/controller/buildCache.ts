/**
 * The last build result of each object, valid as long as spec, stream and Secret version are unchanged. It avoids rebuilds when
 * the leader receives its own status update as a change, and when clients request the same URL repeatedly.
 */

import type { PreprovisioningImage } from './api/preprovisioningImage.ts';
import { keyText } from '../../kube/objects.ts';

/** `version` is the resource version of the Secret that the object names; undefined without one. */
export class BuildCache<T> {
  readonly #results = new Map<string, { readonly inputs: string; readonly result: T }>();

  recall(image: PreprovisioningImage, version: string | undefined): T | undefined {
    const found = this.#results.get(keyText(image));
    return found?.inputs === formatInputs(image, version) ? found.result : undefined;
  }

  remember(image: PreprovisioningImage, version: string | undefined, result: T): void {
    this.#results.set(keyText(image), { inputs: formatInputs(image, version), result });
  }

  forget(owner: string): void {
    this.#results.delete(owner);
  }
}

function formatInputs({ spec, stream }: PreprovisioningImage, version: string | undefined): string {
  return JSON.stringify([spec, stream, version]);
}
