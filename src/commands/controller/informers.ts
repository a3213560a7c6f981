/**
 * The informers of a replica: they watch all PreprovisioningImages, and names and versions of Secrets. The content of a
 * Secret is read only when an image is built from it, and only for Secrets that an object names.
 */

import type { KubernetesClient } from '../../kube/kubernetesClient.ts';
import { keyText, type ApiResource, secretMetadata } from '../../kube/objects.ts';
import { Informer } from '../../kube/informer.ts';
import { type PreprovisioningImage, readPreprovisioningImage } from './api/preprovisioningImage.ts';

export const preprovisioningImages: ApiResource = {
  group: 'metal3.io',
  version: 'v1alpha1',
  plural: 'preprovisioningimages',
  kind: 'PreprovisioningImage',
};

export class Informers {
  readonly #images: Informer<PreprovisioningImage>;
  readonly #versions: Informer<string>;

  /**
   * @param namespace undefined for all namespaces
   * @param changed called for each object that has changed, or whose Secret has changed
   */
  constructor(
    client: KubernetesClient,
    namespace: string | undefined,
    onError: (error: Error) => void,
    changed: (owner: string) => void,
  ) {
    const shared = { client, namespace, onError };
    this.#images = new Informer({
      ...shared,
      resource: preprovisioningImages,
      keep: readPreprovisioningImage,
      changed: ({ key }) => changed(key),
    });
    this.#versions = new Informer({
      ...shared,
      resource: secretMetadata,
      keep: ({ metadata }) => metadata.resourceVersion,
      changed: ({ key, before, now }) => {
        if (before === now) return;
        for (const image of this.all()) {
          if (secretOf(image) === key) changed(keyText(image));
        }
      },
    });
  }

  /** Resolves after the initial lists; rejects if the informers are closed before. */
  get synced(): Promise<unknown> {
    return Promise.all([this.#images.synced, this.#versions.synced]);
  }

  /** The time up to which all changes are known; undefined before the initial lists. */
  get lastContact(): Date | undefined {
    const [one, other] = [this.#images.lastContact, this.#versions.lastContact];
    return one && other && (one < other ? one : other);
  }

  /** By `NAMESPACE/NAME`. */
  find(owner: string): PreprovisioningImage | undefined {
    return this.#images.get(owner);
  }

  all(): IterableIterator<PreprovisioningImage> {
    return this.#images.values();
  }

  /** The version of its Secret; undefined if the object names no Secret, or the Secret does not exist. */
  networkVersion(image: PreprovisioningImage): string | undefined {
    return this.#versions.get(secretOf(image) ?? '');
  }

  async close(): Promise<void> {
    await Promise.all([this.#images.stop(), this.#versions.stop()]);
  }
}

/** `NAMESPACE/NAME` of the Secret with its network; undefined if the object names none. */
function secretOf({ namespace, spec: { networkDataName: name } }: PreprovisioningImage): string | undefined {
  return name === undefined ? undefined : keyText({ namespace, name });
}
