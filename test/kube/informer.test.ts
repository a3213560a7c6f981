/** What a cache holds, and what it asks for, while watches end, break off, or start from what is gone. */

import { setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { ApiClient, type KubernetesClient } from '../../src/kube/kubernetesClient.ts';
import { secrets } from '../../src/kube/objects.ts';
import { Informer, type InformerOptions } from '../../src/kube/informer.ts';
import { createFakeClock } from '../support/fakeClock.ts';
import {
  type Answer,
  event,
  type FakeApiServer,
  json,
  listOf,
  objectNamed,
  refusal,
  startFakeApiServer,
  watching,
} from '../support/fakeApiServer.ts';

let server: FakeApiServer;
let client: KubernetesClient;
let cache: Informer<string>;
let changes: string[];
let troubles: { readonly message: string; readonly retryIn: number }[];

beforeEach(async () => {
  server = await startFakeApiServer();
  client = new ApiClient(server.config);
  changes = [];
  troubles = [];
});
afterEach(async () => {
  await cache.stop();
  await client.close();
  await server.close();
});

/** Keeps versions. */
function start(options: Partial<InformerOptions<string>> = {}): void {
  cache = new Informer({
    client,
    resource: secrets,
    namespace: 'metal3',
    keep: ({ metadata }) => metadata.resourceVersion,
    changed: ({ key, before, now }) => void changes.push(`${key} ${before ?? '-'} ${now ?? '-'}`),
    onError: ({ message }, retryIn) => void troubles.push({ message, retryIn }),
    backOff: { first: 1, longest: 8 },
    ...options,
  });
}

/** What was asked for: `list`, or the version that a watch began from. */
const asked = (): string[] =>
  server.requests.map(({ query }) => (query.has('watch') ? (query.get('resourceVersion') ?? '') : 'list'));

const silent = watching([], 'goes on');
const answerWith = (...answers: Answer[]): void => void server.answers.push(...answers, silent);
const a = (version: number): object => objectNamed('a', version);
const b = (version: number): object => objectNamed('b', version);

describe('Informer', () => {
  it('holds what there is, and what becomes of it', async () => {
    answerWith(
      listOf(5, [a(1), b(2)]),
      watching(
        [event('MODIFIED', a(6)), event('DELETED', b(7)), event('ADDED', objectNamed('c', 8))],
        'goes on',
      ),
    );
    start();
    await cache.synced;
    expect(cache.lastContact).toBeDefined();
    await expect.poll(() => changes.length).toBe(5);
    expect(changes).toEqual(['metal3/a - 1', 'metal3/b - 2', 'metal3/a 1 6', 'metal3/b 2 -', 'metal3/c - 8']);
    expect([...cache.values()]).toEqual(['6', '8']);
    expect([...cache.values()]).toHaveLength(2);
    expect(cache.get('metal3/a')).toBe('6');
    const path = '/api/v1/namespaces/metal3/secrets';
    expect(server.requests.map((request) => request.path)).toEqual([path, path]);
    expect(troubles).toEqual([]);
  });

  it('goes on from the last change or bookmark where a watch ends', async () => {
    answerWith(
      listOf(5, [a(1)]),
      watching([event('MODIFIED', a(6))], 'ends'),
      watching([event('BOOKMARK', { metadata: { resourceVersion: '20' } }), '{"type":"ADD'], 'ends'),
      watching([event('ADDED', b(21))], 'ends'),
    );
    start();
    await expect.poll(asked).toEqual(['list', '5', '6', '20', '21']);
    expect(changes).toEqual(['metal3/a - 1', 'metal3/a 1 6', 'metal3/b - 21']);
  });

  it.each([
    ['an answer', refusal(410, 'Expired')],
    ['an event', watching([event('ERROR', { kind: 'Status', code: 410, reason: 'Expired' })], 'goes on')],
  ])(
    'lists anew where the version is gone, said by %s, and finds what was deleted meanwhile',
    async (_by, gone) => {
      answerWith(listOf(5, [a(1), b(2)]), gone, listOf(50, [b(40)]));
      start();
      await expect.poll(asked).toEqual(['list', '5', 'list', '50']);
      expect(changes).toEqual(['metal3/a - 1', 'metal3/b - 2', 'metal3/b 2 40', 'metal3/a 1 -']);
      expect(troubles).toEqual([]);
    },
  );

  it.each([
    ['garbage', watching(['{]\n'], 'goes on')],
    ['what is no object', watching([event('ADDED', {})], 'goes on')],
    ['a refusal', refusal(500, 'InternalError')],
  ])('lists anew after %s', async (_title, watch) => {
    answerWith(listOf(5, [a(1)]), watch, listOf(9, [a(1)]));
    start();
    await expect.poll(asked).toEqual(['list', '5', 'list', '9']);
    expect(troubles).toHaveLength(1);
  });

  it('goes on from the last change where a watch breaks off', async () => {
    answerWith(
      listOf(5, [a(1)]),
      watching([event('MODIFIED', a(6))], 'breaks off'),
      watching([event('ADDED', b(7))], 'goes on'),
    );
    start();
    await expect.poll(() => changes).toEqual(['metal3/a - 1', 'metal3/a 1 6', 'metal3/b - 7']);
    expect(asked()).toEqual(['list', '5', '6']);
    expect(troubles).toHaveLength(1);
  });

  it('begins a list again that could not be read to its end, and deletes nothing before', async () => {
    answerWith(
      listOf(5, [a(1), b(2)]),
      refusal(410, 'Expired'),
      listOf(50, [b(2)], 'page 2'),
      refusal(410, 'Expired'),
      listOf(60, [b(2)], 'page 2'),
      listOf(60, [a(1)]),
    );
    start();
    await expect.poll(() => asked().at(-1)).toBe('60');
    expect(changes.filter((change) => change.endsWith('-'))).toEqual([]);
    expect([...cache.values()]).toHaveLength(2);
  });

  it('tells what it tries again, after longer and longer pauses', async () => {
    const down = refusal(500, 'InternalError');
    answerWith(refusal(403, 'Forbidden'), down, down, down, down, down, listOf(6, [a(1)]));
    start();
    await expect.poll(asked).toEqual(['list', 'list', 'list', 'list', 'list', 'list', 'list', '6']);
    expect(troubles[0]?.message).toBe('Cannot list secrets in metal3: said about Forbidden');
    for (const [index, { retryIn }] of troubles.entries()) {
      const longest = Math.min(2 ** index, 8);
      expect(retryIn).toBeGreaterThanOrEqual(longest / 2);
      expect(retryIn).toBeLessThanOrEqual(longest);
    }
    expect(troubles).toHaveLength(6);
  });

  it('goes on once the token can be read again', async () => {
    await client.close();
    let count = 0;
    const readToken = async (): Promise<string | undefined> => {
      count += 1;
      if (count === 2) throw new CliError('Token not found: /token', { code: 'ERR_SETTING' });
      return server.config.readToken();
    };
    client = new ApiClient({ ...server.config, readToken });
    answerWith(listOf(5, [a(1)]), watching([event('MODIFIED', a(6))], 'goes on'));
    start();
    await expect.poll(() => changes).toEqual(['metal3/a - 1', 'metal3/a 1 6']);
    expect(asked()).toEqual(['list', '5']);
    expect(troubles.map(({ message }) => message)).toEqual([
      'Cannot watch secrets in metal3: Token not found: /token',
    ]);
  });

  it('asks again only when the pause is over', async () => {
    const clock = createFakeClock();
    const down = refusal(500, 'InternalError');
    server.answers.push(down, down, down);
    start({ clock, backOff: { first: 1000, longest: 1000 } });
    await expect.poll(() => troubles.length).toBe(1);
    await delay(50); // time for a request that must not come
    expect(asked()).toEqual(['list']);
    await clock.advance(1000);
    await expect.poll(() => troubles.length).toBe(2);
    await delay(50);
    expect(asked()).toEqual(['list', 'list']);
  });

  it('does not turn in circles where watches end at once', async () => {
    server.answers.push(listOf(5, [a(1)]), watching([], 'ends'));
    start({ backOff: { first: 10, longest: 1_000_000 } });
    await expect.poll(() => troubles.length).toBeGreaterThan(2);
    expect(troubles[0]?.message).toBe('The API server closes the watch of secrets immediately');
    expect(troubles[2]?.retryIn).toBeGreaterThanOrEqual(20);
  });

  it('waits as long as the API server wants', async () => {
    answerWith(listOf(5, []), refusal(503, 'ServiceUnavailable', { 'retry-after': '40' }));
    start();
    await expect.poll(() => troubles.length).toBe(1);
    expect(troubles[0]?.retryIn).toBe(40_000);
  });

  it('knows when it was last told that nothing has changed', async () => {
    answerWith(
      listOf(5, []),
      watching([event('BOOKMARK', { metadata: { resourceVersion: '6' } })], 'goes on'),
    );
    const now = new Date(0);
    const clock = { now: () => 0, date: () => new Date(now), after: () => () => undefined };
    start({ clock });
    expect(cache.lastContact).toBeUndefined();
    await cache.synced;
    expect(cache.lastContact).toEqual(new Date(0));
    now.setTime(1000);
    await expect.poll(() => cache.lastContact).toEqual(new Date(1000));
  });

  it('tells that it was stopped before it knew all', async () => {
    server.answers.push(() => undefined);
    start();
    await expect.poll(() => server.requests.length).toBe(1);
    const synced = cache.synced;
    await cache.stop();
    await expect(synced).rejects.toThrow('the list of secrets was not completed');
    await expect.poll(server.connections).toBe(0);
  });

  it('ends its watch when it stops', async () => {
    let isOpen = false;
    answerWith(listOf(5, []), (response, request) => {
      isOpen = true;
      response.on('close', () => (isOpen = false));
      silent(response, request);
    });
    start();
    await expect.poll(() => isOpen).toBe(true);
    await cache.stop();
    await expect.poll(() => isOpen).toBe(false);
    expect(asked()).toEqual(['list', '5']);
  });
});

type Step =
  | { readonly kind: 'put' | 'delete'; readonly name: string }
  | { readonly kind: 'compact' | 'break' | 'end' | 'garbage' | 'bookmark' };

describe('whatever happens', () => {
  it('the cache comes to hold what there is, and every change leads from the last one', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const anyStep: fc.Arbitrary<Step> = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('put'), name }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), name }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constantFrom('compact', 'break', 'end', 'garbage', 'bookmark') }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), async (steps) => {
        const cluster = createCluster();
        server.answers.splice(0, Infinity, cluster.answer);
        changes = [];
        start();
        for (const step of steps) {
          cluster.take(step);
          await new Promise((resolve) => setImmediate(resolve));
        }
        const held = (): string[] => [...cache.values()].toSorted();
        await expect.poll(held, { interval: 2 }).toEqual(cluster.versions());
        await cache.stop();
        const last = new Map<string, string>();
        for (const change of changes) {
          const [key = '', before = '', now = ''] = change.split(' ');
          expect(before).toBe(last.get(key) ?? '-');
          last.set(key, now);
        }
      }),
      { numRuns: 40 },
    );
  });
});

/** As little of an API server as has lists, watches, a history, and accidents. */
function createCluster(): {
  readonly answer: Answer;
  readonly take: (step: Step) => void;
  readonly versions: () => string[];
} {
  const objects = new Map<string, number>();
  const history: { readonly version: number; readonly line: string }[] = [];
  const watches = new Set<Parameters<Answer>[0]>();
  let version = 100;
  let oldest = 100;
  const tell = (line: string): void => {
    history.push({ version, line });
    for (const response of watches) response.write(line);
  };
  const endAll = (end: (response: Parameters<Answer>[0]) => void): void => {
    for (const response of watches) end(response);
    watches.clear();
  };
  return {
    answer: (response, { query }) => {
      if (!query.has('watch')) {
        const items = [...objects].map(([name, at]) => objectNamed(name, at));
        return json({ metadata: { resourceVersion: String(version) }, items })(response);
      }
      const from = Number(query.get('resourceVersion'));
      if (from < oldest) return refusal(410, 'Expired')(response);
      response.writeHead(200).flushHeaders();
      for (const { version: at, line } of history) if (at > from) response.write(line);
      watches.add(response);
    },
    take: (step) => {
      version += 1;
      if (step.kind === 'put') {
        const type = objects.has(step.name) ? 'MODIFIED' : 'ADDED';
        objects.set(step.name, version);
        tell(event(type, objectNamed(step.name, version)));
      }
      if (step.kind === 'delete' && objects.delete(step.name))
        tell(event('DELETED', objectNamed(step.name, version)));
      if (step.kind === 'bookmark')
        tell(event('BOOKMARK', { metadata: { resourceVersion: String(version) } }));
      if (step.kind === 'compact') {
        oldest = version;
        history.splice(0);
        endAll((response) => response.end());
      }
      if (step.kind === 'break') endAll((response) => response.destroy());
      if (step.kind === 'end') endAll((response) => response.end());
      if (step.kind === 'garbage') endAll((response) => response.end('{"type":\n'));
    },
    versions: () => [...objects.values()].map(String).toSorted(),
  };
}
