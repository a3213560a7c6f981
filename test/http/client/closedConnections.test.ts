/** Servers that close the connection while the reader is still busy with what came before. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../../../src/http/client/httpClient.ts';
import { connect } from '../../../src/http/client/connect.ts';
import { withRetries } from '../../../src/http/client/retries.ts';
import {
  type ClosingServer,
  type ClosingServerOptions,
  type Framing,
  startClosingServer,
} from '../../support/closingServer.ts';
import { startConnectProxy } from '../../support/connectProxy.ts';

let server: ClosingServer;
let client: HttpClient;

afterEach(async () => {
  await client?.close();
  await server.close();
});

/** The small one fits into one part, and its end comes while that is being read. */
const bodies = { small: Buffer.alloc(40_000, 'small '), large: Buffer.alloc(3_000_000, 'large ') };
const { small } = bodies;

async function start(
  options: ClosingServerOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<URL> {
  server = await startClosingServer(options);
  client = createHttpClient({ env });
  return new URL(`http://127.0.0.1:${server.port}/image`);
}

/** Reads a body, and after each part does nothing until the server has closed the connection, or 100 ms. */
async function readBusily(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const taken: Buffer[] = [];
  for await (const part of parts) {
    taken.push(Buffer.from(part));
    if (taken.length < 3) await Promise.race([server.closed(), wait(100)]);
  }
  return Buffer.concat(taken);
}

/** Fills what undici reads ahead by default with its last bytes. */
const apiAnswer = Buffer.alloc(65_600, 'answer ');

const pem = (name: string): Buffer => readFileSync(new URL(`../../support/tls/${name}.pem`, import.meta.url));

const framings: readonly Framing[] = [
  'HTTP/1.0 with its length',
  'HTTP/1.0 until it closes',
  'Connection: close with its length',
  'Connection: close in chunks',
  'Connection: close until it closes',
  'keep-alive, which it does not keep',
];

describe.each(framings)('the client, of a server with %s', (framing) => {
  it.each(['small', 'large'] as const)('takes a %s body to its end', async (size) => {
    const url = await start({ body: bodies[size], framing });
    const { parts } = await client.get(url);
    expect(await readBusily(parts)).toEqual(bodies[size]);
  });

  it.each(['small', 'large'] as const)('takes a %s one through a proxy', async (size) => {
    const { origin } = await start({ body: bodies[size], framing });
    await client.close();
    client = createHttpClient({ env: { http_proxy: origin } });
    const { parts } = await client.get(new URL('http://images.test/image'));
    expect(await readBusily(parts)).toEqual(bodies[size]);
  });

  it.runIf(!framing.endsWith('until it closes')).each([
    ['small', 'cut'],
    ['large', 'cut'],
    ['small', 'reset'],
    ['large', 'reset'],
  ] as const)('takes a %s body that is %s for a broken transfer', async (size, ending) => {
    const url = await start({ body: bodies[size], framing, ending });
    const { parts } = await client.get(url);
    await expect(readBusily(parts)).rejects.toMatchObject({
      isPassing: true,
      message: `${url.href} cannot be fetched: the connection was interrupted`,
    });
  });
});

describe('the connection to an API server that closes it', () => {
  it.each([
    ['http', false],
    ['https', false],
    ['https through a proxy', true],
  ])('takes the answer to its end: %s', async (scheme, isProxied) => {
    const isPlain = scheme === 'http';
    const tls = { cert: pem('server'), key: pem('server-key') };
    server = await startClosingServer({
      body: apiAnswer,
      framing: 'Connection: close with its length',
      ...(!isPlain && { tls }),
    });
    const origin = `${isPlain ? 'http' : 'https'}://localhost:${server.port}`;
    const proxy = await startConnectProxy({ origin });
    const connection = connect({
      connectTime: 1000,
      tls: { ca: pem('ca'), servername: 'localhost' },
      ...(isProxied && { proxies: { http: '', https: proxy.url, except: '' } }),
    });
    try {
      const { body } = await connection.request(new URL(`${origin}/api`), { method: 'GET', headers: {} });
      await server.closed();
      expect(await readBusily(body)).toEqual(apiAnswer);
      expect(proxy.targets).toHaveLength(isProxied ? 1 : 0);
    } finally {
      await connection.close();
      await proxy.close();
    }
  });
});

describe('the client', () => {
  it('leaves in the connection what a busy reader has not asked for', async () => {
    const body = Buffer.alloc(128 * 1024 * 1024);
    const url = await start({ body, framing: 'Connection: close with its length' });
    const { parts } = await client.get(url);
    const reader = parts[Symbol.asyncIterator]();
    await reader.next();
    const before = process.memoryUsage().arrayBuffers;
    await wait(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    expect(server.sent()).toBeLessThan(body.length / 2); // the rest is in buffers of the kernel
    let size = 0;
    for (let next = await reader.next(); next.done !== true; next = await reader.next())
      size += next.value.length;
    expect(size).toBeGreaterThan(body.length - 70_000);
  });

  it('takes a socket that closes without an error, while the reader is busy, for a broken transfer', async () => {
    const url = await start({ body: small, framing: 'Connection: close with its length', ending: 'cut' });
    let connection: Socket | undefined;
    const note = (message: unknown): void => {
      const socket = typeof message === 'object' && message !== null && 'socket' in message && message.socket;
      if (socket instanceof Socket) connection = socket;
    };
    subscribe('undici:client:sendHeaders', note);
    try {
      const { parts } = await client.get(url);
      const read = async (): Promise<void> => {
        for await (const part of parts) {
          expect(part.length).toBeGreaterThan(32 * 1024);
          connection?.destroy();
          await wait(50);
        }
      };
      await expect(read()).rejects.toMatchObject({
        isPassing: true,
        message: `${url.href} cannot be fetched: the connection was interrupted`,
      });
    } finally {
      unsubscribe('undici:client:sendHeaders', note);
    }
  });

  it.each([
    ['readable', 'a broken transfer', 1],
    ['end', 'a broken transfer', 1],
    ['close', 'nothing where all had come', 0],
  ] as const)('takes an exception out of the event %s for %s', async (event, _, times) => {
    const url = await start({ body: small, framing: 'Connection: close until it closes' });
    let faults = 0;
    const cause = (message: unknown): void => {
      const socket = typeof message === 'object' && message !== null && 'socket' in message && message.socket;
      if (!(socket instanceof Socket) || faults > 0) return;
      faults += 1;
      socket.prependOnceListener(event, () => {
        throw new TypeError('an assertion of the dependency');
      });
    };
    subscribe('undici:client:sendHeaders', cause);
    const said: string[] = [];
    const policy = { retries: 2, firstPause: 1, say: (text: string) => void said.push(text) };
    try {
      for (let transfer = 0; transfer < 2; transfer++) {
        const body = await withRetries(policy, async () => readBusily((await client.get(url)).parts));
        expect(body).toEqual(small);
      }
    } finally {
      unsubscribe('undici:client:sendHeaders', cause);
    }
    expect(faults).toBe(1);
    const line = expect.stringMatching(/cannot be fetched: the connection was interrupted; retrying/);
    expect(said).toEqual(Array.from({ length: times }, () => line));
  });
});
