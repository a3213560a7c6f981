/** Snapshots one after the other: what is served, and when the files of the one before are closed. */

import { describe, expect, it } from 'vitest';
import { createServiceState } from '../../src/service/serviceState.ts';
import type { Clock } from '../../src/io/clock.ts';
import { createFakeClock } from '../support/fakeClock.ts';
import type { Snapshot } from '../../src/service/snapshot.ts';

/** A service whose snapshots come when `give` is called. */
function service(clock?: Clock) {
  const closed: number[] = [];
  const waiting: { resolve: (snapshot: Snapshot) => void; reject: (error: Error) => void }[] = [];
  let count = 0;
  const signals: AbortSignal[] = [];
  const state = createServiceState<Snapshot>((_before, signal) => {
    signals.push(signal);
    return new Promise((resolve, reject) => void waiting.push({ resolve, reject }));
  }, clock);
  const give = async (problem?: string): Promise<void> => {
    const number = ++count;
    const next = waiting.shift();
    if (problem === undefined) next?.resolve(snapshotOf(number, closed));
    else next?.reject(new Error(problem));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { state, give, closed, signals, waiting, asked: () => waiting.length };
}

function snapshotOf(number: number, closed: number[]): Snapshot {
  return {
    catalog: { find: () => undefined, images: { count: number, size: 0 } },
    hosts: [],
    unlisted: [],
    bases: new Map(),
    wanted: { configs: [], loaders: [] },
    secrets: new Map(),
    close: async () => void closed.push(number),
  };
}

describe('the state of the service', () => {
  it('closes a snapshot only when no request holds it any more', async () => {
    const { state, give, closed } = service();
    void state.load();
    await give();
    const releases = [state.catalog().acquire(), state.catalog().acquire()];
    void state.load();
    await give();
    expect(state.current()?.catalog.images.count).toBe(2);
    releases[0]?.();
    expect(closed).toEqual([]);
    releases[1]?.();
    expect(closed).toEqual([1]);
    await state.close();
    expect(closed).toEqual([1, 2]);
  });

  it('closes one that nobody holds at once', async () => {
    const { state, give, closed } = service();
    void state.load();
    await give();
    state.catalog().acquire()();
    void state.load();
    await give();
    expect(closed).toEqual([1]);
  });

  it('serves on what it had where another cannot be taken', async () => {
    const { state, give, closed } = service();
    void state.load();
    await give();
    const failing = state.load();
    await Promise.all([expect(failing).rejects.toThrow('wrong'), give('wrong')]);
    expect([state.problem(), state.current()?.catalog.images.count, closed]).toEqual([
      new Error('wrong'),
      1,
      [],
    ]);
    void state.load();
    await give();
    expect([state.problem(), state.current()?.catalog.images.count]).toEqual([undefined, 3]);
  });

  it('takes one more after the one that is being taken, however many ask for it', async () => {
    const { state, give, asked } = service();
    const loads = [state.load(), state.load(), state.load()];
    expect(asked()).toBe(1);
    await give();
    expect(asked()).toBe(1);
    await give();
    await Promise.all(loads);
    expect([asked(), state.current()?.catalog.images.count]).toEqual([0, 2]);
  });

  it('reports a reload that does not end, and takes it when it comes', async () => {
    const clock = createFakeClock();
    const { state, give } = service(clock);
    const failures: unknown[] = [];
    const reloading = state.reload(
      () => state.load(),
      (error) => void failures.push(error),
    );
    await clock.advance(59_999);
    expect([failures, state.problem()]).toEqual([[], undefined]);
    await clock.advance(1);
    expect(failures).toEqual([
      expect.objectContaining({ message: expect.stringContaining('not ended after a minute') }),
    ]);
    expect(state.problem()).toBe(failures[0]);
    await give();
    await reloading;
    expect([state.problem(), state.current()?.catalog.images.count, clock.pending]).toEqual([
      undefined,
      1,
      0,
    ]);
  });

  it('is closed after a while where a read does not end', async () => {
    const clock = createFakeClock();
    const { state, give, closed } = service(clock);
    void state.load();
    await give();
    let isClosed = false;
    state.load().catch(() => undefined);
    const closing = state.close(1000).then(() => (isClosed = true));
    await clock.advance(999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closing;
    expect([closed, state.isLoading()]).toEqual([[1], true]);
  });

  it('cancels what is being taken, and what comes after it', async () => {
    const { state, give, signals } = service();
    const loads = [state.load(), state.load()];
    state.cancel();
    await give();
    await give();
    await Promise.all(loads);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('has nothing to serve before the first one', () => {
    const { state } = service();
    expect(() => state.catalog().find('worker-0.iso')).toThrow('still loading');
  });
});
