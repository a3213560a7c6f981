/** Kubernetes resources and objects: URL paths, and the metadata from the API server. */

import { isMapping } from '../formats/mapping.ts';
import { invalidResponse } from './apiError.ts';

/** A namespaced resource, with its names in URLs and manifests. */
export interface ApiResource {
  /** Empty for the core API group. */
  readonly group: string;
  readonly version: string;
  /** In URLs: `preprovisioningimages`. */
  readonly plural: string;
  /** In manifests: `PreprovisioningImage`. */
  readonly kind: string;
  /** `metadata`: the API server sends only the metadata of each object. */
  readonly part?: 'metadata';
}

export const secrets: ApiResource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
/** Names and versions of Secrets, without their contents. */
export const secretMetadata: ApiResource = { ...secrets, part: 'metadata' };
export const leases: ApiResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};

/** `metal3.io/v1alpha1`, or `v1`. */
export function apiVersionOf({ group, version }: ApiResource): string {
  return group === '' ? version : `${group}/${version}`;
}

export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** `NAMESPACE/NAME`: for maps, work queues, tokens, logs and metrics. */
export function keyText({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/** An object from the API server. All fields but `metadata` depend on its kind. */
export interface KubernetesObject {
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

export interface ObjectMetadata extends ObjectKey {
  /** Changes with each change of the object; an opaque value. */
  readonly resourceVersion: string;
  /** The number of changes of `spec`. */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** Set when the object is deleted; it is removed when it has no finalizers left. */
  readonly deletionTimestamp: string | undefined;
}

/**
 * Reads an object. The API server has checked its fields; other metadata, such as `managedFields`, is dropped, as it may be large.
 */
export function readObject(value: unknown, operation: string): KubernetesObject {
  if (!isStored(value)) {
    const problem = 'the API server returned an invalid object: metadata is missing';
    throw invalidResponse(operation, problem);
  }
  const { namespace, name, resourceVersion, deletionTimestamp } = value.metadata;
  const { generation = 0, labels = {}, finalizers = [] } = value.metadata;
  const about = { namespace, name, resourceVersion };
  return { ...value, metadata: { ...about, generation, labels, finalizers, deletionTimestamp } };
}

function isStored(value: unknown): value is {
  readonly metadata: Pick<ObjectMetadata, 'namespace' | 'name' | 'resourceVersion'> & Partial<ObjectMetadata>;
} {
  return isMapping(value) && isMapping(value['metadata']) && typeof value['metadata']['name'] === 'string';
}

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, or without the namespace part for all namespaces. */
export function collectionPath(
  { group, version, plural }: ApiResource,
  namespace: string | undefined,
): string {
  const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === undefined) return `${api}/${plural}`;
  return `${api}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

export function objectPath(resource: ApiResource, { namespace, name }: ObjectKey): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
}

/** The `Accept` value for metadata only; undefined for complete objects. */
export function acceptedType({ part }: ApiResource, many: '' | 'List'): string | undefined {
  if (part === undefined) return undefined;
  return `application/json;as=PartialObjectMetadata${many};g=meta.k8s.io;v=v1`;
}

/** `?limit=…&…`; undefined fields are skipped. */
export function queryText(fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** For messages: `list secrets in metal3`. */
export function operationFor(
  verb: string,
  { plural }: ApiResource,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string },
): string {
  if (name !== undefined) return `${verb} ${plural} ${namespace ?? ''}/${name}`;
  return `${verb} ${plural} in ${namespace ?? 'all namespaces'}`;
}

/** Formats a MicroTime of Kubernetes, which requires six digits for fractions of a second. */
export function formatMicroTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
