/** A cluster in memory: objects with versions, patches that conflict, lists and watches. */

import { isMapping } from '../../../src/formats/mapping.ts';
import { ApiError } from '../../../src/kube/apiError.ts';
import type { KubernetesClient, MergePatch } from '../../../src/kube/kubernetesClient.ts';
import type { WatchEvent } from '../../../src/kube/watchStream.ts';
import {
  keyText,
  type KubernetesObject,
  type ObjectKey,
  readObject,
  type ApiResource,
} from '../../../src/kube/objects.ts';

export interface MemoryCluster {
  readonly client: KubernetesClient;
  /** Makes an object, or puts another one in its place; generation and version are added. */
  readonly put: (resource: ApiResource, key: ObjectKey, fields: Readonly<Record<string, unknown>>) => void;
  readonly remove: (resource: ApiResource, key: ObjectKey) => void;
  readonly find: (resource: ApiResource, key: ObjectKey) => KubernetesObject | undefined;
  /** What was asked for, a line each: `patch preprovisioningimages/status metal3/worker-0`. */
  readonly asked: string[];
  /** Is asked before each request; throws what the API server would answer. */
  intervene: (line: string) => void;
}

interface Kept {
  readonly object: KubernetesObject;
  readonly resource: string;
}

type Watcher = (event: WatchEvent, resource: string) => void;

export function memoryCluster(): MemoryCluster {
  const objects = new Map<string, Kept>();
  const watchers = new Set<Watcher>();
  let version = 0;
  const asked: string[] = [];
  const ask = (line: string): void => {
    asked.push(line);
    cluster.intervene(line);
  };
  const found = (resource: ApiResource, key: ObjectKey): KubernetesObject => {
    const kept = objects.get(nameOf(resource, key));
    if (kept !== undefined) return kept.object;
    throw new ApiError(`${keyText(key)} is not there`, { status: 404 });
  };
  const store = (resource: ApiResource, key: ObjectKey, fields: Readonly<Record<string, unknown>>): void => {
    const name = nameOf(resource, key);
    const type = objects.has(name) ? 'modified' : 'added';
    const metadata = isMapping(fields['metadata']) ? fields['metadata'] : {};
    const own = { ...metadata, namespace: key.namespace, name: key.name, resourceVersion: String(++version) };
    const object = readObject({ ...fields, metadata: { generation: 1, ...own } }, 'store');
    objects.set(name, { object, resource: resource.plural });
    for (const watcher of watchers) watcher({ type, object }, resource.plural);
  };
  const remove: MemoryCluster['remove'] = (resource, key) => {
    const name = nameOf(resource, key);
    const object = found(resource, key);
    objects.delete(name);
    for (const watcher of watchers) watcher({ type: 'deleted', object }, resource.plural);
  };

  const client: KubernetesClient = {
    get: async (resource, key) => {
      ask(`get ${resource.plural} ${keyText(key)}`);
      return objects.get(nameOf(resource, key))?.object;
    },
    list: async function* list(resource, namespace) {
      ask(`list ${resource.plural}`);
      const all = [...objects.values()].filter((kept) => matches(kept, resource, namespace));
      yield { objects: all.map(({ object }) => partOf(object, resource)), resourceVersion: String(version) };
    },
    create: async (resource, namespace, object) => {
      ask(`create ${resource.plural} ${namespace}`);
      const { name } = object.metadata;
      const key = { namespace, name: typeof name === 'string' ? name : `made-${version}` };
      store(resource, key, object);
      return found(resource, key);
    },
    patch: async (resource, key, patch) => {
      const { subresource } = patch;
      ask(`patch ${resource.plural}${subresource === undefined ? '' : `/${subresource}`} ${keyText(key)}`);
      const before = found(resource, key);
      refuseStale(before, patch);
      store(resource, key, { ...before, ...mergePatch({ ...before }, patch.body) });
      return found(resource, key);
    },
    watch: async function* watch(resource, namespace, _from, signal = new AbortController().signal) {
      const waiting: WatchEvent[] = [];
      const bell = new EventTarget();
      const ring = (): boolean => bell.dispatchEvent(new Event('ring'));
      const watcher: Watcher = (event, plural) => {
        if (event.type === 'bookmark') return;
        if (!matches({ object: event.object, resource: plural }, resource, namespace)) return;
        waiting.push({ ...event, object: partOf(event.object, resource) });
        ring();
      };
      watchers.add(watcher);
      signal.addEventListener('abort', ring);
      while (!signal.aborted) {
        yield* waiting.splice(0);
        if (waiting.length === 0 && !signal.aborted) {
          await new Promise((resolve) => bell.addEventListener('ring', resolve, { once: true }));
        }
      }
      watchers.delete(watcher);
    },
    close: async () => undefined,
  };
  const cluster: MemoryCluster = {
    client,
    put: store,
    remove,
    find: (resource, key) => objects.get(nameOf(resource, key))?.object,
    asked,
    intervene: () => undefined,
  };
  return cluster;
}

function nameOf({ plural }: ApiResource, key: ObjectKey): string {
  return `${plural} ${keyText(key)}`;
}

function matches({ object, resource }: Kept, wanted: ApiResource, namespace: string | undefined): boolean {
  const { metadata } = object;
  return resource === wanted.plural && (namespace ?? metadata.namespace) === metadata.namespace;
}

function partOf(object: KubernetesObject, { part }: ApiResource): KubernetesObject {
  return part === 'metadata' ? { metadata: object.metadata } : object;
}

function refuseStale({ metadata }: KubernetesObject, { body }: MergePatch): void {
  const wanted = isMapping(body['metadata']) ? body['metadata']['resourceVersion'] : undefined;
  if (wanted === undefined || wanted === metadata.resourceVersion) return;
  throw new ApiError('the object has become another one', { status: 409 });
}

/** RFC 7396. */
function mergePatch(
  target: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result = { ...target };
  for (const [name, value] of Object.entries(patch)) {
    const before = result[name];
    if (value === null) delete result[name];
    else if (isMapping(value)) result[name] = mergePatch(isMapping(before) ? before : {}, value);
    else result[name] = value;
  }
  return result;
}
