/** The server against clients that are slow, wrong, hostile or many, and how it ends. */

import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import {
  ask,
  asOperator,
  exchangeRaw,
  type Fixture,
  ISO_SIZE,
  rawClient,
  SMALL_SIZE,
  signer,
  startFixture,
  stopFixtures,
  until,
} from '../../support/serveFixtures.ts';
import { listenLocally } from '../../support/listening.ts';

afterEach(stopFixtures);

const host = signer.sign({ kind: 'host', host: 'worker-0' });
const iso = `GET /${host}/worker-0.iso HTTP/1.1\r\nHost: a\r\n\r\n`;
const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';

/** All is as before: an image comes as it is, and nothing stays open. */
async function checkServing({ server, iso: large, small }: Fixture): Promise<void> {
  const reply = await ask(server.origin, `/${host}/worker-0-minimal.iso`);
  expect(reply.body).toEqual(small.bytes);
  expect([small.opened.now, large.opened.now]).toEqual([0, 0]);
}

/** Of this whole process: of its servers and of its clients. */
const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource.startsWith('TCP')).length;

const statusOf = (answer: string): string => answer.slice(0, answer.indexOf('\r\n'));

describe('what is no request', () => {
  it.each([
    ['nonsense', 'hello\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['zeros', '\0'.repeat(100), 'HTTP/1.1 400 Bad Request'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001', 'HTTP/1.1 400 Bad Request'],
    ['the start of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['a blank in a header name', 'GET / HTTP/1.1\r\nHo st: a\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    [
      'two lengths',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'a length and chunks',
      'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'CONNECT',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
      'HTTP/1.1 405 Method Not Allowed',
    ],
    [
      'a header of a megabyte',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1024 * 1024)}\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
    [
      'ten thousand headers',
      `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(10_000)}\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
  ])('%s', async (_title, text, status) => {
    const fixture = await startFixture();
    expect(statusOf(await exchangeRaw(fixture.server.port, text))).toBe(status);
    await checkServing(fixture);
  });
});

describe('strange requests', () => {
  it.each([
    ['two hosts', 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n', 400],
    [
      'a second host after 1500 headers',
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${'x:\r\n'.repeat(1500)}Host: b\r\n`,
      400,
    ],
    [
      'a body after 1500 headers',
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${'x:\r\n'.repeat(1500)}Content-Length: 5\r\n`,
      413,
    ],
    ['a host with a slash', 'GET /healthz HTTP/1.1\r\nHost: a/b\r\n', 400],
    ['an empty host', 'GET /healthz HTTP/1.1\r\nHost:\r\n', 200],
    ['an IPv6 host', 'GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n', 200],
    ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\n', 200],
    ['a whole URL', 'GET http://b/healthz HTTP/1.1\r\nHost: a\r\n', 200],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n', 405],
    ['GET *', 'GET * HTTP/1.1\r\nHost: a\r\n', 404],
    ['an upgrade', 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n', 200],
    [
      'an upgrade to HTTP/2',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n',
      200,
    ],
    ['an expectation', 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n', 200],
    [
      'a body that waits',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n',
      413,
    ],
    [
      'a body that waits, to be stored',
      'PUT /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n',
      405,
    ],
  ])('%s', async (_title, head, status) => {
    const fixture = await startFixture();
    const closing = head.includes('Upgrade') ? head : `${head}Connection: close\r\n`;
    const client = rawClient(fixture.server.port);
    client.write(`${closing}\r\n`);
    if (head.includes('Upgrade')) setTimeout(() => client.socket.end(), 100);
    expect(statusOf(await client.ended)).toContain(`HTTP/1.1 ${status} `);
    await checkServing(fixture);
  });

  it.each([
    ['a thousand ranges', Array.from({ length: 1000 }, (_, index) => `${index * 10}-${index * 10 + 1}`)],
    ['a thousand that are all the same', Array.from({ length: 1000 }, () => '0-')],
    ['a thousand from the end', Array.from({ length: 1000 }, (_, index) => `-${index + 1}`)],
    ['negative ones', ['-0', '--5']],
    ['huge ones', ['0-99999999999999999999999999', '18446744073709551615-18446744073709551616']],
  ])('%s cost no more than the image', async (_title, ranges) => {
    const fixture = await startFixture();
    const headers = { range: `bytes=${ranges.join(',')}` };
    const reply = await ask(fixture.server.origin, `/${host}/worker-0-minimal.iso`, { headers });
    expect([200, 206, 416]).toContain(reply.status);
    expect(reply.body.length).toBeLessThan(SMALL_SIZE * 1.1);
    await checkServing(fixture);
  });
});

describe('clients that take their time', () => {
  it.each([
    ['say nothing', ''],
    ['stop in the middle of a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-'],
  ])('and %s are sent away', async (_title, text) => {
    const fixture = await startFixture({ limits: { headerTime: 200, requestTime: 300 } });
    const client = rawClient(fixture.server.port);
    client.write(text);
    expect(statusOf(await client.ended)).toBe('HTTP/1.1 408 Request Timeout');
    await checkServing(fixture);
  });

  it('cannot keep a connection by a header now and then', async () => {
    const fixture = await startFixture({ limits: { headerTime: 300, requestTime: 400 } });
    const clients = Array.from({ length: 50 }, () => rawClient(fixture.server.port));
    for (const client of clients) client.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => {
      for (const client of clients) if (client.socket.writable) client.write('X: y\r\n');
    }, 20);
    await checkServing(fixture);
    const answers = await Promise.all(clients.map(({ ended }) => ended));
    clearInterval(drip);
    expect(new Set(answers.map(statusOf))).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
  });

  it('between two requests lose the connection', async () => {
    const fixture = await startFixture({ limits: { keepAliveTime: 50 } });
    const answer = await exchangeRaw(fixture.server.port, health);
    expect(statusOf(answer)).toBe('HTTP/1.1 200 OK');
  });

  it('and read nothing are cut off, and cost the others nothing', async () => {
    const fixture = await startFixture({ limits: { idleTime: 1500 } });
    const sleepers = Array.from({ length: 20 }, () => rawClient(fixture.server.port));
    for (const sleeper of sleepers) {
      sleeper.socket.pause();
      sleeper.write(iso);
    }
    await until(() => fixture.iso.opened.count === 20);
    expect((await ask(fixture.server.origin, '/worker-1.iso', asOperator)).status).toBe(200);
    await until(() => fixture.iso.opened.now === 0);
    expect(fixture.transfers.recent().filter(({ outcome }) => outcome === 'aborted')).toHaveLength(20);
    for (const { socket } of sleepers) socket.destroy();
    await checkServing(fixture);
  });

  it.each([
    ['an image', iso, ISO_SIZE],
    ['two images, asked for at once', iso + iso, 2 * ISO_SIZE],
    ['a page', health, 3],
  ])('and end their half after the request get all of %s', async (_title, text, size) => {
    const fixture = await startFixture();
    const client = rawClient(fixture.server.port, { allowHalfOpen: true });
    client.socket.end(text, 'latin1');
    const answer = await client.ended;
    const bodies = answer.split(/HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*\r\n/).slice(1);
    expect(bodies.join('').length).toBe(size);
    expect(bodies[0]?.startsWith(size === 3 ? 'ok\n' : fixture.iso.bytes.toString('latin1'))).toBe(true);
    await until(() => fixture.server.connections() === 0);
    await checkServing(fixture);
  });

  it('and end their half without a request lose the connection', async () => {
    const fixture = await startFixture();
    const client = rawClient(fixture.server.port, { allowHalfOpen: true });
    client.socket.end();
    expect(await client.ended).toBe('');
    await checkServing(fixture);
  });

  it('and close their half get an answer or none, and keep nothing', async () => {
    const fixture = await startFixture();
    const clients = Array.from({ length: 20 }, () => rawClient(fixture.server.port, { allowHalfOpen: true }));
    for (const { socket } of clients) socket.end(iso);
    await Promise.all(clients.map(({ ended, socket }) => Promise.race([ended, fallSilent(socket)])));
    for (const { socket } of clients) socket.destroy();
    await until(() => fixture.server.connections() === 0);
    expect(fixture.iso.opened.now).toBe(0);
    await checkServing(fixture);
  });
});

/** Resolves when nothing has come for a while. */
async function fallSilent(socket: NodeJS.EventEmitter): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 500);
    socket.on('data', () => timer.refresh());
  });
}

describe('many requests on one connection', () => {
  it.each([
    ['17 health checks', 17, health],
    ['5,000 health checks', 5000, health],
    ['300 parts of an image', 300, iso.replace('\r\n\r\n', '\r\nRange: bytes=0-99\r\n\r\n')],
    ['100 requests with a body', 100, health.replace('\r\n\r\n', '\r\nContent-Length: 0\r\n\r\n')],
  ])('are all answered: %s', async (_title, count, request) => {
    const fixture = await startFixture();
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const answer = await exchangeRaw(fixture.server.port, request.repeat(count - 1) + last);
    expect(answer.match(/HTTP\/1\.1 20[06] /g)).toHaveLength(count);
    await checkServing(fixture);
  });

  it('nonsense after a request ends the connection', async () => {
    const fixture = await startFixture();
    const client = rawClient(fixture.server.port);
    client.socket.pause();
    client.write(`${iso}nonsense\r\n\r\n`);
    await until(() => fixture.server.connections() === 0);
    expect(fixture.iso.opened.now).toBe(0);
    client.socket.destroy();
    await checkServing(fixture);
  });
});

describe('many connections', () => {
  it('are as many as the limit allows', async () => {
    const fixture = await startFixture({ limits: { connections: 10 } });
    const clients = Array.from({ length: 30 }, () => rawClient(fixture.server.port));
    let closed = 0;
    for (const { ended } of clients) void ended.then(() => (closed += 1));
    await until(() => closed === 20);
    expect(fixture.server.connections()).toBe(10);
    const refusals = fixture.lines.filter(({ event }) => event === 'too many connections');
    const hint = 'pass a larger number than 10 with --max-connections';
    expect(refusals).toEqual([expect.objectContaining({ client: '127.0.0.1', connections: 10, hint })]);
    for (const { socket } of clients) socket.destroy();
    await until(() => fixture.server.connections() === 0);
    await checkServing(fixture);
  });

  it('have no hint about options that the command does not have', async () => {
    const fixture = await startFixture({ limits: { connections: 1, areFixed: true } });
    const clients = Array.from({ length: 2 }, () => rawClient(fixture.server.port));
    await until(() => fixture.lines.some(({ event }) => event === 'too many connections'));
    expect(fixture.lines.find(({ event }) => event === 'too many connections')).not.toHaveProperty('hint');
    for (const { socket } of clients) socket.destroy();
  });

  it('that come and go leave nothing behind', async () => {
    const fixture = await startFixture();
    const rush = async (): Promise<void> => {
      const clients = Array.from({ length: 50 }, (_, index) => {
        const client = rawClient(fixture.server.port);
        client.write(index % 2 === 0 ? iso : 'GET /');
        setTimeout(() => client.socket.destroy(), index);
        return client;
      });
      await Promise.all(clients.map(({ ended }) => ended));
      await until(() => fixture.server.connections() === 0 && fixture.iso.opened.now === 0);
    };
    const before = openSockets();
    for (let round = 0; round < 5; round++) await rush();
    await until(() => openSockets() <= before);
    expect(fixture.iso.opened).toMatchObject({ now: 0 });
    await checkServing(fixture);
  });
});

describe('the end', () => {
  it('comes when transfers that run are finished, and nobody else gets in', async () => {
    const fixture = await startFixture();
    const { server, lines } = fixture;
    const idle = new Agent({ keepAlive: true });
    await ask(server.origin, '/healthz', { agent: idle });
    const silent = rawClient(server.port);
    const client = rawClient(server.port);
    client.socket.pause();
    client.write(iso);
    await until(() => fixture.iso.opened.now === 1 && server.connections() === 3);
    const stopped = server.stop(10_000);
    await silent.ended;
    await until(() => server.connections() === 1);
    await expect(ask(server.origin, '/healthz')).rejects.toThrow('ECONNREFUSED');
    client.socket.resume();
    const answer = await client.ended;
    expect(answer.endsWith(fixture.iso.bytes.toString('latin1'))).toBe(true);
    expect(await stopped).toEqual({ aborted: 0 });
    expect(lines.at(-1)).toMatchObject({ event: 'request', outcome: 'complete', bytes: ISO_SIZE });
    idle.destroy();
  });

  it('cuts off what is not finished in time, and says how many', async () => {
    const fixture = await startFixture();
    const clients = [rawClient(fixture.server.port), rawClient(fixture.server.port)];
    for (const client of clients) {
      client.socket.pause();
      client.write(iso);
    }
    await until(() => fixture.iso.opened.now === 2);
    const start = performance.now();
    expect(await fixture.server.stop(200)).toEqual({ aborted: 2 });
    expect(performance.now() - start).toBeGreaterThan(150);
    expect(fixture.iso.opened.now).toBe(0);
    expect(fixture.lines.filter(({ outcome }) => outcome === 'aborted')).toHaveLength(2);
    for (const { socket } of clients) socket.destroy();
  });

  it.each([
    ['of a month', 30 * 86_400_000],
    ['of ten years', 3650 * 86_400_000],
  ])('waits for running transfers with a grace %s, which no timer of Node has', async (_title, grace) => {
    const fixture = await startFixture();
    const client = rawClient(fixture.server.port);
    client.socket.pause();
    client.write(iso);
    await until(() => fixture.iso.opened.now === 1);
    const stopped = fixture.server.stop(grace);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    client.socket.resume();
    expect(await stopped).toEqual({ aborted: 0 });
    expect((await client.ended).length).toBeGreaterThan(ISO_SIZE);
  });

  it('has no warning about an idle time of a month', async () => {
    const warned: Error[] = [];
    const warn = (warning: Error): void => void warned.push(warning);
    process.on('warning', warn);
    const fixture = await startFixture({ limits: { idleTime: 30 * 86_400_000 } });
    await checkServing(fixture);
    await new Promise((resolve) => void setTimeout(resolve, 50));
    process.off('warning', warn);
    expect(warned).toEqual([]);
  });

  it('may be hastened', async () => {
    const fixture = await startFixture();
    const client = rawClient(fixture.server.port);
    client.socket.pause();
    client.write(iso);
    await until(() => fixture.iso.opened.now === 1);
    const patient = fixture.server.stop(600_000);
    expect(await fixture.server.stop(0)).toEqual({ aborted: 1 });
    expect(await patient).toEqual({ aborted: 1 });
    expect(await fixture.server.stop(0)).toEqual({ aborted: 1 });
    client.socket.destroy();
  });

  it('may be announced: readyz says so, and no connection is kept', async () => {
    const { server } = await startFixture();
    const agent = new Agent({ keepAlive: true });
    await ask(server.origin, '/healthz', { agent });
    server.announceEnd();
    const reply = await ask(server.origin, '/readyz', { agent });
    expect(reply).toMatchObject({ status: 503, text: '503: the service is stopping\n' });
    expect(reply.headers['connection']).toBe('close');
    expect((await ask(server.origin, '/healthz', { agent })).status).toBe(200);
    expect((await ask(server.origin, `/${host}/worker-0-minimal.iso`)).status).toBe(200);
    await until(() => server.connections() === 0);
    agent.destroy();
  });

  it('readyz says why the service is not ready', async () => {
    const fixture = await startFixture();
    fixture.notReady.reason = 'the inventory is being read';
    const reply = await ask(fixture.server.origin, '/readyz');
    expect(reply).toMatchObject({ status: 503, text: '503: the inventory is being read\n' });
  });
});

describe('where it listens', () => {
  it.each([
    ['IPv6', { kind: 'tcp', host: '::1', port: 0 }, /^http:\/\/\[::1\]:[0-9]+$/],
    ['all addresses', { kind: 'tcp', host: undefined, port: 0 }, /^http:\/\/localhost:[0-9]+$/],
  ] as const)('%s', async (_title, listen, origin) => {
    const { server } = await startFixture({ listen });
    expect(server.origin).toMatch(origin);
    expect((await ask(server.origin, '/healthz')).text).toBe('ok\n');
  });

  it('tells addresses of IPv4 as such, also on a socket for both', async () => {
    const { server, lines } = await startFixture({ listen: { kind: 'tcp', host: undefined, port: 0 } });
    await ask(`http://127.0.0.1:${server.port}`, '/nothing');
    await until(() => lines.length > 0);
    expect(lines.at(-1)).toMatchObject({ client: '127.0.0.1' });
  });

  it('a port that is taken is told in a sentence', async () => {
    const other = createServer();
    const port = await listenLocally(other);
    const listen = { kind: 'tcp', host: '127.0.0.1', port } as const;
    const error: unknown = await startFixture({ listen }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({
      message: `Cannot listen on 127.0.0.1:${port}: the address is already in use`,
      hint: 'stop the other program, or pass another port with --listen',
    });
    other.close();
  });
});
