/** Waits for what happens by itself. */

import { vi } from 'vitest';
import { WAIT_LIMIT } from './patience.ts';

/** Repeats the assertions until all of them hold: on a loaded machine, that takes far longer than the second of `vi.waitFor`. */
export function eventually<T>(assertions: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assertions, { timeout: WAIT_LIMIT, interval: 20 });
}
