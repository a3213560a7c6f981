/**
 * How fast requests may go out, so that one client does not take the API server from all others: a token bucket, and a
 * pause after a failure that doubles with each one in a row.
 */

import { type Clock, pause } from '../../io/clock.ts';

export interface Pace {
  /** In the long run. */
  readonly perSecond: number;
  /** So many at once, after a rest. */
  readonly burst: number;
}

/** Resolves when the next request may go out, in the order of asking; or when the signal comes. */
export type TakeTurn = (signal: AbortSignal) => Promise<void>;

export function createPace({ perSecond, burst }: Pace, clock: Clock): TakeTurn {
  const interval = 1000 / perSecond;
  // When the bucket is full; a request takes one interval out of it.
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

/** @param failures so far, of which the first counts 1 */
export function backOffAfter({ first, longest }: BackOff, failures: number): number {
  return Math.min(first * 2 ** Math.max(failures - 1, 0), longest);
}

/** Between the half and all of it, so that those who failed at one time do not come back at one time. */
export function withJitter(milliseconds: number, random = Math.random): number {
  return milliseconds * (0.5 + random() / 2);
}
