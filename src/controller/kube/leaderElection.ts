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

/** While `lead` is at work. */
interface Term {
  /** Its signal ends the term. */
  readonly end: AbortController;
  /** Comes when `lead` has ended. */
  readonly over: AbortController;
  /** Ends the term, unless it is put off. */
  callOff: () => void;
}

/** Begins at once. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #durations: LeaseDurations;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** The Lease as it was last seen, and since when it has been like that. */
  #seen: { readonly lease: LeaseState; readonly since: number } | undefined;
  #term: Term | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#durations = options.durations ?? DEFAULT_DURATIONS;
    this.#done = this.#run(this.#stop.signal);
  }

  get isLeader(): boolean {
    return this.#term !== undefined && !this.#term.end.signal.aborted;
  }

  /** Its identity; undefined where nobody leads, or nothing is known yet. */
  get leader(): string | undefined {
    return this.#seen?.lease.holder;
  }

  /** Ends leading, and gives the Lease up so that the next one need not wait for its end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const begun = this.#clock.now();
      if ((await this.#claim(stop)) === 'held' && !stop.aborted) await this.#serveTerm(begun, stop);
      await pause(this.#clock, withJitter(this.#durations.retry), stop);
    }
    await this.#giveUp();
  }

  /** Renews the Lease until `lead` has ended, or the term is over because that did not work. */
  async #serveTerm(begun: number, stop: AbortSignal): Promise<void> {
    const term = this.#startTerm(begun);
    const endTerm = (): void => term.end.abort();
    stop.addEventListener('abort', endTerm);
    while (!term.over.signal.aborted) {
      await pause(this.#clock, this.#durations.retry, term.over.signal);
      // One who is asked to stop keeps the Lease until the work has ended; one who could not renew it has lost it.
      if (!term.end.signal.aborted || stop.aborted) await this.#renew(term);
    }
    stop.removeEventListener('abort', endTerm);
    term.end.abort();
    term.callOff();
    this.#term = undefined;
    await this.#giveUp();
  }

  /** @param begun when the request began by which the Lease was taken: others count from then on, at the earliest */
  #startTerm(begun: number): Term {
    const term: Term = { end: new AbortController(), over: new AbortController(), callOff: () => undefined };
    this.#term = term;
    this.#putOff(term, begun);
    void (async () => {
      try {
        await this.#options.lead(term.end.signal);
      } catch (error) {
        this.#reportTrouble(error);
      }
      term.over.abort();
    })();
    return term;
  }

  #putOff(term: Term, begun: number): void {
    term.callOff();
    const rest = begun + this.#durations.renewal - this.#clock.now();
    term.callOff = this.#clock.after(rest, () => term.end.abort());
  }

  async #renew(term: Term): Promise<void> {
    const begun = this.#clock.now();
    const outcome = await this.#claim(term.over.signal);
    if (outcome === 'held') this.#putOff(term, begun);
    if (outcome === 'held by another') term.end.abort();
  }

  /** One attempt to take the Lease or to keep it. */
  async #claim(signal: AbortSignal): Promise<'held' | 'held by another' | 'unknown'> {
    const { identity } = this.#options;
    const { signal: inTime, release } = this.#limitTime(signal);
    try {
      // One's own need not be read first: it is refused if it is no longer as it was.
      const lease = this.#seen?.lease.holder === identity ? this.#seen.lease : await this.#look(inTime);
      if (lease !== undefined && this.#isHeldByAnother(lease)) return 'held by another';
      this.#observe(await this.#write(lease, inTime));
      return 'held';
    } catch (error) {
      if (signal.aborted) return 'unknown';
      if (this.#seen?.lease.holder === identity) this.#seen = undefined;
      if (!isConflict(error)) this.#reportTrouble(error);
      return 'unknown';
    } finally {
      release();
    }
  }

  /** Later it would be of no use. */
  #limitTime(signal?: AbortSignal): { readonly signal: AbortSignal; readonly release: () => void } {
    const end = new AbortController();
    const abort = (): void => end.abort();
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    const callOff = this.#clock.after(this.#durations.renewal, abort);
    return {
      signal: end.signal,
      release: () => {
        callOff();
        signal?.removeEventListener('abort', abort);
      },
    };
  }

  async #look(signal: AbortSignal): Promise<LeaseState | undefined> {
    const { client, lease } = this.#options;
    try {
      return this.#observe(await client.get(leases, lease, { signal }));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Since when the Lease has been as it is, is what counts: not which time stands in it. */
  #observe(object: KubernetesObject): LeaseState {
    const seen = this.#seen;
    const lease = readLease(object, this.#durations.lease);
    const isSame = seen?.lease.resourceVersion === lease.resourceVersion;
    this.#seen = { lease, since: isSame ? seen.since : this.#clock.now() };
    if (seen?.lease.holder !== lease.holder) this.#options.changed?.(lease.holder);
    return lease;
  }

  #isHeldByAnother({ holder, duration }: LeaseState): boolean {
    if (holder === undefined || holder === this.#options.identity || this.#seen === undefined) return false;
    return this.#clock.now() - this.#seen.since < duration;
  }

  async #write(before: LeaseState | undefined, signal: AbortSignal): Promise<KubernetesObject> {
    const { client, identity, lease } = this.#options;
    const duration = this.#durations.lease;
    const body = claimBody({ identity, duration, now: this.#clock.date() }, before);
    if (before !== undefined) return client.patch(leases, lease, { body, signal });
    return client.create(leases, { ...lease, signal }, { ...body, metadata: { name: lease.name } });
  }

  /** Where that fails, the others wait until the Lease is over. */
  async #giveUp(): Promise<void> {
    const { signal, release } = this.#limitTime();
    try {
      if (await this.#tryRelease(signal)) return;
      await this.#look(signal); // it has changed: a renewal may have gone through of which nobody heard
      await this.#tryRelease(signal);
    } catch (error) {
      this.#seen = undefined;
      this.#reportTrouble(error);
    } finally {
      release();
    }
  }

  /** Resolves to whether nothing is left to be given up; false where the Lease has changed meanwhile. */
  async #tryRelease(signal: AbortSignal): Promise<boolean> {
    const { client, identity, lease } = this.#options;
    if (this.#seen === undefined || this.#seen.lease.holder !== identity) return true;
    const body = releaseBody(this.#seen.lease, this.#clock.date());
    try {
      this.#observe(await client.patch(leases, lease, { body, signal }));
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  #reportTrouble(error: unknown): void {
    const shown = error instanceof Error ? error : new Error('unknown trouble', { cause: error });
    this.#options.trouble?.(shown);
  }
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
