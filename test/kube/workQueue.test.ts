/** The work queue under a clock of its own. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/kube/apiError.ts';
import { type WorkFailure, WorkQueue } from '../../src/kube/workQueue.ts';
import { createFakeClock, type FakeClock, settle } from '../support/fakeClock.ts';

interface Bench {
  readonly clock: FakeClock;
  readonly queue: WorkQueue;
  /** Keys as they were begun. */
  readonly begun: string[];
  readonly failures: WorkFailure[];
  /** Ends what is being worked on. */
  readonly finish: (key: string, error?: Error) => Promise<void>;
}

function createBench(workers = 1): Bench {
  const clock = createFakeClock();
  const begun: string[] = [];
  const failures: WorkFailure[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const queue = new WorkQueue({
    clock,
    workers,
    backOff: { first: 100, longest: 1000 },
    failed: (failure) => void failures.push(failure),
    work: async (key) => {
      expect(ends.has(key), `${key} is worked on by two`).toBe(false);
      begun.push(key);
      const error = await new Promise<Error | undefined>((resolve) => {
        ends.set(key, resolve);
      });
      ends.delete(key);
      if (error !== undefined) throw error;
    },
  });
  const finish = async (key: string, error?: Error): Promise<void> => {
    await settle();
    ends.get(key)?.(error);
    await settle();
  };
  return { clock, queue, begun, failures, finish };
}

describe('createWorkQueue', () => {
  it('works on each key once, in the order of their coming', async () => {
    const { queue, begun, finish } = createBench();
    for (const key of ['a', 'b', 'c', 'b']) queue.add(key);
    for (const key of ['a', 'b', 'c']) await finish(key);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(queue.load).toEqual({ waiting: 0, delayed: 0, running: 0 });
  });

  it('does again what is added while it is being worked on, and never by two', async () => {
    const { queue, begun, finish } = createBench(3);
    queue.add('a');
    await settle();
    for (const key of ['a', 'a', 'b']) queue.add(key);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    expect(queue.load).toEqual({ waiting: 1, delayed: 0, running: 2 });
    await finish('a');
    expect(begun).toEqual(['a', 'b', 'a']);
  });

  it('has as many at work as it may', async () => {
    const { queue, begun, finish } = createBench(2);
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await finish('b');
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('tries again after pauses that double up to the longest, and forgets failures with a success', async () => {
    const { clock, queue, begun, failures, finish } = createBench();
    queue.add('a');
    for (const pause of [100, 200, 400, 800, 1000, 1000]) {
      await finish('a', new Error('no'));
      const before = begun.length;
      await clock.advance(pause - 1);
      expect(begun).toHaveLength(before);
      await clock.advance(1);
      expect(begun).toHaveLength(before + 1);
    }
    expect(failures.map(({ retryIn }) => retryIn)).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(failures.map((failure) => failure.failures)).toEqual([1, 2, 3, 4, 5, 6]);
    await finish('a');
    queue.add('a');
    await finish('a', new Error('no'));
    expect(failures.at(-1)).toMatchObject({ key: 'a', failures: 1, retryIn: 100 });
  });

  it('waits as long as the API server wants', async () => {
    const { queue, failures, finish } = createBench();
    queue.add('a');
    await finish('a', new ApiError('busy', { status: 429, wait: 30_000 }));
    expect(failures).toMatchObject([{ retryIn: 30_000 }]);
  });

  it('ends a pause where the key is added, and does it once', async () => {
    const { clock, queue, begun, finish } = createBench();
    queue.add('a');
    await finish('a', new Error('no'));
    queue.add('a');
    await finish('a');
    await clock.advance(10_000);
    expect(begun).toEqual(['a', 'a']);
    expect(clock.pending).toBe(0);
  });

  it('finishes what is being worked on when it stops, and takes nothing more', async () => {
    const { clock, queue, begun, finish } = createBench();
    for (const key of ['a', 'b']) queue.add(key);
    await settle();
    let isStopped = false;
    const stopped = queue.stop().then(() => (isStopped = true));
    queue.add('d');
    await clock.advance(100);
    expect(isStopped).toBe(false);
    await finish('a', new Error('no'));
    await stopped;
    await clock.advance(10_000);
    expect(begun).toEqual(['a']);
    expect(queue.load).toEqual({ waiting: 0, delayed: 0, running: 0 });
    expect(clock.pending).toBe(0);
  });

  it('works at last on every key after it was added, whatever happens', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('finish' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('fail' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('wait' as const), key: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, workers) => {
          const { clock, queue, begun, finish } = createBench(workers);
          const owed = new Map<string, number>();
          for (const { kind, key } of steps) {
            if (kind === 'add') queue.add(key);
            if (kind === 'add') owed.set(key, begun.length);
            if (kind === 'finish') await finish(key);
            if (kind === 'fail') await finish(key, new Error('no'));
            if (kind === 'wait') await clock.advance(60);
          }
          for (let round = 0; round < 4; round++) {
            await clock.advance(2000);
            for (const key of ['a', 'b', 'c']) await finish(key);
          }
          for (const [key, since] of owed) expect(begun.slice(since)).toContain(key);
          expect(queue.load).toEqual({ waiting: 0, delayed: 0, running: 0 });
        },
      ),
      { numRuns: 60 },
    );
  });
});
