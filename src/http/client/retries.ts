/** Repeats what failed for a reason that may pass: requests, downloads and steps of a boot. */

import { type Clock, pause, systemClock } from '../../io/clock.ts';
import { TransferError } from './httpErrors.ts';

export interface Repetition {
  /** Milliseconds until the next attempt; undefined for none. `failures` counts from 1. */
  readonly pauseAfter: (error: unknown, failures: number) => number | undefined;
  readonly clock?: Clock;
  /** Ends a pause: the next attempt is the last. */
  readonly signal?: AbortSignal | undefined;
}

/** @throws the error of the last attempt */
export async function repeat<T>(
  { clock = systemClock, pauseAfter, signal = new AbortController().signal }: Repetition,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const time = signal.aborted ? undefined : pauseAfter(error, failures);
      if (time === undefined) throw error;
      await pause(clock, time, signal);
    }
  }
}

/** Milliseconds. */
export interface BackOff {
  readonly first: number;
  readonly longest: number;
}

/** Each pause is twice as long as the previous one. @param failures in a row, at least 1 */
export function backOffAfter({ first, longest }: BackOff, failures: number): number {
  return Math.min(first * 2 ** (failures - 1), longest);
}

/** A random time between half and all of it, so that clients do not retry at the same time. */
export function withJitter(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

export interface RetryPolicy {
  /** Number of retries; may be `Infinity`. Progress resets the count. */
  readonly retries: number;
  /** Milliseconds before the first retry; each pause is twice as long as the previous one. */
  readonly firstPause: number;
  readonly signal?: AbortSignal | undefined;
  readonly say: (text: string) => void;
}

/** coreos-installer does not retry by default, but large transfers often need it. */
export const defaultRetries = { retries: 3, firstPause: 1000 };

/** Milliseconds of the longest pause, as coreos-installer's. */
const LONGEST_PAUSE = 600_000;

/** Bytes of progress that reset the count: a server may close the connection after each byte. */
const PROGRESS = 1024 * 1024;

/** Retries after a temporary TransferError; throws the error of the last attempt. */
export type Retry = <T>(attempt: () => Promise<T>) => Promise<T>;

/** @throws the error of the last attempt */
export async function withRetries<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  return countRetries(policy, () => 0)(attempt);
}

/**
 * For a piece of work in several steps, all of which together may be tried again as often as the policy says.
 * @param position up to which byte the work is done; an attempt that starts over goes back, which is no progress until it
 * gets further than any attempt before
 */
export function countRetries(policy: RetryPolicy, position: () => number): Retry {
  let failures = 0;
  let furthest = position();
  const pauseAfter = (error: unknown): number | undefined => {
    if (!(error instanceof TransferError) || !error.isPassing) return undefined;
    if (position() - furthest >= PROGRESS) failures = 0;
    furthest = Math.max(furthest, position());
    if (failures >= policy.retries) return undefined;
    const time = Math.min(Math.max(policy.firstPause * 2 ** failures, error.wait), LONGEST_PAUSE);
    failures += 1;
    policy.say(`${error.message}; retrying in ${Math.ceil(time / 1000)} s`);
    return time;
  };
  return (attempt) => repeat({ pauseAfter, signal: policy.signal }, attempt);
}
