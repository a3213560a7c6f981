/** The client against servers that do what API servers do seldom, and what they never should. */

import { getEventListeners } from 'node:events';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { ApiError, isConflict, isExpired, isNotFound } from '../../src/kube/apiError.ts';
import { ApiClient, type KubernetesClient, type ClientSettings } from '../../src/kube/kubernetesClient.ts';
import type { WatchEvent } from '../../src/kube/watchStream.ts';
import { secretMetadata, secrets } from '../../src/kube/objects.ts';
import {
  event,
  type FakeApiServer,
  json,
  listOf,
  objectNamed,
  refusal,
  startFakeApiServer,
  TOKEN,
  watching,
} from '../support/fakeApiServer.ts';
import { listenLocally } from '../support/listening.ts';

let server: FakeApiServer;
let client: KubernetesClient;

const connect = (settings: ClientSettings = {}, config = server.config): KubernetesClient =>
  (client = new ApiClient(config, settings));

beforeEach(async () => {
  server = await startFakeApiServer();
  connect();
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const key = { namespace: 'metal3', name: 'net' };
const get = async () => client.get(secrets, key);
const failureOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error('no ApiError', { cause: error });
};

const kindOf = ({ code, isPassing }: ApiError): string =>
  isPassing ? 'passing' : code === 'ERR_KUBERNETES' ? 'lasting' : code;

async function list(): Promise<string[][]> {
  const pages = [];
  for await (const { objects, resourceVersion } of client.list(secrets, 'metal3')) {
    pages.push([resourceVersion, ...objects.map(({ metadata }) => metadata.name)]);
  }
  return pages;
}

async function watch(signal?: AbortSignal): Promise<(WatchEvent | string)[]> {
  const events: (WatchEvent | string)[] = [];
  try {
    for await (const change of client.watch(secrets, undefined, '5', signal)) events.push(change);
    events.push('end');
  } catch (error) {
    events.push(error instanceof ApiError ? (error.status?.toString() ?? kindOf(error)) : String(error));
  }
  return events;
}

const nameOf = (change: WatchEvent | string): string => {
  if (typeof change === 'string') return change;
  if (change.type === 'bookmark') return change.resourceVersion;
  return `${change.type} ${change.object.metadata.name}`;
};

describe('requests', () => {
  it('say who asks, and what for', async () => {
    server.answers.push(json(objectNamed('net', 7, { data: {} })));
    expect(await get()).toMatchObject({ data: {}, metadata: { name: 'net', resourceVersion: '7' } });
    expect(server.requests).toMatchObject([
      {
        method: 'GET',
        path: '/api/v1/namespaces/metal3/secrets/net',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          accept: 'application/json',
          'user-agent': 'ironic-coreos',
        },
        body: undefined,
      },
    ]);
  });

  it('send a patch', async () => {
    server.answers.push(json(objectNamed('net', 8)));
    await client.patch(secrets, key, { subresource: 'status', body: { status: {} } });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'PATCH', body: { status: {} } });
    expect(request?.headers['content-type']).toBe('application/merge-patch+json');
    expect(request?.path).toMatch(/\/net\/status$/);
    expect(request?.query.get('fieldManager')).toBe('ironic-coreos');
  });

  it('ask for metadata alone', async () => {
    server.answers.push(listOf(1, []));
    for await (const page of client.list(secretMetadata, undefined)) expect(page.objects).toEqual([]);
    expect(server.requests[0]?.headers['accept']).toMatch(/^application\/json;as=PartialObjectMetadataList;/);
  });

  it('show the token as it is by then', async () => {
    let token = 'first';
    connect({}, { ...server.config, readToken: async () => token });
    server.answers.push(json(objectNamed('net', 7)));
    await get();
    token = 'second';
    await get();
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('follow no redirects', async () => {
    server.answers.push((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect(await failureOf(get())).toMatchObject({ status: 302 });
    expect(server.requests).toHaveLength(1);
  });
});

describe('errors', () => {
  it.each([
    [404, 'NotFound', isNotFound],
    [409, 'Conflict', isConflict],
    [410, 'Expired', isExpired],
  ])('%i is known as such', async (status, reason, is) => {
    server.answers.push(refusal(status, reason));
    const error = await failureOf(client.patch(secrets, key, { body: {} }));
    expect(error).toMatchObject({ status });
    expect(error.message).toBe(`Cannot patch secrets metal3/net: said about ${reason}`);
    expect(is(error)).toBe(true);
  });

  it('do not include that an object that is read does not exist', async () => {
    server.answers.push(refusal(404, 'NotFound'));
    expect(await get()).toBeUndefined();
  });

  it('have neither the token nor control characters in them', async () => {
    const message = `Bearer ${TOKEN} is \u001b[31mbad\n${'x'.repeat(5000)}`;
    server.answers.push(json({ kind: 'Status', message }, 401));
    const error = await failureOf(get());
    expect(error.message).not.toContain(TOKEN);
    expect(error.message).toMatch(/^[ -~]{1,1100}$/);
    expect(error.hint).toContain('token');
  });

  it.each([
    ['no JSON', '<html>'],
    ['JSON of another kind', '{"error":"x"}'],
    ['nothing', ''],
    ['an endless text', 'x'.repeat(1_000_000)],
  ])('do without a Status: %s', async (_title, text) => {
    server.answers.push((response) => response.writeHead(502).end(text));
    expect(await failureOf(get())).toMatchObject({
      status: 502,
      message: 'Cannot get secrets metal3/net: the server responds with 502',
    });
  });

  it.each([
    ['no JSON', 'secret text'],
    ['no object', '["secret text"]'],
    ['an object without metadata', '{"data":"secret text"}'],
  ])('quote nothing of what is not understood: %s', async (_title, text) => {
    server.answers.push((response) => response.end(text));
    const error = await failureOf(get());
    expect(error).toMatchObject({
      status: undefined,
      isPassing: false,
      hint: expect.stringContaining('address of the API server'),
    });
    expect(`${error.message} ${String(error.cause)}`).not.toContain('secret text');
  });

  it('say that nothing listens', async () => {
    const gone = await startFakeApiServer();
    await gone.close();
    connect({}, gone.config);
    expect(await failureOf(get())).toMatchObject({
      isPassing: true,
      message: 'Cannot get secrets metal3/net: connection refused',
    });
  });

  it('say that there is no answer', async () => {
    connect({ timeouts: { connect: 1000, answer: 50, watch: 50 } });
    server.answers.push(() => undefined);
    expect(await failureOf(get())).toMatchObject({ isPassing: true });
  });

  it('say that it is no HTTP', async () => {
    const other = createTcpServer((socket) =>
      socket.on('error', () => undefined).end('220 mail.test ESMTP\r\n'),
    );
    const port = await listenLocally(other);
    connect({}, { ...server.config, server: `http://127.0.0.1:${port}` });
    expect(await failureOf(get())).toMatchObject({
      isPassing: false,
      hint: expect.stringContaining('address of the API server'),
    });
    other.close();
  });

  it('refuse an object that is too large', async () => {
    server.answers.push((response) => response.end(Buffer.alloc(9 * 1024 * 1024, ' ')));
    expect(await failureOf(get())).toMatchObject({ code: 'ERR_TOO_LARGE' });
  });

  it('pass on that the token cannot be read', async () => {
    const noToken = new CliError('Token not found: /token', { code: 'ERR_SETTING' });
    connect({}, { ...server.config, readToken: async () => Promise.reject(noToken) });
    expect(await failureOf(get())).toMatchObject({ isPassing: true });
    await expect(get()).rejects.toThrow('Cannot get secrets metal3/net: Token not found: /token');
    expect(server.requests).toEqual([]);
  });
});

describe('an API server with too much to do', () => {
  it.each([
    ['a server error without a time', refusal(500, 'InternalError'), 0],
    ['one that wants a short time', refusal(429, 'TooManyRequests', { 'retry-after': '7' }), 7000],
    ['one that wants a long time', refusal(503, 'ServiceUnavailable', { 'retry-after': '120' }), 120_000],
    [
      'one that wants an endless time',
      refusal(503, 'ServiceUnavailable', { 'retry-after': '999999' }),
      600_000,
    ],
  ])('is left to the caller, with the time: %s', async (_title, answer, wanted) => {
    server.answers.push(answer);
    expect(await failureOf(get())).toMatchObject({ wait: wanted });
    expect(server.requests).toHaveLength(1);
  });
});

describe('list', () => {
  it('takes page after page', async () => {
    server.answers.push(
      listOf(5, [objectNamed('a', 1)], 'token of page 2'),
      listOf(5, [objectNamed('b', 2)]),
    );
    expect(await list()).toEqual([
      ['5', 'a'],
      ['5', 'b'],
    ]);
    expect(server.requests.map(({ query }) => query.get('continue'))).toEqual([null, 'token of page 2']);
  });

  it('takes a list without items', async () => {
    server.answers.push(json({ metadata: { resourceVersion: '5' }, items: null }));
    expect(await list()).toEqual([['5']]);
  });

  it.each([
    ['no list', json({ metadata: { resourceVersion: '5' }, items: 'x' })],
    ['no version', json({ metadata: {}, items: [] })],
    ['something among the objects', json({ metadata: { resourceVersion: '5' }, items: [null] })],
  ])('refuses %s', async (_title, answer) => {
    server.answers.push(answer);
    expect(await failureOf(list())).toMatchObject({
      isPassing: false,
      hint: expect.stringContaining('address of the API server'),
    });
  });
});

describe('watch', () => {
  it('tells changes and signs of life, until it ends', async () => {
    server.answers.push(
      watching(
        [
          event('ADDED', objectNamed('a', 6)),
          event('MODIFIED', objectNamed('a', 7)),
          event('BOOKMARK', { metadata: { resourceVersion: '9' } }),
          event('SOMETHING NEW', {}),
          event('DELETED', objectNamed('a', 10)),
        ],
        'ends',
      ),
    );
    expect((await watch()).map(nameOf)).toEqual(['added a', 'modified a', '9', 'deleted a', 'end']);
    const { query } = server.requests[0] ?? {};
    expect(query?.get('resourceVersion')).toBe('5');
    expect(query?.get('allowWatchBookmarks')).toBe('true');
    expect(Number(query?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300);
  });

  const whole = event('ADDED', objectNamed('a', 6));
  it.each([
    ['breaks off in a line', watching([whole, whole.slice(0, 20)], 'breaks off'), 'passing'],
    ['breaks off between lines', watching([whole], 'breaks off'), 'passing'],
    ['ends in a line', watching([whole, whole.slice(0, 20)], 'ends'), 'end'],
    ['goes silent', watching([whole], 'goes on'), 'passing'],
    [
      'says that the version is gone',
      watching([whole, event('ERROR', { kind: 'Status', code: 410 })], 'goes on'),
      '410',
    ],
    ['has an error without a code', watching([whole, event('ERROR', {})], 'goes on'), '500'],
    ['has garbage', watching([whole, 'garbage\n'], 'goes on'), 'lasting'],
    ['has an event that is none', watching([whole, '[]\n'], 'goes on'), 'lasting'],
    ['has an object that is none', watching([whole, event('ADDED', {})], 'goes on'), 'lasting'],
    ['has a bookmark without a version', watching([whole, event('BOOKMARK', {})], 'goes on'), 'lasting'],
    ['has an endless line', watching([whole, 'x'.repeat(9 * 1024 * 1024)], 'goes on'), 'ERR_TOO_LARGE'],
  ])('that %s', async (_title, answer, end) => {
    connect({ timeouts: { connect: 1000, answer: 1000, watch: 300 } });
    server.answers.push(answer);
    expect((await watch()).map(nameOf)).toEqual(['added a', end]);
    await expect.poll(server.connections).toBeLessThanOrEqual(1);
  });

  it('ends its connection when nobody listens any more', async () => {
    server.answers.push(watching([whole, whole], 'goes on'));
    for await (const change of client.watch(secrets, undefined, '5')) {
      expect(nameOf(change)).toBe('added a');
      break;
    }
    await expect.poll(server.connections).toBe(0);
  });
});

describe('giving up', () => {
  it('ends what is under way, with the signal', async () => {
    server.answers.push(() => undefined);
    const end = new AbortController();
    const failure = failureOf(client.get(secrets, key, end.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    end.abort();
    expect(await failure).toMatchObject({ message: expect.stringContaining('was aborted') });
    await expect.poll(server.connections).toBe(0);
  });

  it('ends all that is under way, with the client', async () => {
    server.answers.push(
      () => undefined,
      watching([event('BOOKMARK', { metadata: { resourceVersion: '9' } })], 'goes on'),
    );
    const failure = failureOf(get());
    await expect.poll(() => server.requests.length).toBe(1);
    const watched = watch();
    await expect.poll(() => server.requests.length).toBe(2);
    await client.close();
    expect(await failure).toMatchObject({ message: expect.stringContaining('was aborted') });
    expect((await watched).map(nameOf).at(-1)).toBe('lasting');
    expect(await failureOf(get())).toMatchObject({ message: expect.stringContaining('was aborted') });
    await expect.poll(server.connections).toBe(0);
  });

  it('leaves nothing with a signal that lives on', async () => {
    const { signal } = new AbortController();
    server.answers.push(json(objectNamed('net', 7)), watching([], 'ends'));
    await client.get(secrets, key, signal);
    expect(await watch(signal)).toEqual(['end']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('sends nothing once it is given up', async () => {
    const signal = AbortSignal.abort();
    expect(await failureOf(client.get(secrets, key, signal))).toMatchObject({
      message: expect.stringContaining('was aborted'),
    });
    expect(server.requests).toEqual([]);
  });
});
