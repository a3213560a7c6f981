/** Limits the number of connections, in total and per client. */

import type { Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerLog } from './serverLog.ts';
import { throttleLog } from './throttledLog.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** The limit for one address. */
  readonly connectionsPerClient: number;
  /** Whether the command has no options for the limits. */
  readonly areFixed?: boolean;
}

function hintFor(isFull: boolean, { connections, connectionsPerClient }: ConnectionLimits): string {
  return isFull
    ? `pass a larger number than ${connections} with --max-connections`
    : `if this is a proxy, pass a larger number than ${connectionsPerClient} with --max-per-client`;
}

/**
 * Closes connections above the limits immediately, before the TLS handshake.
 * @returns the open connections
 */
export function limitConnections(
  server: HttpServer,
  limits: ConnectionLimits,
  log: ServerLog,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const byClient = new Map<string, number>();
  const throttled = throttleLog(log);
  server.on('connection', (socket: Socket) => {
    const client = clientAddress(socket);
    const own = byClient.get(client) ?? 0;
    if (sockets.size >= limits.connections || own >= limits.connectionsPerClient) {
      socket.destroy();
      const isFull = sockets.size >= limits.connections;
      const hint = limits.areFixed === true ? undefined : hintFor(isFull, limits);
      const fields = { client, connections: sockets.size, ofClient: own, hint };
      throttled.note('warning', 'too many connections', fields);
      return;
    }
    sockets.add(socket);
    byClient.set(client, own + 1);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (byClient.get(client) ?? 1) - 1;
      if (left === 0) byClient.delete(client);
      else byClient.set(client, left);
    });
  });
  return sockets;
}

/** The client address; IPv4 addresses have the same form on dual-stack sockets. */
export function clientAddress(socket: Duplex): string {
  const { remoteAddress = 'unknown' } = transportOf(socket) ?? {};
  return remoteAddress.replace(/^::ffff:(?=[0-9.]+$)/, '');
}

/**
 * The TCP connection of a TLS socket, which still has the peer address after a failed handshake. Node offers it only as an
 * undocumented property; without the property, the TLS socket itself.
 */
export function transportOf(socket: Duplex): Socket | undefined {
  const below: unknown = Reflect.get(socket, '_parent');
  if (below instanceof Socket) return below;
  return socket instanceof Socket ? socket : undefined;
}
