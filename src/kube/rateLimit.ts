/**
 * A rate limit (token bucket), so that one client does not overload the API server, and exponential backoff after failures.
 */

import { type Clock, pause } from '../io/clock.ts';

export interface RateLimit {
  readonly perSecond: number;
  /** The maximum number of requests without a pause. */
  readonly burst: number;
}

/** Resolves when the next request may be sent, in the order of the calls, or when the signal is aborted. */
export type WaitForTurn = (signal: AbortSignal) => Promise<void>;

export function createRateLimiter({ perSecond, burst }: RateLimit, clock: Clock): WaitForTurn {
  const interval = 1000 / perSecond;
  // The time when the bucket is full; each request adds one interval.
  let full = clock.now();
  return async (signal) => {
    const now = clock.now();
    full = Math.max(full, now) + interval;
    const wait = full - burst * interval - now;
    if (wait > 0) await pause(clock, wait, signal);
  };
}

/** Milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly longest: number;
}

/** @param failures the number of consecutive failures, at least 1 */
export function backOffAfter({ first, longest }: BackOff, failures: number): number {
  return Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
}

/** A random time between half and all of it, so that clients do not retry at the same time. */
export function withJitter(milliseconds: number, random = Math.random): number {
  return milliseconds * (0.5 + random() / 2);
}
