/** Kubernetes resources and objects: URL paths, and checks of the metadata from the API server. */

import { quoteText } from '../core/foreignText.ts';
import { asMapping, isMapping } from '../formats/mapping.ts';
import { UsageError } from '../core/errors.ts';
import { namespaceProblem, objectNameProblem } from '../core/objectName.ts';
import { type ApiError, invalidResponse } from './apiError.ts';

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
export const configMaps: ApiResource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
export const leases: ApiResource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};
export const events: ApiResource = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };

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

/** Parses the result of `keyText`. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** An object from the API server. Its `metadata` is checked; all other fields may be any JSON. */
export interface KubernetesObject {
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** One version of an object. */
export interface ObjectReference extends ObjectKey {
  readonly uid: string;
  /** Changes with each change of the object; an opaque value. */
  readonly resourceVersion: string;
}

export interface ObjectMetadata extends ObjectReference {
  /** The number of changes of `spec`. */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** Set when the object is deleted; it is removed when it has no finalizers left. */
  readonly deletionTimestamp: string | undefined;
}

export function keyOf({ metadata: { namespace, name } }: KubernetesObject): ObjectKey {
  return { namespace, name };
}

/**
 * Reads an object with the required metadata. Other metadata, such as `managedFields`, is dropped, as it may be large.
 * @throws ApiError if the value is not a Kubernetes object
 */
export function readObject(value: unknown, operation: string): KubernetesObject {
  const metadata = isMapping(value) ? value['metadata'] : undefined;
  const missing = (field: string): ApiError =>
    invalidResponse(operation, `the API server returned an invalid object: ${field} is missing`);
  if (!isMapping(value) || !isMapping(metadata)) throw missing('metadata');
  const text = (field: string): string => {
    const found = metadata[field];
    if (typeof found === 'string' && found !== '') return found;
    throw missing(`metadata.${field}`);
  };
  const generation = metadata['generation'];
  const deletionTimestamp = metadata['deletionTimestamp'];
  return {
    ...value,
    metadata: {
      namespace: text('namespace'),
      name: text('name'),
      uid: text('uid'),
      resourceVersion: text('resourceVersion'),
      generation: typeof generation === 'number' ? generation : 0,
      labels: textsOf(metadata['labels']),
      finalizers: listOfTexts(metadata['finalizers']),
      deletionTimestamp: typeof deletionTimestamp === 'string' ? deletionTimestamp : undefined,
    },
  };
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asMapping(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function listOfTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it): it is string => typeof it === 'string') : [];
}

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, or without the namespace part for all namespaces. */
export function collectionPath(
  { group, version, plural }: ApiResource,
  namespace: string | undefined,
): string {
  const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === undefined) return `${api}/${plural}`;
  const problem = namespaceProblem(namespace);
  if (problem !== undefined) throw badName('namespace', namespace, problem);
  return `${api}/namespaces/${namespace}/${plural}`;
}

/** Checks the names, as slashes or dots would change the path. @throws UsageError */
export function objectPath(resource: ApiResource, { namespace, name }: ObjectKey): string {
  const problem = objectNameProblem(name);
  if (problem !== undefined) throw badName('name', name, problem);
  return `${collectionPath(resource, namespace)}/${name}`;
}

function badName(what: 'name' | 'namespace', text: string, problem: string): UsageError {
  return new UsageError(`${quoteText(text)} is not a valid Kubernetes ${what}: ${problem}`);
}

/** The `Accept` value for metadata only; undefined for complete objects. */
export function acceptedType({ part }: ApiResource, many: '' | 'List'): string | undefined {
  if (part === undefined) return undefined;
  return `application/json;as=PartialObjectMetadata${many};g=meta.k8s.io;v=v1`;
}

/** `?fieldSelector=…&…`; undefined fields are skipped. */
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
