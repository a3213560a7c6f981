/** Trying again what may go better in a while, with ever longer pauses. */

import { setTimeout as wait } from 'node:timers/promises';
import { TransferError } from './httpErrors.ts';

export interface RetryPolicy {
  /** How often to try again; may be `Infinity`. Progress starts the count again. */
  readonly retries: number;
  /** Milliseconds before the first; each is twice as long as the one before. */
  readonly firstPause: number;
  readonly signal?: AbortSignal | undefined;
  /** Takes a line that says what is going on. */
  readonly say: (text: string) => void;
}

/** coreos-installer does not try again by itself; a transfer of a gigabyte seldom gets by without. */
export const defaultRetries = { retries: 3, firstPause: 1000 };

/** Milliseconds of the longest pause, as coreos-installer's. */
const LONGEST_PAUSE = 600_000;

/** Bytes beyond the largest position ever reached that start the count again: a server may give up after each byte. */
const PROGRESS = 1024 * 1024;

/** Tries again what throws a passing TransferError; throws what the last attempt threw. */
export type Retry = <T>(attempt: () => Promise<T>) => Promise<T>;

/** @throws what the last attempt threw */
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
  const pauseAfter = async (error: unknown): Promise<void> => {
    if (!(error instanceof TransferError) || !error.isPassing) throw error;
    if (position() - furthest >= PROGRESS) failures = 0;
    furthest = Math.max(furthest, position());
    if (failures >= policy.retries) throw error;
    const pause = Math.min(Math.max(policy.firstPause * 2 ** failures, error.wait), LONGEST_PAUSE);
    failures += 1;
    policy.say(`${error.message}; retrying in ${Math.ceil(pause / 1000)} s`);
    await wait(pause, undefined, policy.signal === undefined ? {} : { signal: policy.signal });
  };
  return async (attempt) => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        await pauseAfter(error);
      }
    }
  };
}
