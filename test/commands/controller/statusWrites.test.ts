/** How often the same status is written when another controller overwrites it. */

import { describe, expect, it } from 'vitest';
import { StatusWrites } from '../../../src/commands/controller/reconcileLoop.ts';
import { createFakeClock } from '../../support/fakeClock.ts';

const clock = createFakeClock();
const writes = new StatusWrites(clock);

/** Seconds until each of the writes. */
async function waitsOf(content: string, count: number): Promise<number[]> {
  const waits: number[] = [];
  while (waits.length < count) {
    let seconds = 0;
    for (; isRefused(content); seconds += 10) await clock.advance(10_000);
    writes.wrote('worker-0', content);
    waits.push(seconds);
  }
  return waits;
}

function isRefused(content: string): boolean {
  try {
    writes.check('worker-0', content);
    return false;
  } catch {
    return true;
  }
}

describe('the same status', () => {
  it('is written after longer and longer times, and another one at once', async () => {
    expect(await waitsOf('one', 11)).toEqual([0, 0, 0, 10, 20, 40, 80, 160, 300, 300, 300]);
    expect(await waitsOf('two', 3)).toEqual([0, 0, 0]);
    expect(isRefused('two')).toBe(true);
    writes.forget('worker-0');
    expect(isRefused('two')).toBe(false);
  });

  it('is free again when nobody has overwritten it for long', async () => {
    await waitsOf('three', 4);
    await clock.advance(600_000);
    expect(await waitsOf('three', 4)).toEqual([0, 0, 0, 10]);
  });
});
