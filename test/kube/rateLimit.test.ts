/** How fast requests go out. */

import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../src/kube/rateLimit.ts';
import { createFakeClock, settle } from '../support/fakeClock.ts';

describe('createPace', () => {
  const never = new AbortController().signal;

  it('lets a burst through, then one after the other', async () => {
    const clock = createFakeClock();
    const takeTurn = createRateLimiter({ perSecond: 10, burst: 3 }, clock);
    const start = clock.now();
    const times: number[] = [];
    for (let count = 0; count < 6; count++) void takeTurn(never).then(() => times.push(clock.now() - start));
    await clock.advance(1000);
    expect(times).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it('has saved a burst after a rest, and not more', async () => {
    const clock = createFakeClock();
    const takeTurn = createRateLimiter({ perSecond: 10, burst: 2 }, clock);
    await clock.advance(60_000);
    let count = 0;
    for (let request = 0; request < 5; request++) void takeTurn(never).then(() => (count += 1));
    await settle();
    expect(count).toBe(2);
    await clock.advance(300);
    expect(count).toBe(5);
  });

  it('holds nobody who gives up', async () => {
    const clock = createFakeClock();
    const takeTurn = createRateLimiter({ perSecond: 1, burst: 1 }, clock);
    const end = new AbortController();
    await takeTurn(end.signal);
    const second = takeTurn(end.signal);
    end.abort();
    await second;
    expect(clock.pending).toBe(0);
  });
});
