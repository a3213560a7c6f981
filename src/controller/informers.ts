/**
 * The informers of a replica: they watch all PreprovisioningImages, and names and versions of Secrets. The content of a
 * Secret is read only when an image is built from it, and only for Secrets that an object names.
 */

import type { KubernetesClient } from './kube/kubernetesClient.ts';
import {
  keyText,
  type ObjectKey,
  parseKey,
  type ApiResource,
  secretMetadata,
  secrets,
} from './kube/objects.ts';
import { isNotFound } from './kube/apiError.ts';
import { Informer } from './kube/informer.ts';
import { type PreprovisioningImage, readPreprovisioningImage } from './api/preprovisioningImage.ts';
import type { ReadSecret } from './buildRequest.ts';

export const preprovisioningImages: ApiResource = {
  group: 'metal3.io',
  version: 'v1alpha1',
  plural: 'preprovisioningimages',
  kind: 'PreprovisioningImage',
};

export interface Informers {
  /** Resolves after the initial lists; rejects if the informers are closed before. */
  readonly synced: Promise<unknown>;
  /** The time up to which all changes are known; undefined before the initial lists. */
  readonly lastContact: Date | undefined;
  /** By `NAMESPACE/NAME`. */
  find(owner: string): PreprovisioningImage | undefined;
  all(): IterableIterator<PreprovisioningImage>;
  /** The version of its Secret; undefined if the object names no Secret, or the Secret does not exist. */
  networkVersion(image: PreprovisioningImage): string | undefined;
  /**
   * Calls `changed` for each object that has changed, or whose Secret has changed.
   * @returns unsubscribes
   */
  subscribe(changed: (owner: string) => void): () => void;
  close(): Promise<void>;
}

/** @param namespace undefined for all namespaces */
export function openInformers(
  client: KubernetesClient,
  namespace: string | undefined,
  onError: (error: Error) => void,
): Informers {
  const selection = { namespace };
  const subscribers = new Set<(owner: string) => void>();
  const notify = (owner: string): void => {
    for (const subscriber of subscribers) subscriber(owner);
  };
  const images = new Informer({
    client,
    resource: preprovisioningImages,
    selection,
    onError,
    keep: readPreprovisioningImage,
    changed: ({ key }) => notify(keyText(key)),
  });
  const versions = new Informer({
    client,
    resource: secretMetadata,
    selection,
    onError,
    keep: ({ metadata }) => metadata.resourceVersion,
    changed: ({ key, before, now }) => {
      if (subscribers.size === 0 || before === now) return;
      for (const image of images.values()) if (namesSecret(image, key)) notify(keyText(image));
    },
  });
  return {
    get synced() {
      return Promise.all([images.synced, versions.synced]);
    },
    get lastContact() {
      return earlier(images.lastContact, versions.lastContact);
    },
    find: (owner) => images.get(parseKey(owner)),
    all: () => images.values(),
    networkVersion: (image) => {
      const name = image.spec.networkDataName;
      return name === undefined ? undefined : versions.get({ namespace: image.namespace, name });
    },
    subscribe: (changed) => {
      subscribers.add(changed);
      return () => subscribers.delete(changed);
    },
    close: async () => {
      await Promise.all([images.stop(), versions.stop()]);
    },
  };
}

function earlier(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one < other ? one : other;
}

/** Whether the object names this Secret. */
function namesSecret({ namespace, spec }: PreprovisioningImage, secret: ObjectKey): boolean {
  return secret.name === spec.networkDataName && secret.namespace === namespace;
}

/** Reads from the API server each time, as Secrets are not cached. */
export function secretReader(client: KubernetesClient): ReadSecret {
  return async (key) => {
    try {
      return await client.get(secrets, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
}
