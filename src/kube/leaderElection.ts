/**
 * Leader election with a Lease (coordination.k8s.io/v1): the leader acquires the Lease and renews it. It is compatible with
 * client-go, the library of the Kubernetes controllers. Clocks of different machines are not compared: a Lease has expired
 * when this replica has not seen it change for its duration.
 */

import { CliError } from '../core/errors.ts';
import { asMapping } from '../formats/mapping.ts';
import { isConflict, isNotFound, toError } from './apiError.ts';
import { withJitter } from './rateLimit.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, limitTime, pause, systemClock, type TimeLimit } from '../io/clock.ts';
import { formatMicroTime, type KubernetesObject, leases, type ObjectKey } from './objects.ts';

interface LeaderElectionOptions {
  /** A separate client: a renewal that waits behind other requests may be too late. */
  readonly client: KubernetesClient;
  /** Created if it does not exist. Requires the verbs `get`, `create` and `patch`. */
  readonly lease: ObjectKey;
  /** The unique identity of this replica. */
  readonly identity: string;
  /**
   * Called each time when this replica becomes the leader. The signal is aborted when it stops leading, which is before
   * another replica can become the leader: nothing may be written afterwards. The Lease is released after the returned
   * promise settles; an error is reported and ends the term.
   */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Called when the leader changes; undefined without a leader. */
  readonly changed?: (leader: string | undefined) => void;
  /** Receives errors, which are retried. */
  readonly onError?: (error: Error) => void;
  readonly durations?: LeaseDurations;
  readonly clock?: Clock;
}

/** Milliseconds; each duration is longer than the next one. */
interface LeaseDurations {
  /** How long other replicas wait for a renewal. Whole seconds. */
  readonly lease: number;
  /** How long the leader tries to renew before it stops leading. */
  readonly renewal: number;
  /** Between two attempts. */
  readonly retry: number;
}

/** The defaults of client-go. */
const DEFAULT_DURATIONS: LeaseDurations = { lease: 15_000, renewal: 10_000, retry: 2000 };

/** Starts immediately. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #durations: LeaseDurations;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** The last observed Lease, and the time since it is unchanged. */
  #seen: { readonly lease: LeaseState; readonly since: number } | undefined;
  /** The last reported leader, which `#seen` may have forgotten after an error. */
  #reported: string | undefined;
  /** Aborted when this replica stops leading; undefined if it does not lead. */
  #term: AbortSignal | undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#durations = options.durations ?? DEFAULT_DURATIONS;
    this.#done = this.#run(this.#stop.signal);
  }

  get isLeader(): boolean {
    return this.#term?.aborted === false;
  }

  /** Stops leading and releases the Lease, so that the next leader does not wait for it to expire. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const begun = this.#clock.now();
      if ((await this.#claim(stop)) === 'acquired' && !stop.aborted) await this.#serveTerm(begun, stop);
      await pause(this.#clock, withJitter(this.#durations.retry), stop);
    }
    await this.#releaseLease();
  }

  /**
   * Leads, and renews the Lease until `lead` has ended, or until renewing fails.
   * @param begun the start of the request that acquired the Lease; other replicas count from this time or later
   */
  async #serveTerm(begun: number, stop: AbortSignal): Promise<void> {
    const term = new AbortController();
    const endTerm = (): void => term.abort();
    this.#term = term.signal;
    let cancelTimer = this.#endAfterRenewalTime(endTerm, begun);
    stop.addEventListener('abort', endTerm);
    const end = new AbortController(); // aborted when `lead` has ended
    const over = end.signal;
    void this.#options
      .lead(term.signal)
      .catch((error: unknown) => this.#reportError(error))
      .finally(() => end.abort());
    while (!over.aborted) {
      await pause(this.#clock, this.#durations.retry, over);
      // A stopping replica keeps the Lease until its work has ended; a replica that failed to renew has lost it.
      if (term.signal.aborted && !stop.aborted) continue;
      const renewed = this.#clock.now();
      const outcome = await this.#claim(over);
      if (outcome === 'owned by another') endTerm();
      if (outcome !== 'acquired') continue;
      cancelTimer();
      cancelTimer = this.#endAfterRenewalTime(endTerm, renewed);
    }
    stop.removeEventListener('abort', endTerm);
    endTerm();
    cancelTimer();
    this.#term = undefined;
    await this.#releaseLease();
  }

  /** Ends the term if the Lease is not renewed in time. @returns cancels the timer */
  #endAfterRenewalTime(endTerm: () => void, begun: number): () => void {
    return this.#clock.after(begun + this.#durations.renewal - this.#clock.now(), endTerm);
  }

  /** One attempt to acquire or to renew the Lease. */
  async #claim(signal: AbortSignal): Promise<'acquired' | 'owned by another' | 'unknown'> {
    const { identity } = this.#options;
    const { signal: inTime, release } = this.#limitTime(signal);
    try {
      // A renewal needs no read: the API server refuses the patch if the Lease was changed.
      const lease = this.#seen?.lease.holder === identity ? this.#seen.lease : await this.#read(inTime);
      if (lease !== undefined && this.#isOwnedByAnother(lease)) return 'owned by another';
      this.#observe(await this.#write(lease, inTime));
      return 'acquired';
    } catch (error) {
      if (signal.aborted) return 'unknown';
      if (this.#seen?.lease.holder === identity) this.#seen = undefined;
      if (!isConflict(error)) this.#reportError(inTime.aborted ? this.#timeout() : error);
      return 'unknown';
    } finally {
      release();
    }
  }

  /** Limits a request to the renewal time, as a later result is useless. */
  #limitTime(signal?: AbortSignal): TimeLimit {
    return limitTime(this.#durations.renewal, { clock: this.#clock, signal });
  }

  #timeout(): CliError {
    const { namespace, name } = this.#options.lease;
    const seconds = this.#durations.renewal / 1000;
    return new CliError(`no response for the Lease ${namespace}/${name} within ${seconds} seconds`, {
      code: 'ERR_KUBERNETES',
      hint: 'check the load of the API server, and the network between it and this machine',
    });
  }

  async #read(signal: AbortSignal): Promise<LeaseState | undefined> {
    const { client, lease } = this.#options;
    try {
      return this.#observe(await client.get(leases, lease, signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Records since when the Lease is unchanged on the local clock; the times in the Lease are not used. */
  #observe(object: KubernetesObject): LeaseState {
    const seen = this.#seen;
    const lease = readLease(object, this.#durations.lease);
    const isSame = seen?.lease.resourceVersion === lease.resourceVersion;
    this.#seen = { lease, since: isSame ? seen.since : this.#clock.now() };
    if (this.#reported !== lease.holder) this.#options.changed?.(lease.holder);
    this.#reported = lease.holder;
    return lease;
  }

  #isOwnedByAnother({ holder, duration }: LeaseState): boolean {
    if (holder === undefined || holder === this.#options.identity || this.#seen === undefined) return false;
    return this.#clock.now() - this.#seen.since < duration;
  }

  async #write(before: LeaseState | undefined, signal: AbortSignal): Promise<KubernetesObject> {
    const { client, identity, lease } = this.#options;
    const duration = this.#durations.lease;
    const body = claimBody(identity, duration, this.#clock.date(), before);
    if (before !== undefined) return client.patch(leases, lease, { body }, signal);
    return client.create(leases, lease.namespace, { ...body, metadata: { name: lease.name } }, signal);
  }

  /** Releases the Lease. If that fails, other replicas wait until it expires. */
  async #releaseLease(): Promise<void> {
    const { client, identity, lease } = this.#options;
    if (this.#seen?.lease.holder !== identity) return;
    // Without a holder, the next leader can acquire the Lease immediately.
    const spec = {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      renewTime: formatMicroTime(this.#clock.date()),
    };
    const body = { metadata: { resourceVersion: this.#seen.lease.resourceVersion }, spec };
    const { signal, release } = this.#limitTime();
    try {
      this.#observe(await client.patch(leases, lease, { body }, signal));
    } catch (error) {
      this.#seen = undefined;
      if (!isConflict(error)) this.#reportError(error);
    } finally {
      release();
    }
  }

  #reportError(error: unknown): void {
    this.#options.onError?.(toError(error));
  }
}

interface LeaseState {
  readonly resourceVersion: string;
  /** Undefined if the Lease is released. */
  readonly holder: string | undefined;
  /** Milliseconds after which the Lease expires if it is unchanged. */
  readonly duration: number;
  /** The number of leader changes. */
  readonly transitions: number;
}

/** Milliseconds. Limits, as other clients can write any value. */
const SHORTEST = 1000;
const LONGEST = 3_600_000;

/** @param fallback the duration in milliseconds if the Lease has none */
export function readLease({ metadata, spec }: KubernetesObject, fallback: number): LeaseState {
  const fields = asMapping(spec);
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

/**
 * The body that acquires or renews the Lease. It is refused if the Lease was changed since `before`.
 * @param duration milliseconds
 */
export function claimBody(
  identity: string,
  duration: number,
  now: Date,
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
