/** Limits the number of connections, in total and per client. */

import type { Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerLog } from './serverLog.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** The limit for one address. */
  readonly connectionsPerClient: number;
  /** Whether the command has no options for the limits. */
  readonly areFixed?: boolean;
}

/** Milliseconds between two log events about closed connections: a client may try thousands of times per second. */
const NOTE_INTERVAL = 1000;

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
  let noted = -Infinity;
  let suppressed = 0;
  const note = (client: string, ofClient: number): void => {
    if (performance.now() - noted < NOTE_INTERVAL) {
      suppressed += 1;
      return;
    }
    const isFull = sockets.size >= limits.connections;
    log.note('warning', 'too many connections', {
      client,
      connections: sockets.size,
      ofClient,
      suppressed: suppressed === 0 ? undefined : suppressed,
      hint: limits.areFixed === true ? undefined : hintFor(isFull, limits),
    });
    noted = performance.now();
    suppressed = 0;
  };
  server.on('connection', (socket: Socket) => {
    const client = clientAddress(socket);
    const own = byClient.get(client) ?? 0;
    if (sockets.size >= limits.connections || own >= limits.connectionsPerClient) {
      socket.destroy();
      note(client, own);
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
