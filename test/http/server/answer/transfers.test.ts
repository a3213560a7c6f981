import { describe, expect, it } from 'vitest';
import {
  createTransferLog,
  type TransferEvent,
  type TransferLog,
  type TransferStart,
  type TransferWatcher,
} from '../../../../src/http/server/answer/transfers.ts';
import { transferStart as start } from '../../../support/transferStart.ts';

/** A log with a clock that is set by hand. */
function logWithClock(watchers: readonly TransferWatcher[] = []) {
  let time = Date.UTC(2026, 10, 21);
  const log = createTransferLog(watchers, () => new Date(time));
  return { log, pass: (seconds: number) => (time += seconds * 1000) };
}

interface Fetch extends Partial<TransferStart> {
  readonly from?: number;
  readonly to?: number;
  readonly outcome?: 'client disconnected';
}

/** One transfer from its start to its end. */
function fetch(log: TransferLog, { from = 0, to = 1000, outcome, ...changes }: Fetch = {}): void {
  const transfer = log.begin({ ...start, ...changes });
  transfer.sent({ offset: from, length: to - from });
  transfer.end(outcome ?? 'complete');
}

const only = (log: TransferLog) => {
  const progress = log.progressOf('worker-0');
  expect(progress).toHaveLength(1);
  return progress[0]!;
};

describe('progress', () => {
  it('of several connections of one client is counted together', () => {
    const { log, pass } = logWithClock();
    const [left, right] = [log.begin(start), log.begin(start)];
    left.sent({ offset: 0, length: 300 });
    pass(5);
    right.sent({ offset: 200, length: 300 });
    expect(log.running()).toBe(2);
    expect(only(log)).toEqual({
      path: 'worker-0.iso',
      artifact: 'iso',
      size: 1000,
      bytes: 500,
      lastFetch: new Date(Date.UTC(2026, 10, 21, 0, 0, 5)),
      completed: undefined,
      running: 2,
      clients: ['192.0.2.7'],
    });
  });

  it('of several clients is that of one of them', () => {
    const { log } = logWithClock();
    fetch(log, { client: 'a', to: 500 });
    fetch(log, { client: 'b', from: 500 });
    fetch(log, { client: 'c', to: 200 });
    expect(only(log)).toMatchObject({ bytes: 200, completed: undefined, clients: ['a', 'b', 'c'] });
    log.begin({ ...start, client: 'a' });
    log.begin({ ...start, client: 'c' });
    expect(only(log)).toMatchObject({ bytes: 500, running: 2 });
  });

  it('starts anew when a client comes again that had all', () => {
    const { log } = logWithClock();
    fetch(log);
    const { completed } = only(log);
    expect(only(log)).toMatchObject({ bytes: 1000, completed: expect.any(Date) });
    log.begin(start).sent({ offset: 0, length: 10 });
    expect(only(log)).toMatchObject({ bytes: 10, completed, running: 1 });
  });

  it('starts anew when the image is another one, and what still runs of the old one does not count', () => {
    const { log } = logWithClock();
    const old = log.begin(start);
    old.sent({ offset: 0, length: 600 });
    const young = log.begin({ ...start, etag: '"b"', size: 2000 });
    old.sent({ offset: 600, length: 400 });
    old.end('complete');
    young.sent({ offset: 0, length: 50 });
    expect(only(log)).toMatchObject({ bytes: 50, size: 2000, completed: undefined, running: 1 });
  });

  it('is told by host, and apart for what all share', () => {
    const { log } = logWithClock();
    fetch(log, { host: 'worker-1', path: 'worker-1.iso' });
    fetch(log, { host: undefined, path: 'images/1/kernel', artifact: 'kernel' });
    expect(log.progressOf('worker-0')).toEqual([]);
    expect(log.progressOf('worker-1').map(({ path }) => path)).toEqual(['worker-1.iso']);
    expect(log.progressOf(undefined).map(({ path }) => path)).toEqual(['images/1/kernel']);
  });

  it('remembers some clients of an image, the last ones', () => {
    const { log } = logWithClock();
    for (let client = 0; client < 1000; client++) fetch(log, { client: `client-${client}`, to: 10 });
    expect(only(log).clients).toEqual(['client-996', 'client-997', 'client-998', 'client-999']);
  });
});

describe('recent', () => {
  it('tells of ended transfers, the newest one first', () => {
    const { log, pass } = logWithClock();
    const slow = log.begin({ ...start, id: 7, userAgent: 'curl/8' });
    pass(2);
    fetch(log, { id: 8, to: 5, outcome: 'client disconnected' });
    slow.sent({ offset: 0, length: 100 });
    slow.sent({ offset: 0, length: 100 });
    pass(0.5);
    slow.end('aborted');
    const ended = new Date(Date.UTC(2026, 10, 21, 0, 0, 2, 500));
    expect(log.recent()).toMatchObject([
      { id: 7, bytes: 200, seconds: 2.5, ended, outcome: 'aborted', userAgent: 'curl/8' },
      { id: 8, bytes: 5, seconds: 0, outcome: 'client disconnected' },
    ]);
    expect(log.running()).toBe(0);
  });

  it('forgets old ones', () => {
    const { log } = logWithClock();
    for (let id = 1; id <= 1000; id++) fetch(log, { id });
    expect(log.recent()).toHaveLength(200);
    expect(log.recent()[0]).toMatchObject({ id: 1000 });
  });
});

/** Whether it has resolved by now. */
async function isFetched(log: TransferLog, act: () => void): Promise<boolean> {
  const fetched = log.whenFetched('worker-0', ['iso', 'minimal-iso']);
  act();
  return Promise.race([
    fetched.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
}

describe('whenFetched', () => {
  it.each<[string, readonly Fetch[], boolean]>([
    ['all at once', [{}], true],
    ['in two parts', [{ to: 400 }, { from: 400 }], true],
    ['interrupted and resumed', [{ to: 400, outcome: 'client disconnected' }, { from: 380 }], true],
    ['not all', [{ to: 400 }, { from: 401 }], false],
    ['in two parts by two clients', [{ to: 400 }, { from: 400, client: 'b' }], false],
    ['in two parts of two images', [{ to: 400 }, { from: 400, etag: '"b"' }], false],
    ['by a client that went away at the end', [{ outcome: 'client disconnected' }], false],
    ['another host', [{ host: 'worker-1', path: 'worker-1.iso' }], false],
    ['an image that is not asked for', [{ path: 'worker-0.ign', artifact: 'ign' }], false],
  ])('%s', async (_title, fetches, expected) => {
    const { log } = logWithClock();
    const result = await isFetched(log, () => {
      for (const one of fetches) fetch(log, one);
    });
    expect(result).toBe(expected);
  });

  it('waits for the connections that still run', async () => {
    const { log } = logWithClock();
    const [left, right] = [log.begin(start), log.begin(start)];
    const before = await isFetched(log, () => {
      left.sent({ offset: 0, length: 600 });
      right.sent({ offset: 600, length: 400 });
      left.end('complete');
    });
    expect(before).toBe(false);
    expect(await isFetched(log, () => right.end('client disconnected'))).toBe(true);
  });

  it('is not about what was fetched before', async () => {
    const { log } = logWithClock();
    fetch(log);
    expect(await isFetched(log, () => undefined)).toBe(false);
    expect(await isFetched(log, () => fetch(log))).toBe(true);
  });
});

it('watchers are told of every transfer', () => {
  const told: unknown[] = [];
  const watcher: TransferWatcher = {
    began: ({ id }) => told.push(['began', id]),
    sent: ({ id }, bytes) => told.push(['sent', id, bytes]),
    ended: ({ id, bytes, outcome }: TransferEvent) => told.push(['ended', id, bytes, outcome]),
  };
  fetch(logWithClock([watcher, {}]).log, { to: 10 });
  expect(told).toEqual([
    ['began', 1],
    ['sent', 1, 10],
    ['ended', 1, 10, 'complete'],
  ]);
});
