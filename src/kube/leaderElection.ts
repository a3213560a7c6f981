/**
 * Leader election with a Lease (coordination.k8s.io/v1): the leader acquires the Lease and renews it. It is compatible with
 * client-go, the library of the Kubernetes controllers. Clocks of different machines are not compared: a Lease has expired
 * when this replica has not seen it change for its duration.
 */

import { CliError } from '../core/errors.ts';
import { isConflict, toError } from './apiError.ts';
import { withJitter } from '../http/client/retries.ts';
import type { KubernetesClient } from './kubernetesClient.ts';
import { type Clock, limitTime, pause, systemClock } from '../io/clock.ts';
import { formatMicroTime, type KubernetesObject, leases, type ObjectKey } from './objects.ts';

interface LeaderElectionOptions {
  /** A separate client: a renewal that waits behind other requests may be too late. */
  readonly client: KubernetesClient;
  /** Created if it does not exist. Requires the verbs `get`, `create` and `patch`. */
  readonly lease: ObjectKey;
  readonly identity: string;
  /**
   * Called each time when this replica becomes the leader. The signal is aborted when it stops leading, which is before
   * another replica can become the leader: nothing may be written afterwards.
   */
  readonly lead: (signal: AbortSignal) => void;
  /** Called when the leader changes; undefined without a leader. */
  readonly changed?: (leader: string | undefined) => void;
  /** Receives errors, which are retried. */
  readonly onError?: (error: Error) => void;
  readonly clock?: Clock;
}

/** Milliseconds that other replicas wait for a renewal. These three durations are the defaults of client-go. */
const DURATION = 15_000;
/** Milliseconds that the leader tries to renew before it stops leading. */
const RENEWAL = 10_000;
/** Milliseconds between two attempts. */
const RETRY = 2000;

/** The fields of a Lease as the API server has them, which has checked them. */
interface StoredLease extends KubernetesObject {
  readonly spec?: {
    /** Missing or empty if the Lease is released. */
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
  };
}

/** Starts immediately. */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** The last observed Lease, and the time since it is unchanged. */
  #seen: { readonly lease: StoredLease; readonly since: number } | undefined;
  #isLeading = false;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#done = this.#run(this.#stop.signal);
  }

  get isLeader(): boolean {
    return this.#isLeading;
  }

  /** Stops leading and releases the Lease, so that the next leader does not wait for it to expire. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const begun = this.#clock.now();
      if ((await this.#claim(begun + RENEWAL, stop)) === 'acquired') await this.#serveTerm(begun, stop);
      await pause(this.#clock, withJitter(RETRY), stop);
    }
    await this.#releaseLease();
  }

  /**
   * Leads, and renews the Lease until that fails for too long.
   * @param begun the start of the request that acquired the Lease; other replicas count from this time or later
   */
  async #serveTerm(begun: number, stop: AbortSignal): Promise<void> {
    const term = new AbortController();
    this.#isLeading = true;
    this.#options.lead(term.signal);
    let end = begun + RENEWAL;
    for (;;) {
      await pause(this.#clock, Math.min(RETRY, end - this.#clock.now()), stop);
      const renewed = this.#clock.now();
      if (stop.aborted || renewed >= end) break;
      const outcome = await this.#claim(end, stop);
      if (outcome === 'owned by another') break;
      if (outcome === 'acquired') end = renewed + RENEWAL;
    }
    this.#isLeading = false;
    term.abort();
  }

  /**
   * One attempt to acquire or to renew the Lease. The API server refuses it if the Lease was changed meanwhile.
   * @param end the time after which a result is useless
   */
  async #claim(end: number, stop: AbortSignal): Promise<'acquired' | 'owned by another' | 'unknown'> {
    const { client, identity, lease: key } = this.#options;
    const { signal, release } = limitTime(end - this.#clock.now(), { clock: this.#clock, signal: stop });
    try {
      const before: StoredLease | undefined = await client.get(leases, key, signal);
      if (before !== undefined && this.#isOwnedByAnother(this.#observe(before))) return 'owned by another';
      const time = formatMicroTime(this.#clock.date());
      const { holderIdentity, leaseTransitions = 0 } = before?.spec ?? {};
      const spec = {
        holderIdentity: identity,
        leaseDurationSeconds: DURATION / 1000,
        renewTime: time,
        ...(holderIdentity !== identity && {
          acquireTime: time,
          leaseTransitions: before === undefined ? 0 : leaseTransitions + 1,
        }),
      };
      this.#observe(
        before === undefined
          ? await client.create(leases, key.namespace, { metadata: { name: key.name }, spec }, signal)
          : await client.patch(leases, key, { body: { metadata: versionOf(before), spec } }, signal),
      );
      return 'acquired';
    } catch (error) {
      if (!stop.aborted && !isConflict(error)) this.#reportError(signal.aborted ? this.#timeout() : error);
      return 'unknown';
    } finally {
      release();
    }
  }

  #timeout(): CliError {
    const { namespace, name } = this.#options.lease;
    return new CliError(`no response for the Lease ${namespace}/${name} within ${RENEWAL / 1000} seconds`, {
      code: 'ERR_KUBERNETES',
      hint: 'check the load of the API server, and the network between it and this machine',
    });
  }

  /** Records since when the Lease is unchanged on the local clock; the times in the Lease are not used. */
  #observe(lease: StoredLease): StoredLease {
    const before = this.#seen;
    const isSame = before?.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
    this.#seen = { lease, since: isSame ? before.since : this.#clock.now() };
    const leader = holderOf(lease);
    if (holderOf(before?.lease) !== leader) this.#options.changed?.(leader);
    return lease;
  }

  #isOwnedByAnother(lease: StoredLease): boolean {
    const holder = holderOf(lease);
    if (holder === undefined || holder === this.#options.identity || this.#seen === undefined) return false;
    const { leaseDurationSeconds = DURATION / 1000 } = lease.spec ?? {};
    return this.#clock.now() - this.#seen.since < leaseDurationSeconds * 1000;
  }

  /** Releases the Lease. If that fails, other replicas wait until it expires. */
  async #releaseLease(): Promise<void> {
    const { client, identity, lease: key } = this.#options;
    const lease = this.#seen?.lease;
    if (lease === undefined || holderOf(lease) !== identity) return;
    // Without a holder, the next leader can acquire the Lease immediately.
    const renewTime = formatMicroTime(this.#clock.date());
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime };
    const { signal, release } = limitTime(RENEWAL, { clock: this.#clock });
    try {
      await client.patch(leases, key, { body: { metadata: versionOf(lease), spec } }, signal);
    } catch (error) {
      if (!isConflict(error)) this.#reportError(error);
    } finally {
      release();
    }
  }

  #reportError(error: unknown): void {
    this.#options.onError?.(toError(error));
  }
}

/** The leader; undefined if the Lease is released. */
function holderOf(lease: StoredLease | undefined): string | undefined {
  return lease?.spec?.holderIdentity || undefined;
}

/** The API server refuses a patch of another version. */
function versionOf({ metadata: { resourceVersion } }: StoredLease): { readonly resourceVersion: string } {
  return { resourceVersion };
}
