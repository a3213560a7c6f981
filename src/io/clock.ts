/** Time; tests replace it. */

export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** The system time, for output. */
  date(): Date;
  /** @returns a function that cancels the timer */
  after(milliseconds: number, action: () => void): () => void;
}

/** The longest delay that Node supports; longer delays would fire immediately. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(milliseconds, LONGEST));
    return () => clearTimeout(timer);
  },
};

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
    signal.addEventListener('abort', end);
  });
}
