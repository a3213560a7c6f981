/**
 * Changes of a kind of object, without end: a list, then watches one after the other, each from where the last one ended,
 * and a new list where the API server no longer knows that. What fails is tried again, with ever longer pauses.
 */

import { ApiError, isExpired, type OwnReason } from './apiError.ts';
import { type BackOff, backOffAfter, withJitter } from './backOff.ts';
import type { KubernetesClient, Selection, WatchEvent } from './client.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import type { KubernetesObject, Resource } from './objects.ts';

export type ResourceEvent =
  /** A list begins; one that had begun before has failed. */
  | { readonly type: 'listing' }
  | { readonly type: 'listed object'; readonly object: KubernetesObject }
  /** Objects that the list did not have are no longer there. */
  | { readonly type: 'list complete' }
  | WatchEvent;

export interface FollowOptions {
  readonly client: KubernetesClient;
  readonly resource: Resource;
  readonly selection: Selection;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Takes what is tried again, and after how many milliseconds. */
  readonly trouble?: ((error: Error, retryIn: number) => void) | undefined;
  /** Default: from 500 ms to 30 s. */
  readonly backOff?: BackOff | undefined;
  readonly clock?: Clock | undefined;
}

const DEFAULT_BACK_OFF: BackOff = { first: 500, longest: 30_000 };

/** Milliseconds. A watch that has ended before, without an event, counts as one that has failed. */
const SHORT_WATCH = 1000;
/** After so many failures in a row nothing is taken for granted: everything is listed anew. */
const MAX_RESUMPTIONS = 5;

/** Ends only with the signal; throws nothing. */
export async function* followResource(options: FollowOptions): AsyncGenerator<ResourceEvent, void> {
  const { signal, clock = systemClock } = options;
  const state: State = { options, clock, from: undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      if (state.from === undefined) yield* list(state);
      yield* watch(state);
    } catch (error) {
      if (signal.aborted) return;
      await pause(clock, noteFailure(state, error), signal);
    }
  }
}

interface State {
  readonly options: FollowOptions;
  readonly clock: Clock;
  /** All changes until this resource version have been told; undefined where everything has to be listed. */
  from: string | undefined;
  /** In a row. */
  failures: number;
}

async function* list(state: State): AsyncGenerator<ResourceEvent, void> {
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
async function* watch(state: State): AsyncGenerator<ResourceEvent, void> {
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
function noteFailure(state: State, thrown: unknown): number {
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
