/**
 * All objects of a kind, as they are now. They are listed once, then watched, one watch after the other, each from where the
 * last one ended; they are listed again where the API server no longer knows that. What fails is tried again, with ever
 * longer pauses.
 */

import { createDeferred } from '../../core/deferred.ts';
import { CliError } from '../../core/errors.ts';
import { type BackOff, backOffAfter, withJitter } from './requestPace.ts';
import type { KubernetesClient, ListSelector, WatchEvent } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import { keyOf, keyText, type KubernetesObject, type ObjectKey, type ApiResource } from './objects.ts';
import { ApiError, isExpired, type OwnReason } from './apiError.ts';

export interface InformerOptions<Kept> {
  readonly client: KubernetesClient;
  readonly resource: ApiResource;
  readonly selection: ListSelector;
  /** Takes what is needed of an object; undefined passes it over. What it throws is told as trouble, and passes it over. */
  readonly keep: (object: KubernetesObject) => Kept | undefined;
  /** Called after the change is in the cache. Must not throw. */
  readonly changed?: (change: ObjectChange<Kept>) => void;
  /** Takes what is tried again, and after how many milliseconds: the connection broke off, the API server refuses. */
  readonly trouble?: (error: Error, retryIn: number) => void;
  /** Objects beyond this many are passed over, which is told as trouble. Default: 100,000. */
  readonly maxObjects?: number;
  /** Default: from 500 ms to 30 s. */
  readonly backOff?: BackOff;
  readonly clock?: Clock;
}

/** Added where there is no `before`, deleted where there is no `now`. */
export interface ObjectChange<Kept> {
  readonly key: ObjectKey;
  readonly before: Kept | undefined;
  readonly now: Kept | undefined;
}

const DEFAULT_MAX_OBJECTS = 100_000;

interface Entry<Kept> {
  readonly key: ObjectKey;
  readonly kept: Kept;
}

/** Begins at once. `Kept` is what `keep` makes of an object, and all that stays in memory. */
export class Informer<Kept> {
  readonly #options: InformerOptions<Kept>;
  /** By `keyText`. */
  readonly #objects = new Map<string, Entry<Kept>>();
  readonly #synced = createDeferred();
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  /** Of what was there before, what the list that is being read has not had yet. */
  #unseen: Set<string> | undefined;
  #isSynced = false;
  #lastContact: Date | undefined;

  constructor(options: InformerOptions<Kept>) {
    this.#options = options;
    this.#synced.promise.catch(() => undefined); // whoever waits for it gets the error; nobody has to wait
    this.#done = this.#follow().finally(() =>
      this.#synced.reject(
        new CliError(`${options.resource.plural} were not read to their end`, { code: 'ERR_KUBERNETES' }),
      ),
    );
  }

  /** Resolves when all objects that existed are known; rejects where the informer is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** When the API server last said that it is up to date; API servers do so each minute. Undefined until it is synced. */
  get lastContact(): Date | undefined {
    return this.#lastContact;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): Kept | undefined {
    return this.#objects.get(keyText(key))?.kept;
  }

  *values(): IterableIterator<Kept> {
    for (const { kept } of this.#objects.values()) yield kept;
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    for await (const event of reflect({ ...this.#options, signal: this.#end.signal })) this.#take(event);
  }

  #take(event: ResourceEvent): void {
    switch (event.type) {
      case 'listing':
        this.#unseen = new Set(this.#objects.keys());
        break;
      case 'listed object':
      case 'added':
      case 'modified':
        this.#put(event.object);
        break;
      case 'deleted':
        this.#remove(keyText(keyOf(event.object)));
        break;
      case 'list complete':
        for (const name of this.#unseen ?? []) this.#remove(name);
        this.#unseen = undefined;
        this.#isSynced = true;
        this.#synced.resolve();
        break;
      case 'bookmark':
        break;
    }
    if (!this.#isSynced || this.#unseen !== undefined) return;
    this.#lastContact = (this.#options.clock ?? systemClock).date();
  }

  #put(object: KubernetesObject): void {
    const key = keyOf(object);
    const name = keyText(key);
    this.#unseen?.delete(name);
    const kept = this.#keep(object);
    if (kept === undefined) return this.#remove(name);
    const before = this.#objects.get(name)?.kept;
    if (before === undefined && this.#isFull(name)) return;
    this.#objects.set(name, { key, kept });
    this.#options.changed?.({ key, before, now: kept });
  }

  #keep(object: KubernetesObject): Kept | undefined {
    const { keep, trouble } = this.#options;
    try {
      return keep(object);
    } catch (error) {
      trouble?.(error instanceof Error ? error : new Error('unknown trouble', { cause: error }), 0);
      return undefined;
    }
  }

  #isFull(name: string): boolean {
    const { maxObjects = DEFAULT_MAX_OBJECTS, resource, trouble } = this.#options;
    if (this.#objects.size < maxObjects) return false;
    const message = `${name} is passed over: there are more than ${maxObjects} ${resource.plural}`;
    trouble?.(new CliError(message, { code: 'ERR_TOO_LARGE' }), 0);
    return true;
  }

  #remove(name: string): void {
    const found = this.#objects.get(name);
    if (found === undefined) return;
    this.#objects.delete(name);
    this.#options.changed?.({ key: found.key, before: found.kept, now: undefined });
  }
}

type ResourceEvent =
  /** A list begins; one that had begun before has failed. */
  | { readonly type: 'listing' }
  | { readonly type: 'listed object'; readonly object: KubernetesObject }
  /** Objects that the list did not have are no longer there. */
  | { readonly type: 'list complete' }
  | WatchEvent;

type ReflectorOptions = Omit<InformerOptions<never>, 'keep' | 'changed' | 'maxObjects'> & {
  /** Ends it. */
  readonly signal: AbortSignal;
};

const DEFAULT_BACK_OFF: BackOff = { first: 500, longest: 30_000 };

/** Milliseconds. A watch that has ended before, without an event, counts as one that has failed. */
const SHORT_WATCH = 1000;
/** After so many failures in a row nothing is taken for granted: everything is listed anew. */
const MAX_RESUMPTIONS = 5;

/** Ends only with the signal; throws nothing. */
async function* reflect(options: ReflectorOptions): AsyncGenerator<ResourceEvent, void> {
  const { signal, clock = systemClock } = options;
  const state: ReflectorState = { options, clock, from: undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      if (state.from === undefined) yield* list(state);
      yield* watch(state);
    } catch (error) {
      if (signal.aborted) return;
      await pause(clock, countFailure(state, error), signal);
    }
  }
}

interface ReflectorState {
  readonly options: ReflectorOptions;
  readonly clock: Clock;
  /** All changes until this resource version have been told; undefined where everything has to be listed. */
  from: string | undefined;
  /** In a row. */
  failures: number;
}

async function* list(state: ReflectorState): AsyncGenerator<ResourceEvent, void> {
  const { client, resource, selection, signal } = state.options;
  yield { type: 'listing' };
  let from: string | undefined;
  for await (const { objects, resourceVersion } of client.list(resource, selection, { signal })) {
    for (const object of objects) yield { type: 'listed object', object };
    from = resourceVersion;
  }
  state.from = from;
  yield { type: 'list complete' };
}

/** @throws also where it ends too soon */
async function* watch(state: ReflectorState): AsyncGenerator<ResourceEvent, void> {
  const { client, resource, selection, signal } = state.options;
  const { from: resourceVersion = '' } = state;
  const start = state.clock.now();
  try {
    for await (const event of client.watch(resource, selection, { resourceVersion, signal })) {
      state.from = event.type === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion;
      state.failures = 0;
      yield event;
    }
  } finally {
    if (state.clock.now() - start >= SHORT_WATCH) state.failures = 0;
  }
  if (state.clock.now() - start >= SHORT_WATCH || state.from !== resourceVersion) return;
  throw new ApiError(`The API server ends the watch of ${resource.plural} at once`, {
    reason: 'NoConnection' satisfies OwnReason,
  });
}

/** Returns how long to wait, in milliseconds. */
function countFailure(state: ReflectorState, thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error('unknown trouble', { cause: thrown });
  state.failures += 1;
  if (!canResume(error) || state.failures >= MAX_RESUMPTIONS) state.from = undefined;
  if (isExpired(error) && state.failures === 1) return 0; // nothing is wrong: we have been away for too long
  const { backOff = DEFAULT_BACK_OFF, trouble } = state.options;
  const wanted = error instanceof ApiError ? error.retryAfter : 0;
  const retryIn = Math.max(withJitter(backOffAfter(backOff, state.failures)), wanted);
  trouble?.(error, retryIn);
  return retryIn;
}

/** What is not understood would be sent again. */
function canResume(error: Error): boolean {
  if (!(error instanceof ApiError) || isExpired(error)) return false;
  return error.status !== undefined || error.isPassing;
}
