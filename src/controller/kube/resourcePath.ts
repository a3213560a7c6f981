/** Where the API server has things. */

import { UsageError } from '../../core/errors.ts';
import { namespaceProblem, objectNameProblem } from '../../core/objectName.ts';
import type { Selection } from './client.ts';
import type { ObjectKey, Resource } from './objects.ts';

/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, without the namespace for those of all. */
export function collectionPath({ group, version, plural }: Resource, namespace: string | undefined): string {
  const api = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  if (namespace === undefined) return `${api}/${plural}`;
  const problem = namespaceProblem(namespace);
  if (problem !== undefined) throw badName('namespace', namespace, problem);
  return `${api}/namespaces/${namespace}/${plural}`;
}

/** Names are checked: with slashes or dots they would lead elsewhere. @throws UsageError */
export function objectPath(resource: Resource, { namespace, name }: ObjectKey): string {
  const problem = objectNameProblem(name);
  if (problem !== undefined) throw badName('name', name, problem);
  return `${collectionPath(resource, namespace)}/${name}`;
}

function badName(what: 'name' | 'namespace', text: string, problem: string): UsageError {
  return new UsageError(`${JSON.stringify(text.slice(0, 80))} cannot be a ${what} in Kubernetes: ${problem}`);
}

/** The form in which objects are to come, one by one or as a list; undefined for that which they are kept in. */
export function wantedForm({ part }: Resource, many: '' | 'List'): string | undefined {
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
export function wishFor(verb: string, { plural }: Resource, { namespace, name }: WishedPlace): string {
  if (name !== undefined) return `${verb} ${plural} ${namespace ?? ''}/${name}`;
  return `${verb} ${plural} in ${namespace ?? 'all namespaces'}`;
}

type WishedPlace = Pick<Selection, 'namespace'> & { readonly name?: string };
