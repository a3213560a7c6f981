/** Time, which tests give their own of. */

export interface Clock {
  /** Milliseconds from any moment; goes on evenly when the time of the machine is set. */
  now(): number;
  /** The time of the machine, for what others read. */
  date(): Date;
  /** @returns what calls it off */
  after(milliseconds: number, action: () => void): () => void;
}

/** The longest that a timer of Node takes; beyond, it would ring at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (milliseconds, action) => {
    const timer = setTimeout(action, Math.min(milliseconds, LONGEST));
    return () => clearTimeout(timer);
  },
};

/** Resolves after that time, or earlier when the signal comes: the caller looks which it was. */
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
