/** Kinds of things that the API server of Kubernetes keeps, and single ones of them. What it says is checked here first. */

import { isMapping } from '../../formats/mapping.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { namespaceProblem, objectNameProblem } from '../../core/objectName.ts';
import type { ListSelector } from './kubernetesClient.ts';

/** A kind of object, as URLs and manifests name it. Those without a namespace are left out: nothing here needs one. */
export interface ApiResource {
  /** Empty for the core of Kubernetes. */
  readonly group: string;
  readonly version: string;
  /** In URLs: `preprovisioningimages`. */
  readonly plural: string;
  /** In manifests: `PreprovisioningImage`. */
  readonly kind: string;
  /** Of each object the API server sends no more than that. */
  readonly part?: 'metadata';
}

export const secrets: ApiResource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
/** Which Secrets there are, and in which version; their contents stay where they are. */
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

/** `NAMESPACE/NAME`: for maps, work queues and logs. */
export function keyText({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

/** Reads what `keyText` has written. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** An object as the API server gave it: its `metadata` is checked, everything else may be any JSON. */
export interface KubernetesObject {
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

interface ObjectMetadata extends ObjectKey {
  readonly uid: string;
  /** Another one whenever the object has become another one; only to be compared, or sent back. */
  readonly resourceVersion: string;
  /** Counts changes of what is wanted (`spec`). */
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** Set once somebody has deleted it: it goes when it has no finalizers left. */
  readonly deletionTimestamp: string | undefined;
}

export function keyOf({ metadata: { namespace, name } }: KubernetesObject): ObjectKey {
  return { namespace, name };
}

/**
 * Takes what metadata is known by; the rest of it, such as `managedFields`, which may be larger than the object, is dropped.
 * @throws CliError for what is no object of Kubernetes
 */
export function readObject(value: unknown): KubernetesObject {
  const metadata = isMapping(value) ? value['metadata'] : undefined;
  if (!isMapping(value) || !isMapping(metadata)) throw notAnObject('it has no metadata');
  const text = (field: string): string => {
    const found = metadata[field];
    if (typeof found === 'string' && found !== '') return found;
    throw notAnObject(`it has no metadata.${field}`);
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

function notAnObject(problem: string): CliError {
  return new CliError(`The API server gives something that is no object of Kubernetes: ${problem}`, {
    code: 'ERR_KUBERNETES',
    hint: 'check the address of the server, and what stands before it',
  });
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isMapping(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function listOfTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it): it is string => typeof it === 'string') : [];
}

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, without the namespace for those of all. */
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

/** Names are checked: with slashes or dots they would lead elsewhere. @throws UsageError */
export function objectPath(resource: ApiResource, { namespace, name }: ObjectKey): string {
  const problem = objectNameProblem(name);
  if (problem !== undefined) throw badName('name', name, problem);
  return `${collectionPath(resource, namespace)}/${name}`;
}

function badName(what: 'name' | 'namespace', text: string, problem: string): UsageError {
  return new UsageError(`${JSON.stringify(text.slice(0, 80))} cannot be a ${what} in Kubernetes: ${problem}`);
}

/** The form in which objects are to come, one by one or as a list; undefined for that which they are kept in. */
export function wantedForm({ part }: ApiResource, many: '' | 'List'): string | undefined {
  if (part === undefined) return undefined;
  return `application/json;as=PartialObjectMetadata${many};g=meta.k8s.io;v=v1`;
}

/** `?fieldSelector=…&…`; what is undefined is left out. */
export function queryText(fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** For messages: `list secrets in metal3`. */
export function operationFor(
  verb: string,
  { plural }: ApiResource,
  { namespace, name }: WishedPlace,
): string {
  if (name !== undefined) return `${verb} ${plural} ${namespace ?? ''}/${name}`;
  return `${verb} ${plural} in ${namespace ?? 'all namespaces'}`;
}

type WishedPlace = Pick<ListSelector, 'namespace'> & { readonly name?: string };

/** A time with the six digits below the second that Kubernetes wants of a MicroTime. */
export function formatMicroTime(date: Date): string {
  return date.toISOString().replace('Z', '000Z');
}
