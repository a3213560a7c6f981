/** Limits the number of connections, and says which client has one. */

import type { Server as HttpServer } from 'node:http';
import { type DropArgument, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServerLog } from './serverLog.ts';
import { throttleLog } from './throttledLog.ts';

export interface ConnectionLimits {
  readonly connections: number;
  /** Whether the command has no option for the limit. */
  readonly areFixed?: boolean;
}

/**
 * Closes connections above the limit immediately, before the TLS handshake.
 * @returns the open connections
 */
export function limitConnections(
  server: HttpServer,
  { areFixed = false, connections }: ConnectionLimits,
  log: ServerLog,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const throttled = throttleLog(log);
  server.maxConnections = connections;
  server.on('drop', (dropped?: DropArgument) => {
    const hint = areFixed ? undefined : `pass a larger number than ${connections} with --max-connections`;
    const client = addressOf(dropped?.remoteAddress);
    throttled.note('warning', 'too many connections', { client, connections: sockets.size, hint });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    addresses.set(socket, addressOf(socket.remoteAddress));
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** The addresses of clients. Node no longer knows the address of a client that has closed its connection. */
const addresses = new WeakMap<Socket, string>();

/** The client address; IPv4 addresses have the same form on dual-stack sockets. */
export function clientAddress(socket: Duplex): string {
  const transport = transportOf(socket);
  const known = transport === undefined ? undefined : addresses.get(transport);
  return known ?? addressOf(transport?.remoteAddress);
}

function addressOf(remote = 'unknown'): string {
  return remote.replace(/^::ffff:(?=[0-9.]+$)/, '');
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
