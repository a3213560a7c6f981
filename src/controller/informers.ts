/**
 * What this replica knows of the cluster: all PreprovisioningImages, and of Secrets the names and versions alone, as they
 * change. The content of a Secret is read when an image is made from it, of those that are named and of no others.
 */

import type { KubernetesClient, ListSelector } from './kube/kubernetesClient.ts';
import {
  keyText,
  type KubernetesObject,
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
  /** Resolves when everything that there was is known; rejects where the informers is closed before. */
  readonly synced: Promise<unknown>;
  /** Until when all that has changed is known for sure; undefined before there is anything. */
  readonly lastContact: Date | undefined;
  /** By `NAMESPACE/NAME`. */
  find(owner: string): StoredImage | undefined;
  all(): IterableIterator<StoredImage>;
  /** The version of its Secret; undefined where it names none, or there is none of that name. */
  networkVersion(image: PreprovisioningImage): string | undefined;
  /** Calls `changed` with each object that has become another one, or whose Secret has, until what it returns is called. */
  follow(changed: (owner: string) => void): () => void;
  close(): Promise<void>;
}

export interface StoredImage {
  readonly image: PreprovisioningImage;
  /** What events refer to. */
  readonly reference: KubernetesObject;
}

interface InformersOptions {
  readonly client: KubernetesClient;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  readonly trouble: (error: Error) => void;
}

export function storedImage(object: KubernetesObject): StoredImage {
  const { metadata } = object;
  return { image: readPreprovisioningImage(object), reference: { metadata } };
}

export function openInformers({ client, namespace, trouble }: InformersOptions): Informers {
  const selection: ListSelector = { namespace };
  const followers = new Set<(owner: string) => void>();
  const tell = (owner: string): void => {
    for (const follower of followers) follower(owner);
  };
  const readers = createReaderIndex();
  const images = new Informer({
    client,
    resource: preprovisioningImages,
    selection,
    trouble,
    keep: storedImage,
    changed: ({ key, before, now }) => {
      readers.exchange(keyText(key), secretOf(before), secretOf(now));
      tell(keyText(key));
    },
  });
  const versions = new Informer({
    client,
    resource: secretMetadata,
    selection,
    trouble,
    keep: ({ metadata }) => metadata.resourceVersion,
    changed: ({ key }) => readers.of(keyText(key)).forEach(tell),
  });
  return {
    synced: Promise.all([images.synced, versions.synced]),
    get lastContact() {
      return earlier(images.lastContact, versions.lastContact);
    },
    find: (owner) => images.get(parseKey(owner)),
    all: () => images.values(),
    networkVersion: (image) => versionOf(image, versions),
    follow: (changed) => {
      followers.add(changed);
      return () => followers.delete(changed);
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

/** Who reads which Secret, both by `NAMESPACE/NAME`. */
interface ReaderIndex {
  of(secret: string): readonly string[];
  exchange(owner: string, before: string | undefined, now: string | undefined): void;
}

function createReaderIndex(): ReaderIndex {
  const readers = new Map<string, Set<string>>();
  return {
    of: (secret) => [...(readers.get(secret) ?? [])],
    exchange: (owner, before, now) => {
      if (before === now) return;
      if (before !== undefined) {
        const others = readers.get(before);
        others?.delete(owner);
        if (others?.size === 0) readers.delete(before);
      }
      if (now !== undefined) readers.set(now, (readers.get(now) ?? new Set()).add(owner));
    },
  };
}

function secretOf(stored: StoredImage | undefined): string | undefined {
  const key = stored && secretKey(stored.image);
  return key && keyText(key);
}

function secretKey({ namespace, spec }: PreprovisioningImage): ObjectKey | undefined {
  return spec.networkDataName === undefined ? undefined : { namespace, name: spec.networkDataName };
}

function versionOf(image: PreprovisioningImage, versions: Informer<string>): string | undefined {
  const key = secretKey(image);
  return key && versions.get(key);
}

/** Asks the API server each time: what is secret stays there. */
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
