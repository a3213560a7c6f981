/** Requests over real sockets: what is answered to whom. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import type { ServedResource } from '../../../src/http/server/answer/resource.ts';
import {
  ask,
  type Asking,
  asOperator,
  ISO_SIZE,
  SMALL_SIZE,
  memoryResource,
  patternOf,
  rawClient,
  signer,
  startFixture,
  stopFixtures,
  token,
  until,
} from '../../support/serveFixtures.ts';

afterEach(stopFixtures);

const host = signer.sign({ kind: 'host', host: 'worker-0' });
const boot = signer.sign({ kind: 'boot' });
const get = async (path: string, options: Asking = {}): ReturnType<typeof ask> => {
  const { server } = await startFixture();
  return ask(server.origin, path, options);
};

describe('what is served', () => {
  it('is the image as a whole, with all that clients need to come again', async () => {
    const { server, iso } = await startFixture();
    const reply = await ask(server.origin, `/${host}/worker-0.iso`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(iso.bytes);
    expect(reply.headers).toMatchObject({
      'content-length': String(ISO_SIZE),
      'accept-ranges': 'bytes',
      etag: '"worker-0.iso"',
      'last-modified': 'Sun, 01 Nov 2026 10:00:00 GMT',
      'x-content-type-options': 'nosniff',
      'x-request-id': '1',
    });
    expect(iso.opened).toEqual({ count: 1, now: 0 });
  });

  it('HEAD is GET without the bytes, and opens nothing', async () => {
    const { server, iso } = await startFixture();
    const whole = await ask(server.origin, `/${host}/worker-0.iso`);
    const head = await ask(server.origin, `/${host}/worker-0.iso`, { method: 'HEAD' });
    const volatile = { date: '', 'x-request-id': '' };
    expect(head.status).toBe(200);
    expect({ ...head.headers, ...volatile }).toEqual({ ...whole.headers, ...volatile });
    expect(head.body).toHaveLength(0);
    expect(iso.opened.count).toBe(1);
  });

  it.each<[title: string, headers: Record<string, string>, status: number, ranges: [number, number][]]>([
    ['the first bytes', { range: 'bytes=0-9' }, 206, [[0, 10]]],
    ['the last bytes', { range: 'bytes=-17' }, 206, [[SMALL_SIZE - 17, SMALL_SIZE]]],
    ['from somewhere on', { range: 'bytes=60000-' }, 206, [[60_000, SMALL_SIZE]]],
    ['more than there is', { range: 'bytes=100000-99999999' }, 206, [[100_000, SMALL_SIZE]]],
    ['behind the end', { range: `bytes=${SMALL_SIZE}-` }, 416, []],
    ['a negative one', { range: 'bytes=-0' }, 416, []],
    ['nonsense', { range: 'bytes=5-1' }, 200, [[0, SMALL_SIZE]]],
    ['another unit', { range: 'lines=0-1' }, 200, [[0, SMALL_SIZE]]],
    ['of the same image', { range: 'bytes=0-9', 'if-range': '"worker-0-minimal.iso"' }, 206, [[0, 10]]],
    ['of an older image', { range: 'bytes=0-9', 'if-range': '"old"' }, 200, [[0, SMALL_SIZE]]],
    ['what the client has', { 'if-none-match': '"worker-0-minimal.iso"' }, 304, []],
    ['unchanged since', { 'if-modified-since': 'Sun, 01 Nov 2026 10:00:00 GMT' }, 304, []],
    ['what is another one now', { 'if-match': '"old"' }, 412, []],
  ])('%s', async (_title, headers, status, ranges) => {
    const { server, small } = await startFixture();
    const reply = await ask(server.origin, `/${host}/worker-0-minimal.iso`, { headers });
    expect(reply.status).toBe(status);
    const expected = Buffer.concat(ranges.map(([start, end]) => small.bytes.subarray(start, end)));
    expect(reply.body).toEqual(expected);
    expect(small.opened.now).toBe(0);
  });

  it('is right for many readers of one image at once', async () => {
    const { server, iso } = await startFixture();
    const ranges = Array.from(
      { length: 40 },
      (_, index) => [index * 71_003, index * 71_003 + 200_000] as const,
    );
    const replies = await Promise.all(
      ranges.map(([start, end]) =>
        ask(server.origin, `/${host}/worker-0.iso`, { headers: { range: `bytes=${start}-${end - 1}` } }),
      ),
    );
    const wrong = ranges.filter(
      ([start, end], index) => !replies[index]?.body.equals(iso.bytes.subarray(start, end)),
    );
    expect(wrong).toEqual([]);
    expect(iso.opened).toEqual({ count: 40, now: 0 });
  });

  it('goes on with the bytes it began with when another image takes its place', async () => {
    const { server, iso, resources } = await startFixture();
    const client = rawClient(server.port);
    client.socket.pause();
    client.write(`GET /${host}/worker-0.iso HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await until(() => iso.opened.now === 1);
    const next = memoryResource(
      { fileName: 'worker-0.iso', host: 'worker-0', etag: '"2"' },
      patternOf(100, 9),
    );
    resources.set('worker-0.iso', next);
    expect((await ask(server.origin, `/${host}/worker-0.iso`)).body).toEqual(next.bytes);
    client.socket.resume();
    expect((await client.ended).endsWith(iso.bytes.toString('latin1'))).toBe(true);
  });
});

describe('who may fetch what', () => {
  it.each<[title: string, path: string, status: number]>([
    ['a host its own image', `/${host}/worker-0-minimal.iso`, 200],
    ['a host what all share', `/${host}/images/1/kernel`, 200],
    ['a host the image of another one', `/${host}/worker-1.iso`, 404],
    ['a host what does not exist', `/${host}/worker-7.iso`, 404],
    ['a host the scripts of all', `/${host}/boot.ipxe`, 404],
    ['the network its scripts', `/${boot}/boot.ipxe`, 200],
    ['the network an image', `/${boot}/worker-0-minimal.iso`, 404],
    ['a host the status page', `/${host}/`, 404],
    ['a token that is wrong', `/${host.slice(0, -1)}A/worker-0-minimal.iso`, 404],
    ['nobody an image', '/worker-0-minimal.iso', 401],
    ['nobody what does not exist', '/worker-7.iso', 401],
    ['nobody the status page', '/', 401],
    ['a token alone', `/${host}`, 401],
    ['everybody whether the service lives', '/healthz', 200],
    ['everybody whether it is ready', '/readyz', 200],
  ])('%s: %s → %i', async (_title, path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it('operators everything, by token or password', async () => {
    const { server } = await startFixture();
    const password = Buffer.from(`me:${token}`).toString('base64');
    for (const path of [
      '/',
      '/worker-0-minimal.iso',
      '/worker-1.iso',
      '/boot.ipxe',
      '/images/1/kernel?x=1',
    ]) {
      expect((await ask(server.origin, path, asOperator)).status).toBe(200);
      const basic = { headers: { authorization: `Basic ${password}` } };
      expect((await ask(server.origin, path, basic)).status).toBe(200);
    }
    expect((await ask(server.origin, '/worker-7.iso', asOperator)).status).toBe(404);
  });

  it('asks browsers and programs for a credential, the same way whatever the path is', async () => {
    const { server } = await startFixture();
    const paths = ['/worker-0-minimal.iso', '/worker-7.iso', '/', '/metrics', `/${host}`];
    const replies = await Promise.all(paths.map((path) => ask(server.origin, path)));
    expect(replies[0]?.headers['www-authenticate']).toMatch(/^Bearer realm=.*, Basic realm=/);
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  it('the image of another host looks as one that does not exist', async () => {
    const { server } = await startFixture();
    const [other, none] = await Promise.all([
      ask(server.origin, `/${host}/worker-1.iso`),
      ask(server.origin, `/${host}/worker-2.iso`),
    ]);
    expect(other?.text.replace('worker-1', 'worker-2')).toBe(none?.text);
    expect(other?.headers).toMatchObject({
      ...none?.headers,
      date: other?.headers['date'],
      'x-request-id': expect.anything(),
    });
  });

  it('an open service serves everybody', async () => {
    const { server } = await startFixture({ rules: { isOpen: true, tokens: [] } });
    for (const path of ['/', '/worker-0-minimal.iso'])
      expect((await ask(server.origin, path)).status).toBe(200);
  });

  it('pages know their query, and that they are not to be kept', async () => {
    const reply = await get('/?q=a%26b&page=2', asOperator);
    expect(reply.text).toBe('<p>worker-0 a&b</p>');
    expect(reply.headers).toMatchObject({ 'content-type': 'text/html', 'cache-control': 'no-store' });
    expect((await get('/', { ...asOperator, method: 'HEAD' })).headers['content-length']).toBe('16');
  });
});

describe('paths', () => {
  it.each([
    '/..%2fworker-0.iso',
    '/%2e%2e/worker-0.iso',
    '/../worker-0.iso',
    '/./worker-0.iso',
    '//worker-0.iso',
    '/images//kernel',
    '/images/1/kernel/',
    '/images/1%2Fkernel',
    '/images%5c1%5ckernel',
    '/images\\1\\kernel',
    '/worker-0.iso%00',
    '/worker-0.iso%0d%0aX:1',
    '/worker-0%2eiso%',
    '/worker-0.iso%zz',
    '/%ff',
    '/%c0%ae%c0%ae/worker-0.iso',
    `/${'a'.repeat(2048)}`,
    '/__proto__',
    '/constructor',
    '*',
  ])('%s is not found, by an operator either', async (path) => {
    const reply = await get(path, asOperator);
    expect(reply.status).toBe(404);
    expect(reply.text).toMatch(/^404: .* is not served here\n/);
  });

  it.each(['/worker-0%2eiso', 'http://example.com/worker-0.iso', 'HTTPS://a:1/worker-0.iso?x'])(
    '%s is found',
    async (path) => {
      expect((await get(path, { ...asOperator, method: 'HEAD' })).status).toBe(200);
    },
  );

  it('are told back printable and short', async () => {
    const reply = await get(`/%1b%5b2J${'x'.repeat(500)}%e2%80%ae`, asOperator);
    expect(reply.text).toMatch(/^[ -~\n]{1,200}$/);
  });
});

describe('requests that are none of ours', () => {
  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s', async (method) => {
    const { server } = await startFixture();
    const reply = await ask(server.origin, `/${host}/worker-0.iso`, { method });
    expect(reply.status).toBe(405);
    expect(reply.headers['allow']).toBe('GET, HEAD');
  });

  it('GET with a body, or a form', async () => {
    const { server } = await startFixture();
    const body = 'x'.repeat(1000);
    const withBody = await ask(server.origin, '/healthz', { body, headers: { 'content-length': 1000 } });
    expect(withBody).toMatchObject({ status: 413, headers: { connection: 'close' } });
    const chunked = await ask(server.origin, '/healthz', {
      body,
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect(chunked).toMatchObject({ status: 413, headers: { connection: 'close' } });
    const form = await ask(server.origin, '/', { body, method: 'POST' });
    expect(form).toMatchObject({ status: 405, headers: { connection: 'close' } });
    const empty = await ask(server.origin, '/healthz', { headers: { 'content-length': 0 } });
    expect(empty.status).toBe(200);
  });
});

describe('when something is wrong', () => {
  it('what cannot be made is told to the operator, not to the client', async () => {
    const { server, resources, lines } = await startFixture();
    resources.get = () => {
      throw new CliError('No permission to read /srv/secret.iso', { code: 'ERR_SETTING', hint: 'check it' });
    };
    const reply = await ask(server.origin, `/${host}/worker-0.iso`);
    expect(reply.status).toBe(503);
    expect(reply.text).toBe(
      '503: this file is temporarily unavailable\nhint: ask the operator: the log contains the reason under request id 1\n',
    );
    expect(lines).toContainEqual({
      time: expect.any(String),
      level: 'error',
      event: 'cannot serve',
      id: 1,
      message: 'No permission to read /srv/secret.iso',
      hint: 'check it',
    });
    expect(lines.at(-1)).toMatchObject({ event: 'request', status: 503, outcome: 'failed' });
  });

  it('a defect costs one request', async () => {
    const { server, resources, lines } = await startFixture();
    resources.get = () => {
      throw new TypeError('undefined is not secret');
    };
    const reply = await ask(server.origin, `/${host}/worker-0.iso`);
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('undefined');
    expect(lines).toContainEqual(expect.objectContaining({ event: 'internal error', level: 'error' }));
    Reflect.deleteProperty(resources, 'get');
    expect((await ask(server.origin, `/${host}/worker-0.iso`)).status).toBe(200);
  });

  it('an image that cannot be read any more ends the connection: less is never taken for all', async () => {
    const { server, iso, resources, lines, transfers } = await startFixture();
    let closed = 0;
    const bytes = iso.bytes;
    const broken = memoryResource({ fileName: 'worker-0.iso', host: 'worker-0' }, bytes);
    resources.set('worker-0.iso', {
      ...broken,
      open: async () => ({
        ...(await broken.open()),
        readInto: async (target, offset) => {
          if (offset > 1e6) throw new CliError('the disk is gone', { code: 'ERR_SETTING' });
          bytes.copy(target, 0, offset, offset + target.length);
        },
        close: async () => {
          closed += 1;
        },
      }),
    });
    await expect(ask(server.origin, `/${host}/worker-0.iso`)).rejects.toThrow(/aborted|hang up/);
    await until(() => lines.some(({ event }) => event === 'request'));
    expect(lines.at(-1)).toMatchObject({ event: 'request', status: 200, outcome: 'failed' });
    expect(transfers.recent()).toMatchObject([{ outcome: 'failed' }]);
    expect(closed).toBe(1);
  });

  it('a client that goes away is no error, and nothing stays open', async () => {
    const { server, held, iso, lines, transfers } = await startFixture();
    const client = rawClient(server.port);
    client.write(`GET /${host}/worker-0.iso HTTP/1.1\r\nHost: a\r\n\r\n`);
    client.socket.once('data', () => {
      expect(held.count).toBe(1); // the catalog, until all is sent
      client.socket.destroy();
    });
    await until(() => lines.some(({ event }) => event === 'request'));
    expect(lines.at(-1)).toMatchObject({
      outcome: 'client disconnected',
      level: 'info',
      client: '127.0.0.1',
    });
    expect(transfers.recent()).toMatchObject([{ outcome: 'client disconnected' }]);
    expect(transfers.running()).toBe(0);
    expect([iso.opened.now, held.count]).toEqual([0, 0]);
  });
});

describe('the log', () => {
  it('keeps the name of a program short, and in ASCII', async () => {
    const { server, lines, transfers } = await startFixture();
    await ask(server.origin, `/${host}/worker-0-minimal.iso`, {
      headers: { 'user-agent': `\u00e4${'x'.repeat(5000)}` },
    });
    await until(() => lines.some(({ event }) => event === 'request'));
    const userAgent = `?${'x'.repeat(119)}...`;
    expect(lines.at(-1)).toMatchObject({ userAgent });
    expect(transfers.recent()).toMatchObject([{ userAgent }]);
  });

  it('tells who fetched what', async () => {
    const { server, lines, transfers } = await startFixture();
    const headers = { range: 'bytes=0-99', 'user-agent': 'iDRAC' };
    await ask(server.origin, `/${host}/worker-0-minimal.iso`, { headers });
    await until(() => lines.some(({ event }) => event === 'request'));
    expect(lines.at(-1)).toMatchObject({
      event: 'request',
      client: '127.0.0.1',
      method: 'GET',
      host: 'worker-0',
      artifact: 'iso',
      path: 'worker-0-minimal.iso',
      status: 206,
      bytes: 100,
      outcome: 'complete',
      userAgent: 'iDRAC',
    });
    expect(transfers.recent()).toMatchObject([
      {
        host: 'worker-0',
        path: 'worker-0-minimal.iso',
        bytes: 100,
        size: SMALL_SIZE,
        etag: '"worker-0-minimal.iso"',
      },
    ]);
  });

  it.each([0, 1, 1999, 3_600_000])('tells in seconds how long a request took: %i ms', async (took) => {
    const { server, resources, lines } = await startFixture();
    let now = 5000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = memoryResource({ fileName: 'slow' }, Buffer.from('slow'));
    const open: ServedResource['open'] = async () => {
      now += took;
      return slow.open();
    };
    resources.set('slow', { ...slow, open });
    try {
      expect((await ask(server.origin, '/slow', asOperator)).text).toBe('slow');
      await until(() => lines.some(({ event }) => event === 'request'));
    } finally {
      clock.mockRestore();
    }
    expect(lines.at(-1)).toMatchObject({ path: 'slow', seconds: took / 1000 });
  });

  it('has no line for probes, which come every few seconds', async () => {
    const { server, lines } = await startFixture();
    for (const path of ['/healthz', '/readyz', '/healthz', '/nothing']) await ask(server.origin, path);
    await until(() => lines.some(({ event }) => event === 'request'));
    expect(lines.filter(({ event }) => event === 'request').map(({ status }) => status)).toEqual([401]);
  });

  it('never has a token, a query, or a signed path', async () => {
    const { server, lines } = await startFixture();
    const [, , , signature = '?'] = host.split('.');
    const paths = [
      `/${host}/worker-0-minimal.iso?${token}`,
      `/${host}/worker-1.iso`,
      `/${host}`,
      `/${host.slice(0, -4)}`,
      `/worker-0-minimal.iso/${host}`,
      `/x${host}`,
      `/${token}/x`,
      `/${host}/..`,
      `/?token=${token}`,
      '/worker-0-minimal.iso',
    ];
    for (const path of paths) {
      await ask(server.origin, path);
      await ask(server.origin, path, asOperator);
      await ask(server.origin, path, { headers: { authorization: `Bearer ${token}x` } });
      await ask(server.origin, path, { method: 'POST' });
    }
    await until(() => lines.filter(({ event }) => event === 'request').length === paths.length * 4);
    const text = JSON.stringify(lines);
    expect(text).not.toContain(token);
    expect(text).not.toContain(signature.slice(0, 8));
  });
});
