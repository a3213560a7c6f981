/** A real proxy for `https:` URLs: connects whoever asks with CONNECT, whatever the host, to one server. */

import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenLocally } from './listening.ts';

export interface ConnectProxy {
  /** `http://user:hunter2@127.0.0.1:PORT` */
  readonly url: string;
  /** What it was asked to connect to: `images.test:443`. */
  readonly targets: readonly string[];
  readonly close: () => Promise<void>;
}

export interface ConnectProxyOptions {
  /** Where all connections go. */
  readonly origin: string;
  /** What it answers instead of connecting. */
  readonly status?: number;
  /** Default: a free port. */
  readonly port?: number;
}

/** It connects only those who send the user name and the password of its URL. */
export async function startConnectProxy({
  origin,
  port: wantedPort = 0,
  status,
}: ConnectProxyOptions): Promise<ConnectProxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const expected = `Basic ${Buffer.from('user:hunter2').toString('base64')}`;
  const server = createServer((_request, response) => void response.writeHead(400).end());
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    targets.push(url);
    client.on('error', () => undefined);
    const answer = headers['proxy-authorization'] === expected ? (status ?? 200) : 407;
    if (answer !== 200) {
      client.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(new URL(origin).port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    for (const socket of [client, upstream]) sockets.add(socket);
  });
  const port = await listenLocally(server, wantedPort);
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://user:hunter2@127.0.0.1:${port}`, targets, close };
}
