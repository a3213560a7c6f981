/** The address of this machine that another machine can reach: the one from which this machine connects to it. */

import { connect } from 'node:net';

/** Milliseconds. */
const TIME = 10_000;

/**
 * @param url of a server on the other machine
 * @returns an address without brackets; undefined without a connection
 */
export async function localAddressTo({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    timeout: TIME,
  });
  return new Promise((resolve) => {
    const end = (address: string | undefined): void => {
      socket.destroy();
      resolve(address);
    };
    socket.once('connect', () => end(socket.localAddress));
    socket.once('timeout', () => end(undefined));
    socket.once('error', () => end(undefined));
  });
}
