/**
 * An informer: a local cache of all objects of a resource. It lists the objects, then watches them; each watch resumes at the
 * resource version where the previous one ended, also after an interruption. After any other failure, it lists again. Failures in
 * a row have exponential backoff.
 */

import { createDeferred } from '../core/deferred.ts';
import { CliError } from '../core/errors.ts';
import { type BackOff, backOffAfter, withJitter } from '../http/client/retries.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';
import { keyText, type KubernetesObject, type ApiResource } from './objects.ts';
import { ApiError, isExpired, toError } from './apiError.ts';

export interface InformerOptions<Kept> {
  readonly client: KubernetesClient;
  readonly resource: ApiResource;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Returns the part of an object to store. Must not throw. */
  readonly keep: (object: KubernetesObject) => Kept;
  /** Called after each change of the cache. Must not throw. */
  readonly changed?: (change: ObjectChange<Kept>) => void;
  /** Receives errors, with the milliseconds until the retry. */
  readonly onError?: (error: Error, retryIn: number) => void;
  /** Default: from 500 ms to 30 s. */
  readonly backOff?: BackOff;
  readonly clock?: Clock;
}

/** An added object has no `before`, a deleted one no `now`. */
export interface ObjectChange<Kept> {
  /** `NAMESPACE/NAME` */
  readonly key: string;
  readonly before: Kept | undefined;
  readonly now: Kept | undefined;
}

const DEFAULT_BACK_OFF: BackOff = { first: 500, longest: 30_000 };
/** Milliseconds. A watch that ends earlier without an event counts as failed. */
const SHORT_WATCH = 1000;

/** Starts immediately. Only `Kept`, the result of `keep`, stays in memory. */
export class Informer<Kept> {
  readonly #options: InformerOptions<Kept>;
  readonly #clock: Clock;
  /** By `keyText`. */
  readonly #objects = new Map<string, Kept>();
  readonly #synced = createDeferred();
  readonly #end = new AbortController();
  readonly #done: Promise<void>;
  /** The resource version up to which all changes are known; undefined if a list is required. */
  #from: string | undefined;
  /** In a row. */
  #failures = 0;
  #lastContact: Date | undefined;

  constructor(options: InformerOptions<Kept>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
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

  /** The time of the last event or bookmark; API servers send a bookmark each minute. Undefined until the initial list is complete. */
  get lastContact(): Date | undefined {
    return this.#lastContact;
  }

  /** @param key `NAMESPACE/NAME` */
  get(key: string): Kept | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<Kept> {
    return this.#objects.values();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#done;
  }

  /** Ends only after the informer is stopped. Never rejects. */
  async #follow(): Promise<void> {
    const { signal } = this.#end;
    await Promise.resolve(); // the caller first stores the informer
    while (!signal.aborted) {
      try {
        if (this.#from === undefined) await this.#list();
        await this.#watch();
      } catch (error) {
        if (signal.aborted) return;
        await pause(this.#clock, this.#countFailure(error), signal);
      }
    }
  }

  async #list(): Promise<void> {
    const { client, namespace, resource } = this.#options;
    const unseen = new Set(this.#objects.keys());
    let from: string | undefined;
    for await (const page of client.list(resource, namespace, this.#end.signal)) {
      for (const object of page.objects) {
        unseen.delete(keyText(object.metadata));
        this.#put(object);
      }
      from = page.resourceVersion;
    }
    this.#from = from;
    for (const key of unseen) this.#remove(key);
    this.#lastContact = this.#clock.date();
    this.#synced.resolve();
  }

  async #watch(): Promise<void> {
    const { client, namespace, resource } = this.#options;
    const resourceVersion = this.#from ?? '';
    const start = this.#clock.now();
    try {
      for await (const event of client.watch(resource, namespace, resourceVersion, this.#end.signal)) {
        this.#from =
          event.type === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion;
        this.#failures = 0;
        if (event.type === 'deleted') this.#remove(keyText(event.object.metadata));
        else if (event.type !== 'bookmark') this.#put(event.object);
        this.#lastContact = this.#clock.date();
      }
    } finally {
      if (this.#clock.now() - start >= SHORT_WATCH) this.#failures = 0;
    }
    if (this.#clock.now() - start >= SHORT_WATCH || this.#from !== resourceVersion) return;
    throw new ApiError(`The API server closes the watch of ${resource.plural} immediately`);
  }

  /** Counts a failure and returns the backoff time in milliseconds. */
  #countFailure(thrown: unknown): number {
    const error = toError(thrown);
    this.#failures += 1;
    if (!(error instanceof ApiError && error.isPassing)) this.#from = undefined;
    if (isExpired(error) && this.#failures === 1) return 0; // expected after a long interruption
    const { backOff = DEFAULT_BACK_OFF, onError } = this.#options;
    const wanted = error instanceof ApiError ? error.wait : 0;
    const retryIn = Math.max(withJitter(backOffAfter(backOff, this.#failures)), wanted);
    onError?.(error, retryIn);
    return retryIn;
  }

  #put(object: KubernetesObject): void {
    const { changed, keep } = this.#options;
    const key = keyText(object.metadata);
    const now = keep(object);
    const before = this.#objects.get(key);
    this.#objects.set(key, now);
    changed?.({ key, before, now });
  }

  #remove(key: string): void {
    const before = this.#objects.get(key);
    if (this.#objects.delete(key)) this.#options.changed?.({ key, before, now: undefined });
  }
}
