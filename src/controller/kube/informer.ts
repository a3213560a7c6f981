/**
 * An informer: a local cache of all objects of a resource. It lists the objects, then watches them; each watch resumes at the
 * resource version where the previous one ended. If that version has expired, it lists again. Failures are retried with
 * exponential backoff.
 */

import { createDeferred } from '../../core/deferred.ts';
import { CliError } from '../../core/errors.ts';
import { type BackOff, backOffAfter, withJitter } from './rateLimit.ts';
import type { KubernetesClient, ListSelector, WatchEvent } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import { keyOf, keyText, type KubernetesObject, type ObjectKey, type ApiResource } from './objects.ts';
import { ApiError, isExpired, type OwnReason } from './apiError.ts';

export interface InformerOptions<Kept> {
  readonly client: KubernetesClient;
  readonly resource: ApiResource;
  readonly selection: ListSelector;
  /** Returns the part of an object to store; undefined skips the object. If it throws, the error is reported and the object skipped. */
  readonly keep: (object: KubernetesObject) => Kept | undefined;
  /** Called after each change of the cache. Must not throw. */
  readonly changed?: (change: ObjectChange<Kept>) => void;
  /** Receives errors, with the milliseconds until the retry. */
  readonly onError?: (error: Error, retryIn: number) => void;
  /** More objects than this are skipped, which is reported to `trouble`. Default: 100,000. */
  readonly maxObjects?: number;
  /** Default: from 500 ms to 30 s. */
  readonly backOff?: BackOff;
  readonly clock?: Clock;
}

/** An added object has no `before`, a deleted one no `now`. */
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

/** Starts immediately. Only `Kept`, the result of `keep`, stays in memory. */
export class Informer<Kept> {
  readonly #options: InformerOptions<Kept>;
  /** By `keyText`. */
  readonly #objects = new Map<string, Entry<Kept>>();
  readonly #synced = createDeferred();
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  /** During a list: the known objects that the list has not contained so far. */
  #unseen: Set<string> | undefined;
  #isSynced = false;
  #lastContact: Date | undefined;

  constructor(options: InformerOptions<Kept>) {
    this.#options = options;
    this.#synced.promise.catch(() => undefined); // avoids an unhandled rejection if no caller awaits it
    this.#done = this.#follow().finally(() =>
      this.#synced.reject(
        new CliError(`the list of ${options.resource.plural} was not completed`, { code: 'ERR_KUBERNETES' }),
      ),
    );
  }

  /** Resolves after the initial list; rejects if the informer is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** The time of the last event or bookmark; API servers send a bookmark each minute. Undefined until the initial list is complete. */
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
    const { keep, onError } = this.#options;
    try {
      return keep(object);
    } catch (error) {
      onError?.(error instanceof Error ? error : new Error('unknown error', { cause: error }), 0);
      return undefined;
    }
  }

  #isFull(name: string): boolean {
    const { maxObjects = DEFAULT_MAX_OBJECTS, resource, onError } = this.#options;
    if (this.#objects.size < maxObjects) return false;
    const message = `${name} skipped: there are more than ${maxObjects} ${resource.plural}`;
    onError?.(new CliError(message, { code: 'ERR_TOO_LARGE' }), 0);
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
  /** A list starts. An unfinished earlier list has failed. */
  | { readonly type: 'listing' }
  | { readonly type: 'listed object'; readonly object: KubernetesObject }
  /** Objects that the list did not contain no longer exist. */
  | { readonly type: 'list complete' }
  | WatchEvent;

type ReflectorOptions = Omit<InformerOptions<never>, 'keep' | 'changed' | 'maxObjects'> & {
  /** Stops the iteration. */
  readonly signal: AbortSignal;
};

const DEFAULT_BACK_OFF: BackOff = { first: 500, longest: 30_000 };

/** Milliseconds. A watch that ends earlier without an event counts as failed. */
const SHORT_WATCH = 1000;
/** After so many consecutive failures, all objects are listed again. */
const MAX_RESUMPTIONS = 5;

/** Ends only after the signal is aborted. Never throws. */
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
  /** The resource version up to which all changes were reported; undefined if a list is required. */
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

/** @throws ApiError, also if the watch ends too early */
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
  throw new ApiError(`The API server closes the watch of ${resource.plural} immediately`, {
    reason: 'NoConnection' satisfies OwnReason,
  });
}

/** Counts a failure and returns the backoff time in milliseconds. */
function countFailure(state: ReflectorState, thrown: unknown): number {
  const error = thrown instanceof Error ? thrown : new Error('unknown error', { cause: thrown });
  state.failures += 1;
  if (!canResume(error) || state.failures >= MAX_RESUMPTIONS) state.from = undefined;
  if (isExpired(error) && state.failures === 1) return 0; // expected after a long interruption
  const { backOff = DEFAULT_BACK_OFF, onError } = state.options;
  const wanted = error instanceof ApiError ? error.retryAfter : 0;
  const retryIn = Math.max(withJitter(backOffAfter(backOff, state.failures)), wanted);
  onError?.(error, retryIn);
  return retryIn;
}

/** After an invalid response, a resumed watch would receive the same data again. */
function canResume(error: Error): boolean {
  if (!(error instanceof ApiError) || isExpired(error)) return false;
  return error.status !== undefined || error.isRetryable;
}
