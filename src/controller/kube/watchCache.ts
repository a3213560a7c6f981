/** What there is of a kind of object, kept as it becomes: listed once, then watched. */

import { CliError } from '../../core/errors.ts';
import type { BackOff } from './backOff.ts';
import type { KubernetesClient, Selection } from './client.ts';
import { type Clock, systemClock } from '../../io/clock.ts';
import { followResource, type ResourceEvent } from './followResource.ts';
import { keyOf, keyText, type KubernetesObject, type ObjectKey, type Resource } from './objects.ts';

/** `Kept` is what `keep` makes of an object, and all that stays in memory. */
export interface WatchCache<Kept> {
  /** Resolves when everything that there was has been told; rejects where the cache is stopped before. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  /** When the API server last said that it is up to date; API servers do so each minute. Undefined until it is synced. */
  readonly lastContact: Date | undefined;
  readonly size: number;
  get(key: ObjectKey): Kept | undefined;
  values(): IterableIterator<Kept>;
  stop(): Promise<void>;
}

export interface WatchCacheOptions<Kept> {
  readonly client: KubernetesClient;
  readonly resource: Resource;
  readonly selection: Selection;
  /** Takes what is needed of an object; undefined passes it over. What it throws is told as trouble, and passes it over. */
  readonly keep: (object: KubernetesObject) => Kept | undefined;
  /** Called after the change is in the cache. Must not throw. */
  readonly changed?: (change: CacheChange<Kept>) => void;
  /** Takes what is tried again, and after how many milliseconds: the connection broke off, the API server refuses. */
  readonly trouble?: (error: Error, retryIn: number) => void;
  /** Objects beyond this many are passed over, which is told as trouble. Default: 100,000. */
  readonly maxObjects?: number;
  readonly backOff?: BackOff;
  readonly clock?: Clock;
}

/** Added where there is no `before`, deleted where there is no `now`. */
export interface CacheChange<Kept> {
  readonly key: ObjectKey;
  readonly before: Kept | undefined;
  readonly now: Kept | undefined;
}

const DEFAULT_MAX_OBJECTS = 100_000;

/** Begins at once. */
export function createWatchCache<Kept>(options: WatchCacheOptions<Kept>): WatchCache<Kept> {
  const end = new AbortController();
  const { promise: synced, resolve, reject } = promiseWithResolvers();
  const state: State<Kept> = {
    options,
    objects: new Map(),
    unseen: undefined,
    isSynced: false,
    lastContact: undefined,
    noteSynced: resolve,
  };
  const done = follow(state, end.signal).finally(() =>
    reject(new CliError(`${options.resource.plural} were not read to their end`)),
  );
  return {
    synced,
    get isSynced() {
      return state.isSynced;
    },
    get lastContact() {
      return state.lastContact;
    },
    get size() {
      return state.objects.size;
    },
    get: (key) => state.objects.get(keyText(key))?.kept,
    values: () => keptOf(state.objects),
    stop: async () => {
      end.abort();
      await done;
    },
  };
}

function promiseWithResolvers(): {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
} {
  let resolve: () => void = doNothing;
  let reject: (error: Error) => void = doNothing;
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  promise.catch(() => undefined); // who waits for it is told; nobody has to wait
  return { promise, resolve, reject };
}

function doNothing(): void {
  // nobody waits yet
}

interface Entry<Kept> {
  readonly key: ObjectKey;
  readonly kept: Kept;
}

interface State<Kept> {
  readonly options: WatchCacheOptions<Kept>;
  /** By `keyText`. */
  readonly objects: Map<string, Entry<Kept>>;
  /** Of what was there before, what the list that is being read has not had yet. */
  unseen: Set<string> | undefined;
  isSynced: boolean;
  lastContact: Date | undefined;
  readonly noteSynced: () => void;
}

async function follow<Kept>(state: State<Kept>, signal: AbortSignal): Promise<void> {
  const { client, resource, selection, trouble, backOff, clock } = state.options;
  const following = followResource({ client, resource, selection, signal, trouble, backOff, clock });
  for await (const event of following) take(state, event);
}

function take<Kept>(state: State<Kept>, event: ResourceEvent): void {
  switch (event.type) {
    case 'listing':
      state.unseen = new Set(state.objects.keys());
      break;
    case 'listed object':
    case 'added':
    case 'modified':
      put(state, event.object);
      break;
    case 'deleted':
      remove(state, keyText(keyOf(event.object)));
      break;
    case 'list complete':
      for (const name of state.unseen ?? []) remove(state, name);
      state.unseen = undefined;
      state.isSynced = true;
      state.noteSynced();
      break;
    case 'bookmark':
      break;
  }
  if (state.isSynced && state.unseen === undefined)
    state.lastContact = (state.options.clock ?? systemClock).date();
}

function put<Kept>(state: State<Kept>, object: KubernetesObject): void {
  const key = keyOf(object);
  const name = keyText(key);
  state.unseen?.delete(name);
  const kept = keepOf(state, object);
  if (kept === undefined) return remove(state, name);
  const before = state.objects.get(name)?.kept;
  if (before === undefined && isFull(state, name)) return;
  state.objects.set(name, { key, kept });
  state.options.changed?.({ key, before, now: kept });
}

function keepOf<Kept>({ options }: State<Kept>, object: KubernetesObject): Kept | undefined {
  try {
    return options.keep(object);
  } catch (error) {
    options.trouble?.(error instanceof Error ? error : new Error('unknown trouble', { cause: error }), 0);
    return undefined;
  }
}

function isFull<Kept>({ options, objects }: State<Kept>, name: string): boolean {
  const { maxObjects = DEFAULT_MAX_OBJECTS, resource, trouble } = options;
  if (objects.size < maxObjects) return false;
  trouble?.(new CliError(`${name} is passed over: there are more than ${maxObjects} ${resource.plural}`), 0);
  return true;
}

function remove<Kept>({ options, objects }: State<Kept>, name: string): void {
  const found = objects.get(name);
  if (found === undefined) return;
  objects.delete(name);
  options.changed?.({ key: found.key, before: found.kept, now: undefined });
}

function* keptOf<Kept>(objects: ReadonlyMap<string, Entry<Kept>>): IterableIterator<Kept> {
  for (const { kept } of objects.values()) yield kept;
}
