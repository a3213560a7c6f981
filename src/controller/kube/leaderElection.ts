/**
 * One of several replicas leads at a time: the one that holds a Lease (coordination.k8s.io/v1) and keeps renewing it. It
 * works with those of client-go, the library of Kubernetes' own controllers. Clocks of machines are not compared: a Lease
 * is over when nobody has seen it change for as long as it says.
 */

import { isMapping } from '../../formats/mapping.ts';
import { isConflict, isNotFound } from './apiError.ts';
import { withJitter } from './requestPace.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import { formatMicroTime, type KubernetesObject, leases, type ObjectKey } from './objects.ts';

export interface LeaderElection {
  readonly isLeader: boolean;
  /** Its identity; undefined where nobody leads, or nothing is known yet. */
  readonly leader: string | undefined;
  /** Ends reconcileLoop, and gives the Lease up so that the next one need not wait for its end. */
  stop(): Promise<void>;
}

interface LeaderElectionOptions {
  /** One of its own: what waits for its turn behind other requests may come too late. */
  readonly client: KubernetesClient;
  /** Made where it is not there. Needs the verbs `get`, `create` and `patch`. */
  readonly lease: ObjectKey;
  /** Of this replica, and of no other one: the name of its pod. */
  readonly identity: string;
  /**
   * Called each time that this replica begins to lead. The signal comes when it no longer does, which is before another
   * one may: from then on nothing may be written. The Lease is given up only when what it returns has ended; what it
   * throws is told as trouble, and ends reconcileLoop.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Called when another one leads, or nobody does any more. */
  readonly changed?: (leader: string | undefined) => void;
  /** Takes what is tried again. */
  readonly trouble?: (error: Error) => void;
  readonly durations?: LeaseDurations;
  readonly clock?: Clock;
}

/** Milliseconds; each is longer than the next one. */
interface LeaseDurations {
  /** How long others wait for a sign of life. Whole seconds. */
  readonly lease: number;
  /** How long the leader tries to give one before it gives up. */
  readonly renewal: number;
  /** Between two attempts. */
  readonly retry: number;
}

/** Those of client-go. */
const DEFAULT_DURATIONS: LeaseDurations = { lease: 15_000, renewal: 10_000, retry: 2000 };

/** Begins at once. */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const end = new AbortController();
  const state: State = {
    options,
    clock: options.clock ?? systemClock,
    durations: options.durations ?? DEFAULT_DURATIONS,
    seen: undefined,
    term: undefined,
  };
  const done = run(state, end.signal);
  return {
    get isLeader() {
      return state.term !== undefined && !state.term.end.signal.aborted;
    },
    get leader() {
      return state.seen?.lease.holder;
    },
    stop: async () => {
      end.abort();
      await done;
    },
  };
}

interface State {
  readonly options: LeaderElectionOptions;
  readonly clock: Clock;
  readonly durations: LeaseDurations;
  /** The Lease as it was last seen, and since when it has been like that. */
  seen: { readonly lease: LeaseState; readonly since: number } | undefined;
  /** While `lead` is at work. */
  term: Term | undefined;
}

interface Term {
  /** Its signal ends the term. */
  readonly end: AbortController;
  /** Comes when `lead` has ended. */
  readonly over: AbortController;
  /** Ends the term, unless it is put off. */
  callOff: () => void;
}

async function run(state: State, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const begun = state.clock.now();
    if ((await claim(state, signal)) === 'held' && !signal.aborted) await serveTerm(state, begun, signal);
    await pause(state.clock, withJitter(state.durations.retry), signal);
  }
  await giveUp(state);
}

/** Renews the Lease until `lead` has ended, or the term is over because that did not work. */
async function serveTerm(state: State, begun: number, stop: AbortSignal): Promise<void> {
  const term = startTerm(state, begun);
  const endTerm = (): void => term.end.abort();
  stop.addEventListener('abort', endTerm);
  while (!term.over.signal.aborted) {
    await pause(state.clock, state.durations.retry, term.over.signal);
    // One who is asked to stop keeps the Lease until the work has ended; one who could not renew it has lost it.
    if (!term.end.signal.aborted || stop.aborted) await renew(state, term);
  }
  stop.removeEventListener('abort', endTerm);
  term.end.abort();
  term.callOff();
  state.term = undefined;
  await giveUp(state);
}

/** @param begun when the request began by which the Lease was taken: others count from then on, at the earliest */
function startTerm(state: State, begun: number): Term {
  const { options } = state;
  const term: Term = { end: new AbortController(), over: new AbortController(), callOff: () => undefined };
  state.term = term;
  putOff(state, term, begun);
  void (async () => {
    try {
      await options.lead(term.end.signal);
    } catch (error) {
      reportTrouble(state, error);
    }
    term.over.abort();
  })();
  return term;
}

function putOff({ clock, durations }: State, term: Term, begun: number): void {
  term.callOff();
  term.callOff = clock.after(begun + durations.renewal - clock.now(), () => term.end.abort());
}

async function renew(state: State, term: Term): Promise<void> {
  const begun = state.clock.now();
  const outcome = await claim(state, term.over.signal);
  if (outcome === 'held') putOff(state, term, begun);
  if (outcome === 'held by another') term.end.abort();
}

/** One attempt to take the Lease or to keep it. */
async function claim(state: State, signal: AbortSignal): Promise<'held' | 'held by another' | 'unknown'> {
  const { identity } = state.options;
  const { signal: inTime, release } = limitTime(state, signal);
  try {
    // One's own need not be read first: it is refused if it is no longer as it was.
    const lease = state.seen?.lease.holder === identity ? state.seen.lease : await look(state, inTime);
    if (lease !== undefined && isHeldByAnother(state, lease)) return 'held by another';
    observeLease(state, await write(state, lease, inTime));
    return 'held';
  } catch (error) {
    if (signal.aborted) return 'unknown';
    if (state.seen?.lease.holder === identity) state.seen = undefined;
    if (!isConflict(error)) reportTrouble(state, error);
    return 'unknown';
  } finally {
    release();
  }
}

/** Later it would be of no use. */
function limitTime(
  { clock, durations }: State,
  signal: AbortSignal,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const end = new AbortController();
  const abort = (): void => end.abort();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const callOff = clock.after(durations.renewal, abort);
  return {
    signal: end.signal,
    release: () => {
      callOff();
      signal.removeEventListener('abort', abort);
    },
  };
}

async function look(state: State, signal: AbortSignal): Promise<LeaseState | undefined> {
  const { client, lease } = state.options;
  try {
    return observeLease(state, await client.get(leases, lease, { signal }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Since when the Lease has been as it is, is what counts: not which time stands in it. */
function observeLease(state: State, object: KubernetesObject): LeaseState {
  const { clock, durations, options, seen } = state;
  const lease = readLease(object, durations.lease);
  const isSame = seen?.lease.resourceVersion === lease.resourceVersion;
  state.seen = { lease, since: isSame ? seen.since : clock.now() };
  if (seen?.lease.holder !== lease.holder) options.changed?.(lease.holder);
  return lease;
}

function isHeldByAnother({ clock, options, seen }: State, { holder, duration }: LeaseState): boolean {
  if (holder === undefined || holder === options.identity || seen === undefined) return false;
  return clock.now() - seen.since < duration;
}

async function write(
  { clock, durations, options }: State,
  before: LeaseState | undefined,
  signal: AbortSignal,
): Promise<KubernetesObject> {
  const { client, identity, lease } = options;
  const body = claimBody({ identity, duration: durations.lease, now: clock.date() }, before);
  if (before !== undefined) return client.patch(leases, lease, { body, signal });
  return client.create(leases, { ...lease, signal }, { ...body, metadata: { name: lease.name } });
}

/** Where that fails, the others wait until the Lease is over. */
async function giveUp(state: State): Promise<void> {
  const { signal, release } = limitTime(state, new AbortController().signal);
  try {
    if (await tryRelease(state, signal)) return;
    await look(state, signal); // it has changed: a renewal may have gone through of which nobody heard
    await tryRelease(state, signal);
  } catch (error) {
    state.seen = undefined;
    reportTrouble(state, error);
  } finally {
    release();
  }
}

/** Resolves to whether nothing is left to be given up; false where the Lease has changed meanwhile. */
async function tryRelease(state: State, signal: AbortSignal): Promise<boolean> {
  const { clock, options, seen } = state;
  if (seen === undefined || seen.lease.holder !== options.identity) return true;
  const body = releaseBody(seen.lease, clock.date());
  try {
    observeLease(state, await options.client.patch(leases, options.lease, { body, signal }));
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}

function reportTrouble({ options }: State, error: unknown): void {
  options.trouble?.(error instanceof Error ? error : new Error('unknown trouble', { cause: error }));
}

interface LeaseState {
  readonly resourceVersion: string;
  /** Undefined where nobody holds it. */
  readonly holder: string | undefined;
  /** Milliseconds after which it is over, unless it has changed. */
  readonly duration: number;
  /** How often it has gone to another holder. */
  readonly transitions: number;
}

/** Milliseconds. Others may write anything into it. */
const SHORTEST = 1000;
const LONGEST = 3_600_000;

/** @param fallback milliseconds, where it does not say when it is over */
export function readLease({ metadata, spec }: KubernetesObject, fallback: number): LeaseState {
  const fields = isMapping(spec) ? spec : {};
  const holder = fields['holderIdentity'];
  const seconds = fields['leaseDurationSeconds'];
  const transitions = fields['leaseTransitions'];
  return {
    resourceVersion: metadata.resourceVersion,
    holder: typeof holder === 'string' && holder !== '' ? holder : undefined,
    duration: Math.min(Math.max(typeof seconds === 'number' ? seconds * 1000 : fallback, SHORTEST), LONGEST),
    transitions: typeof transitions === 'number' && Number.isSafeInteger(transitions) ? transitions : 0,
  };
}

interface LeaseClaim {
  readonly identity: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly now: Date;
}

/** To be written over `before`, unless that has become another one meanwhile. */
export function claimBody(
  { identity, duration, now }: LeaseClaim,
  before: LeaseState | undefined,
): Record<'metadata' | 'spec', Record<string, unknown>> {
  const time = formatMicroTime(now);
  const isRenewed = before?.holder === identity;
  return {
    metadata: before === undefined ? {} : { resourceVersion: before.resourceVersion },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(duration / 1000),
      renewTime: time,
      ...(!isRenewed && {
        acquireTime: time,
        leaseTransitions: before === undefined ? 0 : before.transitions + 1,
      }),
    },
  };
}

/** So that the next one may take it at once. */
function releaseBody({ resourceVersion }: LeaseState, now: Date): Record<string, unknown> {
  const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: formatMicroTime(now) };
  return { metadata: { resourceVersion }, spec };
}
