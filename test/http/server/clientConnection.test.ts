/** When a client counts as one that takes nothing: by a clock of the test, over real connections. */

import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientConnection, ClientGone, watchClient } from '../../../src/http/server/clientConnection.ts';
import { createFakeClock, type FakeClock } from '../../support/fakeClock.ts';
import { tlsText } from '../../support/serveFixtures.ts';
import { listenLocally } from '../../support/listening.ts';

const SECOND = 1000;
/** Milliseconds without progress after which a client is cut off. */
const IDLE = 8 * SECOND;
/** More than both ends of a connection keep. */
const SIZE = 64 * 1024 * 1024;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

interface Watched {
  readonly clock: FakeClock;
  readonly client: ClientConnection;
  readonly socket: Socket;
  /** Counts the listeners of the watch to the end of the connection. */
  readonly listeners: () => number;
}

/** A request, and the watch over its client, which reads nothing yet. */
async function begin(scheme: 'http' | 'https'): Promise<Watched> {
  const tls = { cert: tlsText('server'), key: tlsText('server-key') };
  const server = scheme === 'http' ? createHttpServer() : createHttpsServer(tls);
  servers.push(server);
  const port = await listenLocally(server);
  const place = { host: '127.0.0.1', port };
  const socket = scheme === 'http' ? connect(place) : tlsConnect({ ...place, ca: tlsText('ca') });
  socket.on('error', () => undefined).pause();
  const asked = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_request, response: ServerResponse) => resolve(response));
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const response = await asked;
  const clock = createFakeClock();
  const count = (): number => response.socket?.listenerCount('close') ?? 0;
  const before = count();
  const client = watchClient(response, IDLE, clock);
  return { clock, client, socket, listeners: () => count() - before };
}

/** Lets the client take some megabytes, and what it makes room for be sent. */
async function takeSome(socket: Socket): Promise<void> {
  let taken = 0;
  await new Promise<void>((resolve) => {
    const take = (bytes: Uint8Array): void => {
      taken += bytes.length;
      if (taken < 8 * 1024 * 1024) return;
      socket.off('data', take).pause();
      resolve();
    };
    socket.on('data', take).resume();
  });
  await quiet();
}

/** Until the kernels have moved what they can: nothing is measured by this. */
const quiet = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 100));

const fate = async (write: Promise<void>): Promise<string> =>
  write.then(
    () => 'sent',
    (error: unknown) => (error instanceof ClientGone ? error.reason : String(error)),
  );

describe.each(['http', 'https'] as const)('over %s, a client', (scheme) => {
  it('that takes nothing is cut off at the end of the time, not at twice the time', async () => {
    const { clock, client } = await begin(scheme);
    let outcome: string | undefined;
    const write = fate(client.write(Buffer.alloc(SIZE))).then((reason) => (outcome = reason));
    await quiet();
    await clock.advance(IDLE - SECOND);
    expect(outcome).toBeUndefined();
    await clock.advance(2 * SECOND);
    expect(await write).toBe('aborted');
    client.release();
    expect(clock.pending).toBe(0);
  });

  it('that takes a part of one write now and then is not', async () => {
    const { clock, client, socket } = await begin(scheme);
    let outcome: string | undefined;
    const write = fate(client.write(Buffer.alloc(SIZE))).then((reason) => (outcome = reason));
    for (let round = 0; round < 5; round++) {
      await takeSome(socket);
      await clock.advance(IDLE - SECOND);
      expect(outcome).toBeUndefined();
    }
    await clock.advance(2 * SECOND);
    expect(await write).toBe('aborted');
    client.release();
  });

  it('that is no longer watched keeps no listener: its connection may have further requests', async () => {
    const { client, listeners, socket } = await begin(scheme);
    expect(listeners()).toBe(1);
    client.release();
    expect(listeners()).toBe(0);
    socket.destroy();
  });

  it('that waits for the service is not', async () => {
    const { clock, client, socket } = await begin(scheme);
    await clock.advance(10 * IDLE);
    const write = fate(client.write(Buffer.alloc(1000)));
    expect(await write).toBe('sent');
    await clock.advance(10 * IDLE);
    expect(await fate(client.end())).toBe('sent');
    client.release();
    socket.destroy();
  });
});
