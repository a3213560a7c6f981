/** Time; tests replace it. */

import { setMaxListeners } from 'node:events';

export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** The system time, for output. */
  date(): Date;
  /** @returns a function that cancels the timer */
  after(milliseconds: number, action: () => void): () => void;
}

/** The longest delay that Node supports; longer delays would fire immediately. */
export const LONGEST_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(milliseconds, LONGEST_DELAY));
    return () => clearTimeout(timer);
  },
};

/**
 * A signal that is aborted after this time, or earlier with another signal. `AbortSignal.any` and `AbortSignal.timeout` do not
 * replace it: in Node 20 the result of the first stays in memory as long as its sources, and a timeout that is only such a
 * source may be garbage-collected, so that it never fires. `release` is to be called at the end; until then, the timer and the
 * source signal keep the limit in memory.
 */
export function limitTime(
  milliseconds: number,
  { clock = systemClock, signal }: { readonly clock?: Clock; readonly signal?: AbortSignal | undefined } = {},
): { readonly signal: AbortSignal; readonly release: () => void } {
  const end = new AbortController();
  const abort = (): void => end.abort();
  if (signal?.aborted === true) abort();
  if (signal !== undefined) listenToAbort(signal, abort);
  const cancelTimer = clock.after(milliseconds, abort);
  return {
    signal: end.signal,
    release: () => {
      cancelTimer();
      signal?.removeEventListener('abort', abort);
    },
  };
}

/** Any number of hosts and requests wait for one signal, of which Node would warn after the tenth. */
function listenToAbort(signal: AbortSignal, listener: () => void): void {
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener);
}

/** Resolves after this time, or earlier on the signal; the caller checks which one. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      callOff();
      resolve();
    };
    const callOff = clock.after(milliseconds, end);
    listenToAbort(signal, end);
  });
}
