/** When a client counts as one that takes nothing, over real connections. */

import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientConnection, ClientGone, watchClient } from '../../../src/http/server/clientConnection.ts';
import { tlsText } from '../../support/serveFixtures.ts';
import { listenLocally } from '../../support/listening.ts';

const MIB = 1024 * 1024;
/** More than both ends of a connection keep. */
const SIZE = 64 * MIB;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Watched {
  readonly client: ClientConnection;
  readonly socket: Socket;
  /** Counts the listeners of the watch to the end of the connection. */
  readonly listeners: () => number;
}

/**
 * A request, and the watch over its client, which reads nothing yet.
 * @param idle milliseconds without progress after which a client is cut off
 */
async function begin(scheme: 'http' | 'https', idle: number): Promise<Watched> {
  const tls = { cert: tlsText('server'), key: tlsText('server-key') };
  const server = scheme === 'http' ? createHttpServer() : createHttpsServer(tls);
  servers.push(server);
  server.timeout = idle;
  const port = await listenLocally(server);
  const place = { host: '127.0.0.1', port };
  const socket = scheme === 'http' ? connect(place) : tlsConnect({ ...place, ca: tlsText('ca') });
  socket.on('error', () => undefined).pause();
  const asked = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_request, response: ServerResponse) => resolve(response));
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const response = await asked;
  const count = (): number => response.socket?.listenerCount('close') ?? 0;
  const before = count();
  const client = watchClient(response);
  return { client, socket, listeners: () => count() - before };
}

/** Lets the client take some megabytes. */
async function takeSome(socket: Socket): Promise<void> {
  let taken = 0;
  await new Promise<void>((resolve) => {
    const take = (bytes: Uint8Array): void => {
      taken += bytes.length;
      if (taken < 8 * MIB) return;
      socket.off('data', take).pause();
      resolve();
    };
    socket.on('data', take).resume();
  });
}

const fate = async (write: Promise<void>): Promise<string> =>
  write.then(
    () => 'sent',
    (error: unknown) => (error instanceof ClientGone ? error.reason : String(error)),
  );

describe.each(['http', 'https'] as const)('over %s, a client', (scheme) => {
  it('that takes nothing is cut off', async () => {
    const { client } = await begin(scheme, 300);
    const started = performance.now();
    expect(await fate(client.write(Buffer.alloc(SIZE)))).toBe('aborted');
    expect(performance.now() - started).toBeGreaterThan(250);
    client.release();
  });

  it('that takes some now and then is not', async () => {
    const { client, socket } = await begin(scheme, 2000);
    let outcome: string | undefined;
    const send = async (): Promise<void> => {
      for (;;) await client.write(Buffer.alloc(MIB));
    };
    const sending = fate(send()).then((reason) => (outcome = reason));
    for (let round = 0; round < 6; round++) {
      await takeSome(socket);
      await wait(500);
      expect(outcome).toBeUndefined();
    }
    socket.destroy();
    expect(await sending).toBe('client disconnected');
    client.release();
  });

  it('that is no longer watched keeps no listener: its connection may have further requests', async () => {
    const { client, listeners, socket } = await begin(scheme, 10_000);
    expect(listeners()).toBe(1);
    client.release();
    expect(listeners()).toBe(0);
    socket.destroy();
  });

  it('that waits for the service is not', async () => {
    const { client, socket } = await begin(scheme, 200);
    await wait(600);
    expect(await fate(client.write(Buffer.alloc(1000)))).toBe('sent');
    await wait(600);
    expect(await fate(client.end())).toBe('sent');
    client.release();
    socket.destroy();
  });
});
