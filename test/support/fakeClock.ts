/** A clock that goes only when the test says so. */

import type { Clock } from '../../src/io/clock.ts';

export interface FakeClock extends Clock {
  /** Goes on by so many milliseconds: all that is due by then happens, in order, each with all that follows from it. */
  advance(milliseconds: number): Promise<void>;
  /** Of timers that were neither due nor called off. */
  readonly pending: number;
}

interface Timer {
  readonly due: number;
  readonly action: () => void;
}

export function createFakeClock(): FakeClock {
  const timers = new Set<Timer>();
  let now = 1_000_000;
  const nextUntil = (end: number): Timer | undefined =>
    [...timers].filter(({ due }) => due <= end).toSorted((a, b) => a.due - b.due)[0];
  return {
    now: () => now,
    date: () => new Date(Date.UTC(2026, 10, 21) + now),
    after: (milliseconds, action) => {
      const timer = { due: now + Math.max(milliseconds, 0), action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (milliseconds) => {
      const end = now + milliseconds;
      await settle();
      for (let next = nextUntil(end); next !== undefined; next = nextUntil(end)) {
        timers.delete(next);
        now = Math.max(now, next.due);
        next.action();
        await settle();
      }
      now = end;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Lets everything happen that waits for nothing but promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
