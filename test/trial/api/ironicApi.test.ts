/** Ironic's API as `try` plays it: what agents go through, and what strangers, the slow and the hostile get. */

import { spawn } from 'node:child_process';
import { connect as connectTls } from 'node:tls';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../../src/http/server/server.ts';
import type { TrialEvent } from '../../../src/trial/timeline/events.ts';
import { inventoryOf, type PlayedIronic, playIronic, stopIronics, workers } from '../../support/ironicApi.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { exchangeRaw, rawClient, until } from '../../support/serveFixtures.ts';

afterEach(stopIronics);

const [worker0, worker1] = workers;
const mac0 = worker0?.macs[0] ?? '';
const mac1 = worker1?.macs[0] ?? '';
const uuid0 = worker0?.uuid ?? '';

const addresses = (...macs: readonly string[]): string => `/v1/lookup?addresses=${macs.join(',')}`;
const stranger = '52:54:00:00:00:99';

async function tokenOf(ironic: PlayedIronic, mac: string): Promise<string> {
  const { text } = await ironic.call('GET', addresses(mac), { version: '1.62' });
  return /"agent_token":"([^"]+)"/.exec(text)?.[1] ?? '';
}

const beat = (token: string | undefined, callbackUrl = 'https://127.0.0.1:9'): Record<string, unknown> => ({
  callback_url: callbackUrl,
  agent_token: token,
  agent_version: '13.0.0',
});

/** Without what is never the same. */
const seen = (events: readonly TrialEvent[]): object[] =>
  events.map(({ at: _at, client: _client, ...event }) => event);

const failing = (): Promise<void> => Promise.reject(new Error('the disk is full'));

describe('an agent', () => {
  it('comes home', async () => {
    const ironic = await playIronic();
    await ironic.call('POST', '/v1/continue_inspection', { body: inventoryOf(mac0.toUpperCase()) });
    await ironic.call('GET', '/', { headers: { 'user-agent': 'python-requests/2.34' } });
    const token = await tokenOf(ironic, mac0);
    const { status } = await ironic.call('POST', `/v1/heartbeat/${uuid0}`, {
      version: '1.68',
      body: beat(token),
    });
    expect(status).toBe(202);
    expect(seen(ironic.events)).toEqual([
      {
        kind: 'inspection',
        macs: [mac0],
        node: uuid0,
        summary: 'no disks, 1 of 1 interface with a link',
        problem: undefined,
        reason: undefined,
        differences: [],
        isIncomplete: false,
      },
      { kind: 'api', userAgent: 'python-requests/2.34' },
      {
        kind: 'lookup',
        macs: [mac0],
        node: uuid0,
        token: 'sent',
        problem: undefined,
        reason: undefined,
      },
      {
        kind: 'heartbeat',
        node: uuid0,
        callbackUrl: 'https://127.0.0.1:9',
        agentVersion: '13.0.0',
        token: 'valid',
        problem: undefined,
        reason: undefined,
      },
    ]);
    expect(ironic.events.map(({ client }) => client)).toEqual(Array(4).fill('127.0.0.1'));
    expect(ironic.saved).toEqual([{ node: uuid0, name: 'worker-0', body: inventoryOf(mac0.toUpperCase()) }]);
  });

  it('hands its inventory to an inspector', async () => {
    const ironic = await playIronic();
    const answer = await ironic.call('POST', '/v1/continue', { body: inventoryOf(stranger) });
    expect(answer.status).toBe(202);
    const [event] = ironic.events;
    expect(event).toMatchObject({ kind: 'inspection', macs: [stranger] });
    expect(answer.json).toEqual({ uuid: event?.kind === 'inspection' && event.node });
    expect(ironic.saved[0]).toMatchObject({ name: undefined });
  });

  it('that was not saved is told so', async () => {
    const ironic = await playIronic({ saveInventory: failing });
    const body = { ...inventoryOf(mac0), error: 'no \u001b[31mlshw' };
    const { status } = await ironic.call('POST', '/v1/continue_inspection', { body });
    expect(status).toBe(202);
    expect(ironic.events[0]).toMatchObject({
      problem: 'no \u001b[31mlshw; not saved: the disk is full',
    });
  });

  it('that was started anew gets the mask, one that was booted anew a token', async () => {
    const ironic = await playIronic();
    const first = await tokenOf(ironic, mac0);
    expect(await tokenOf(ironic, mac0)).toBe('******');
    ironic.api.resetMachine(mac0);
    ironic.api.resetMachine(stranger);
    const second = await tokenOf(ironic, mac0);
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(ironic.events.map((event) => event.kind === 'lookup' && event.token)).toEqual([
      'sent',
      'masked',
      'sent',
    ]);
  });

  it.each([
    ['without a token', beat(undefined), 'missing', 'Invalid or missing agent token received.'],
    ['with another token', beat('y'.repeat(43)), 'invalid', 'Invalid or missing agent token received.'],
    ['that takes commands without TLS', 'plain', 'valid', /^the callback URL is plain HTTP/],
    ['with another URL than before', 'moved', 'valid', 'Detected change in ramdisk provided "callback_url"'],
    [
      'with a URL of more than 2,000 characters',
      'long',
      'valid',
      /^its API version, callback_url or agent_version/,
    ],
    ['that sends anything', [1], 'missing', /^its API version, callback_url or agent_version/],
  ])('%s is refused', async (_title, sent, token, problem) => {
    const ironic = await playIronic();
    const right = await tokenOf(ironic, mac0);
    const version = '1.68';
    await ironic.call('POST', `/v1/heartbeat/${uuid0}`, { version, body: beat(right) });
    ironic.api.resetMachine(sent === 'moved' ? stranger : mac0);
    const again = sent === 'moved' ? right : await tokenOf(ironic, mac0);
    const urls: Record<string, string> = {
      plain: 'http://127.0.0.1:9',
      moved: 'https://127.0.0.1:10',
      long: `https://127.0.0.1:9/${'x'.repeat(2000)}`,
    };
    const body = typeof sent === 'string' ? beat(again, urls[sent]) : sent;
    const { status } = await ironic.call('POST', `/v1/heartbeat/${uuid0}`, { version, body });
    expect(status).toBe(400);
    const event = ironic.events.at(-1);
    expect(event).toMatchObject({ kind: 'heartbeat', node: uuid0, token });
    expect(event?.kind === 'heartbeat' && event.problem).toMatch(problem);
  });

  it('for a node that there is not is refused, whatever its token', async () => {
    const ironic = await playIronic();
    const path = `/v1/heartbeat/${uuid0.replaceAll('1', '7')}`;
    const { status } = await ironic.call('POST', path, { version: '1.68', body: beat('y'.repeat(43)) });
    expect([status, ironic.events[0]]).toMatchObject([404, { kind: 'heartbeat', token: 'unknown' }]);
  });

  it.each([
    ['several hosts at once', addresses(mac0, mac1), /belong to several hosts: worker-0, worker-1$/],
    ['no address', '/v1/lookup', 'it contains no valid MAC address'],
    [
      'a node that there is not',
      `/v1/lookup?node_uuid=${uuid0.replaceAll('1', '7')}`,
      /^node .* does not exist$/,
    ],
  ])('that looks up %s is refused', async (_title, path, problem) => {
    const ironic = await playIronic();
    const { status } = await ironic.call('GET', path, { version: '1.62' });
    expect(status).toBeGreaterThanOrEqual(400);
    const [event] = ironic.events;
    expect(event).toMatchObject({ kind: 'lookup', node: undefined, token: 'none' });
    expect(event?.kind === 'lookup' && event.problem).toMatch(problem);
  });

  it.each([
    ['GET', '/v1/banana?secret', 404, '/v1/banana'],
    ['POST', '/v1/continue_inspection/v1/continue', 404, '/v1/continue_inspection/v1/continue'],
    ['POST', '/', 405, '/'],
    ['PUT', '/v1/\u00e9\u001b', 404, '/v1/%C3%A9%1B'],
  ])('on a wrong path: %s %s', async (method, path, status, shown) => {
    const ironic = await playIronic();
    const answer = await ironic.call(method, encodeURI(path), { body: {} });
    expect(answer.status).toBe(status);
    expect(seen(ironic.events)).toEqual([
      { kind: 'refusal', problem: { kind: 'path', method, path: shown, hasInventory: false } },
    ]);
  });
});

const MIB = 1024 * 1024;

/** Writes blanks as long as they are taken; resolves to the answer and to how many bytes went out. */
async function flood(port: number, start: string, total: number): Promise<{ answer: string; sent: number }> {
  const { socket, ended } = rawClient(port);
  socket.write(start);
  const part = Buffer.alloc(64 * 1024, ' ');
  for (let sent = 0; sent < total && !socket.destroyed; sent += part.length) {
    if (socket.write(part)) continue;
    await Promise.race([ended, new Promise((resolve) => void socket.once('drain', resolve))]);
  }
  const answer = await ended;
  return { answer, sent: socket.bytesWritten };
}

const post = (path: string, ...headers: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', ...headers].join('\r\n');

describe('the hostile', () => {
  it.each([
    ['said before', `Content-Length: ${100 * MIB}\r\n\r\n`],
    ['in one chunk', `Transfer-Encoding: chunked\r\n\r\n${(100 * MIB).toString(16)}\r\n`],
  ])('send 100 MB, %s: little of it is read', async (_title, end) => {
    const ironic = await playIronic();
    const start = `${post('/v1/continue_inspection')}\r\n${end}`;
    const { answer, sent } = await flood(ironic.api.port, start, 100 * MIB);
    // What is read ends at the limit and a bit; the rest is in buffers of the system.
    expect(sent).toBeLessThan(60 * MIB);
    // Who still writes may lose the answer.
    expect(answer).toMatch(/^(?:HTTP\/1\.1 413 |$)/);
    expect(ironic.events).toMatchObject([{ problem: 'the request body is larger than 16384 KiB' }]);
  });

  it.each([
    [
      'an inventory',
      '/v1/continue_inspection',
      16 * MIB,
      'the request body is larger than 16384 KiB',
      { macs: [], isIncomplete: false },
    ],
    [
      'a heartbeat',
      `/v1/heartbeat/${uuid0}`,
      128 * 1024,
      'the request body is larger than 128 KiB',
      { node: uuid0, token: 'unknown' },
    ],
  ])('send %s that is too large', async (_title, path, limit, problem, facts) => {
    const ironic = await playIronic();
    const answer = await ironic.call('POST', path, { version: '1.115', body: ' '.repeat(limit + 1) });
    expect([answer.status, answer.headers['connection']]).toEqual([413, 'close']);
    expect(answer.text).toContain(problem);
    expect(ironic.events[0]).toMatchObject({ problem, ...facts });
    const fits = await ironic.call('POST', path, { body: ' '.repeat(limit) });
    expect(fits.status).not.toBe(413);
  });

  it('are told to go on before they send a body, or not to', async () => {
    const ironic = await playIronic();
    const body = JSON.stringify(inventoryOf(stranger));
    const client = rawClient(ironic.api.port);
    const expectation = ['Expect: 100-continue', 'Connection: close'];
    client.write(`${post('/v1/continue', `Content-Length: ${body.length}`, ...expectation)}\r\n\r\n`);
    await new Promise((resolve) => void client.socket.once('data', resolve));
    client.write(body);
    expect((await client.ended).split('\r\n')).toEqual(
      expect.arrayContaining(['HTTP/1.1 100 Continue', 'HTTP/1.1 202 Accepted']),
    );
    const refused = await exchangeRaw(
      ironic.api.port,
      `${post('/v1/continue', `Content-Length: ${99 * MIB}`, ...expectation)}\r\n\r\n`,
    );
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    const without = await exchangeRaw(
      ironic.api.port,
      `${post('/v1/lookup', 'Content-Length: 5', ...expectation)}\r\n\r\n`,
    );
    expect(without).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('send a body byte by byte, or never to its end', async () => {
    const ironic = await playIronic({
      limits: { ...defaultLimits, headerTime: 300, requestTime: 400 },
    });
    const client = rawClient(ironic.api.port);
    client.write(`${post('/v1/continue', 'Content-Length: 999999')}\r\n\r\n{`);
    const drip = setInterval(() => client.write(' '), 20);
    await client.ended;
    clearInterval(drip);
    await until(() => ironic.events.some(({ kind }) => kind === 'inspection'));
    const event = ironic.events.find(({ kind }) => kind === 'inspection');
    expect(event).toMatchObject({ node: undefined, problem: 'the request body is incomplete' });
  });

  it('send deep and wide JSON', async () => {
    const ironic = await playIronic();
    const deep = `{"inventory":${'['.repeat(MIB)}`;
    const wide = `{"inventory":[${'{},'.repeat(MIB)}{}]}`;
    for (const body of [deep, wide]) {
      const { status } = await ironic.call('POST', '/v1/continue_inspection', { body });
      expect(status).toBe(400);
    }
    expect(ironic.events[1]).toMatchObject({ problem: 'the body is not the inventory of an agent' });
  });

  it('have a thousand MAC addresses', async () => {
    const ironic = await playIronic();
    const macs = Array.from({ length: 1500 }, (_, index) => {
      const digits = index.toString(16).padStart(4, '0');
      return `52:54:01:00:${digits.slice(0, 2)}:${digits.slice(2)}`;
    });
    const { status } = await ironic.call('POST', '/v1/continue_inspection', { body: inventoryOf(...macs) });
    expect(status).toBe(202);
    const lookup = await ironic.call('GET', addresses(...macs.slice(0, 1000)), { version: '1.62' });
    expect(lookup.status).toBe(200);
    expect(ironic.events.map((event) => 'macs' in event && event.macs.length)).toEqual([1024, 1000]);
    expect(await tokenOf(ironic, mac0)).toMatch(/^[\w-]{43}$/);
  });

  it('send floods of headers', async () => {
    const ironic = await playIronic();
    const answer = await exchangeRaw(
      ironic.api.port,
      `GET / HTTP/1.1\r\nHost: a\r\n${'X: a longer value\r\n'.repeat(20_000)}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(ironic.events[0]).toMatchObject({ kind: 'refusal', problem: { kind: 'request', status: 431 } });
  });

  it('send any bytes, as whole requests or as bodies', async () => {
    const ironic = await playIronic();
    const { port } = ironic.api;
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(
          '/v1/continue_inspection',
          '/v1/continue',
          `/v1/heartbeat/${uuid0}`,
          '/v1/lookup',
          '/',
        ),
        async (bytes, path) => {
          const client = rawClient(port);
          client.socket.end(Buffer.from(bytes));
          await client.ended;
          const other = rawClient(port);
          other.write(`${post(path, `Content-Length: ${bytes.length}`, 'Connection: close')}\r\n\r\n`);
          other.socket.write(Buffer.from(bytes));
          expect(await other.ended).toMatch(/^HTTP\/1\.1 [2345]\d\d /);
        },
      ),
      { numRuns: 60 },
    );
    // eslint-disable-next-line no-control-regex
    expect(JSON.stringify(ironic.events)).not.toMatch(/\\u00[01]|[^\n -~]/);
    expect(await tokenOf(ironic, mac0)).toMatch(/^[\w-]{43}$/);
  });

  it('never see a token of another in events', async () => {
    const ironic = await playIronic();
    const token = await tokenOf(ironic, mac0);
    await ironic.call('POST', `/v1/heartbeat/${uuid0}`, { version: '1.68', body: beat(token) });
    await ironic.call('POST', `/v1/heartbeat/${uuid0}`, { version: '1.68', body: beat('guess') });
    expect(JSON.stringify(ironic.events)).not.toContain(token);
    expect(JSON.stringify(ironic.events)).not.toContain('guess');
  });
});

describe('TLS', () => {
  const overTls = { tlsNames: ['127.0.0.1', 'localhost', '::1', 'ironic.example'] };

  it('is spoken with a certificate of the authority that is told', async () => {
    const ironic = await playIronic(overTls);
    expect(ironic.api.origin).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const { status, json } = await ironic.call('GET', '/');
    expect([status, json]).toMatchObject([
      200,
      { versions: [{ links: [{ href: `${ironic.api.origin}/v1/` }] }] },
    ]);
  });

  it.each([
    ['plain HTTP', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', { kind: 'plain-http' }],
    ['anything', 'hello, is it me', { kind: 'tls', reason: 'wrong version number' }],
    [
      'half a handshake',
      '\u0016\u0003\u0001\u0002\u0000\u0001',
      { kind: 'tls', reason: 'the client aborted the handshake' },
    ],
  ])('does not understand %s, and says who it was', async (_title, text, problem) => {
    const ironic = await playIronic(overTls);
    const client = rawClient(ironic.api.port);
    client.socket.end(Buffer.from(text, 'latin1'));
    await client.ended;
    await until(() => ironic.events.length > 0);
    expect(ironic.events).toMatchObject([{ kind: 'refusal', client: '127.0.0.1', problem }]);
  });

  it('to a port without it is seen as such', async () => {
    const ironic = await playIronic();
    const socket = connectTls({ port: ironic.api.port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve) => void socket.on('error', () => undefined).once('close', resolve));
    expect(ironic.events).toMatchObject([
      { kind: 'refusal', client: '127.0.0.1', problem: { kind: 'tls-to-http' } },
    ]);
  });

  it('nothing is told of whoever only looks whether something listens', async () => {
    const ironic = await playIronic(overTls);
    const client = rawClient(ironic.api.port);
    await new Promise((resolve) => void client.socket.once('connect', resolve));
    client.socket.end();
    await client.ended;
    await ironic.call('GET', '/');
    expect(ironic.events.map(({ kind }) => kind)).toEqual(['api']);
  });

  it.skipIf(!have('openssl'))(`is told of clients that do not trust it${oracleNote('openssl')}`, async () => {
    const ironic = await playIronic(overTls);
    const args = ['s_client', '-connect', `127.0.0.1:${ironic.api.port}`, '-verify_return_error'];
    const child = spawn('openssl', args, { stdio: ['ignore', 'ignore', 'ignore'] });
    await new Promise((resolve) => void child.once('close', resolve));
    await until(() => ironic.events.length > 0);
    expect(ironic.events).toMatchObject([
      { kind: 'refusal', client: '127.0.0.1', problem: { kind: 'tls', reason: 'tlsv1 alert unknown ca' } },
    ]);
  });
});

it('ends with requests on their way', async () => {
  const ironic = await playIronic();
  const client = rawClient(ironic.api.port);
  client.write('POST /v1/continue HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
  await ironic.call('GET', '/');
  await ironic.api.stop();
  expect(await client.ended).toBe('');
});
