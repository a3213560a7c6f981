/** Who leads, when requests fail, answers get lost, and replicas come and go. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/kube/apiError.ts';
import type { KubernetesClient } from '../../src/kube/kubernetesClient.ts';
import { pause } from '../../src/io/clock.ts';
import { LeaderElection } from '../../src/kube/leaderElection.ts';
import { type KubernetesObject, readObject } from '../../src/kube/objects.ts';
import { createFakeClock, type FakeClock } from '../support/fakeClock.ts';

const key = { namespace: 'metal3', name: 'ironic-coreos' };

/** One Lease, as the API server keeps it. */
interface Store {
  spec: Record<string, unknown> | undefined;
  version: number;
}

/** How it goes for one replica. */
interface Weather {
  /** What becomes of requests. */
  link: 'good' | 'down' | 'answers get lost';
  /** Milliseconds. */
  latency: number;
}

function leaseOf({ spec, version }: Store): KubernetesObject {
  return readObject({ metadata: { ...key, resourceVersion: String(version) }, spec }, 'get');
}

const refuse = (status: number): ApiError => new ApiError('no', { status });

function connect(store: Store, weather: Weather, clock: FakeClock): KubernetesClient {
  const ask = async <Answer>(act: () => Answer, signal: AbortSignal | undefined): Promise<Answer> => {
    await pause(clock, weather.latency, signal ?? new AbortController().signal);
    if (signal?.aborted === true) throw new ApiError('given up');
    if (weather.link === 'down') throw new ApiError('down', { isPassing: true });
    const answer = act();
    if (weather.link !== 'good') throw new ApiError('broke off', { isPassing: true });
    return answer;
  };
  const write = (spec: unknown): KubernetesObject => {
    store.spec = { ...store.spec, ...Object(spec) };
    store.version += 1;
    return leaseOf(store);
  };
  return {
    get: async (_resource, _key, signal) =>
      ask(() => {
        return store.spec === undefined ? undefined : leaseOf(store);
      }, signal),
    create: async (_resource, _namespace, { spec }, signal) =>
      ask(() => {
        if (store.spec !== undefined) throw refuse(409);
        return write(spec);
      }, signal),
    patch: async (_resource, _key, { body }, signal) =>
      ask(() => {
        const { metadata, spec } = body;
        if (Object(metadata).resourceVersion !== String(store.version)) throw refuse(409);
        return write(spec);
      }, signal),
    list: () => expect.fail('lists'),
    watch: () => expect.fail('watches'),
    close: async () => undefined,
  };
}

interface Replica {
  readonly election: LeaderElection;
  readonly weather: Weather;
  /** Of each term, in order. */
  readonly terms: AbortSignal[];
  readonly troubles: string[];
  /** The leaders that it has reported. */
  readonly leaders: (string | undefined)[];
}

interface Bench {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly start: (identity: string) => Replica;
  readonly replicas: Replica[];
}

function createBench(): Bench {
  const clock = createFakeClock();
  const store: Store = { spec: undefined, version: 1 };
  const replicas: Replica[] = [];
  const start = (identity: string): Replica => {
    const weather: Weather = { link: 'good', latency: 5 };
    const terms: AbortSignal[] = [];
    const troubles: string[] = [];
    const leaders: (string | undefined)[] = [];
    const election = new LeaderElection({
      client: connect(store, weather, clock),
      lease: key,
      identity,
      clock,
      onError: ({ message }) => void troubles.push(message),
      changed: (leader) => void leaders.push(leader),
      lead: (signal) => {
        const others = replicas.filter((other) => other !== replica && other.election.isLeader);
        expect(others).toEqual([]);
        terms.push(signal);
      },
    });
    const replica: Replica = { election, weather, terms, troubles, leaders };
    replicas.push(replica);
    return replica;
  };
  return { clock, store, start, replicas };
}

describe('LeaderElection', () => {
  it('makes the Lease where there is none, and renews it', async () => {
    const { clock, store, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    expect(one.election.isLeader).toBe(true);
    expect(one.leaders).toEqual(['one']);
    expect(store.spec).toMatchObject({
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
    });
    expect(store.spec?.['renewTime']).toMatch(/^2026-11-21T\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { version } = store;
    await clock.advance(60_000);
    expect(store.version).toBeGreaterThan(version + 20);
    expect(one.terms.map(({ aborted }) => aborted)).toEqual([false]);
    expect(store.spec).toMatchObject({ leaseTransitions: 0 });
  });

  it('goes to the next one at once when the leader stops', async () => {
    const { clock, store, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    const two = start('two');
    await clock.advance(30_000);
    expect(two.election.isLeader).toBe(false);
    expect(two.leaders.at(-1)).toBe('one');
    const stopped = one.election.stop();
    await clock.advance(50);
    await stopped;
    expect(store.spec).not.toMatchObject({ holderIdentity: 'one' });
    await clock.advance(2100);
    expect(two.election.isLeader).toBe(true);
    expect(store.spec).toMatchObject({ holderIdentity: 'two', leaseTransitions: 1 });
  });

  it('goes to the next one when nothing more is heard of the leader, and not before', async () => {
    const { clock, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    const two = start('two');
    await clock.advance(10_000);
    one.weather.link = 'down';
    await clock.advance(12_000);
    expect(one.terms[0]?.aborted).toBe(true);
    expect(one.election.isLeader).toBe(false);
    expect(two.election.isLeader).toBe(false);
    await clock.advance(10_000);
    expect(two.election.isLeader).toBe(true);
    one.weather.link = 'good';
    await clock.advance(30_000);
    expect(one.election.isLeader).toBe(false);
    expect(one.leaders.at(-1)).toBe('two');
  });

  it('does not care what time the holder wrote', async () => {
    const { clock, store, start } = createBench();
    store.spec = {
      holderIdentity: 'old',
      leaseDurationSeconds: 15,
      renewTime: '1999-01-01T00:00:00.000000Z',
    };
    const one = start('one');
    await clock.advance(14_900);
    expect(one.election.isLeader).toBe(false);
    expect(one.leaders.at(-1)).toBe('old');
    await clock.advance(3000);
    expect(one.election.isLeader).toBe(true);
  });

  it('leads on at once after a restart under its own name', async () => {
    const { clock, store, start } = createBench();
    store.spec = { holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: 3 };
    const one = start('one');
    await clock.advance(100);
    expect(one.election.isLeader).toBe(true);
    expect(store.spec).toMatchObject({ leaseTransitions: 3 });
  });

  it('leads on where a single renewal fails, or its answer is lost', async () => {
    const { clock, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    for (const link of ['down', 'answers get lost'] as const) {
      one.weather.link = link;
      await clock.advance(5000);
      one.weather.link = 'good';
      await clock.advance(5000);
    }
    expect(one.terms.map(({ aborted }) => aborted)).toEqual([false]);
    expect(one.troubles.length).toBeGreaterThan(2);
    expect(one.leaders).toEqual(['one']);
  });

  it('names the Lease where there is no response', async () => {
    const { clock, start } = createBench();
    const one = start('one');
    one.weather.latency = 60_000;
    await clock.advance(15_000);
    expect(one.troubles).toEqual(['no response for the Lease metal3/ironic-coreos within 10 seconds']);
  });

  it('ends leading at once where another one has taken the Lease', async () => {
    const { clock, store, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    store.spec = { ...store.spec, holderIdentity: 'thief' };
    store.version += 1;
    await clock.advance(6000);
    expect(one.terms[0]?.aborted).toBe(true);
    expect(one.election.isLeader).toBe(false);
    expect(one.leaders.at(-1)).toBe('thief');
  });

  it('leads on where somebody else has changed the Lease', async () => {
    const { clock, store, start } = createBench();
    const one = start('one');
    await clock.advance(100);
    store.version += 1;
    await clock.advance(20_000);
    expect(one.terms.map(({ aborted }) => aborted)).toEqual([false]);
    expect(one.troubles).toEqual([]);
  });

  it('does not give the Lease of another one up', async () => {
    const { clock, store, start } = createBench();
    const { election } = start('one');
    await clock.advance(100);
    store.spec = { ...store.spec, holderIdentity: 'thief' };
    store.version += 1;
    const stopped = election.stop();
    await clock.advance(100);
    await stopped;
    expect(store.spec).toMatchObject({ holderIdentity: 'thief' });
  });

  it('leaves no timers behind', async () => {
    const { clock, start, replicas } = createBench();
    start('one');
    start('two');
    await clock.advance(10_000);
    const stopped = Promise.all(replicas.map(({ election }) => election.stop()));
    await clock.advance(1000);
    await stopped;
    expect(clock.pending).toBe(0);
  });

  it('never has two leaders, and one again when all is well', async () => {
    const change = fc.record({
      replica: fc.nat(2),
      link: fc.constantFrom('good' as const, 'down' as const, 'answers get lost' as const),
      latency: fc.constantFrom(1, 400, 3000, 9000, 20_000),
      wait: fc.integer({ min: 100, max: 20_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const { clock, start, replicas } = createBench();
        for (const identity of ['one', 'two', 'three']) start(identity);
        for (const { replica, link, latency, wait } of changes) {
          Object.assign(replicas[replica]?.weather ?? {}, { link, latency });
          await clock.advance(wait);
          expect(replicas.filter(({ election }) => election.isLeader).length).toBeLessThanOrEqual(1);
        }
        for (const { weather } of replicas) Object.assign(weather, { link: 'good', latency: 1 });
        await clock.advance(60_000);
        expect(replicas.filter(({ election }) => election.isLeader)).toHaveLength(1);
        const stopped = Promise.all(replicas.map(({ election }) => election.stop()));
        await clock.advance(1000);
        await stopped;
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 25 },
    );
  });
});
