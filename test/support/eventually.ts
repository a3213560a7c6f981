/** Waits for what happens by itself. */

import { vi } from 'vitest';

/** Repeats the assertions until all of them hold: on a loaded machine, that takes far longer than the second of `vi.waitFor`. */
export function eventually<T>(assertions: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertions, { timeout: 120_000, interval: 20 });
}
