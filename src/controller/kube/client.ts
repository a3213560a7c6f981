/**
 * What the client for the API server of Kubernetes can do, which is what a controller of one kind of object needs. Left
 * out: kinds without a namespace, discovery, protobuf, deletion, and updates of whole objects, in whose place patches are.
 * `kubernetesClient.ts` makes one.
 */

import type { KubernetesObject, ObjectKey, Resource } from './objects.ts';

/** All of them throw ApiError; UsageError for names and namespaces that no object can have. */
export interface KubernetesClient {
  get(resource: Resource, key: ObjectKey, call?: CallOptions): Promise<KubernetesObject>;
  /** All that there are at one moment, a page at a time. Throws an error that `isExpired` knows where that took too long. */
  list(resource: Resource, selection: Selection, call?: CallOptions): AsyncIterable<ListPage>;
  /** @param object with `metadata.name` or `metadata.generateName`; `apiVersion` and `kind` are added */
  create(resource: Resource, place: NewPlace, object: NewObject): Promise<KubernetesObject>;
  patch(resource: Resource, key: ObjectKey, patch: Patch): Promise<KubernetesObject>;
  /** One connection's worth of changes: ends when the API server ends it. `followResource` goes on and on. */
  watch(resource: Resource, selection: Selection, from: WatchStart): AsyncIterable<WatchEvent>;
  /** Gives up all that is under way. */
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Where something is made. */
export interface NewPlace extends CallOptions {
  readonly namespace: string;
}

export interface Selection {
  /** Undefined for all that there are. */
  readonly namespace?: string | undefined;
  /** `metadata.name=worker-0` */
  readonly fieldSelector?: string | undefined;
}

export interface ListPage {
  readonly objects: readonly KubernetesObject[];
  /** Of the moment that all pages are of: where to watch from. */
  readonly resourceVersion: string;
}

/** Any JSON but for what is named here. */
export interface NewObject {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** A merge patch (RFC 7396). */
export interface Patch extends CallOptions {
  /** With `metadata.resourceVersion` it is refused where the object has become another one (`isConflict`). */
  readonly body: Readonly<Record<string, unknown>>;
  readonly subresource?: 'status' | undefined;
}

export interface WatchStart {
  /** Changes after that are told. */
  readonly resourceVersion: string;
  readonly signal?: AbortSignal | undefined;
}

export type WatchEvent =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: KubernetesObject }
  /** Nothing has changed until here. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string };
