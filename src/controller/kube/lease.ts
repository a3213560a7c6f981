/** What a Lease (coordination.k8s.io/v1) says, and how it is written, as client-go does for its leader election. */

import { formatMicroTime } from '../../io/clock.ts';
import { isRecord, type KubernetesObject } from './objects.ts';

export interface LeaseState {
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
  const fields = isRecord(spec) ? spec : {};
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

export interface LeaseClaim {
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
export function releaseBody({ resourceVersion }: LeaseState, now: Date): Record<string, unknown> {
  const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: formatMicroTime(now) };
  return { metadata: { resourceVersion }, spec };
}
