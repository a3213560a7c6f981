/** The address of this machine that another machine can reach: the one from which this machine connects to it. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { portOf, urlHost } from '../formats/url.ts';

/** Milliseconds. */
const TIME = 10_000;

/**
 * @param url of a server on the other machine
 * @returns an address without brackets; undefined without a connection
 */
export async function localAddressTo(url: URL): Promise<string | undefined> {
  const socket = connect({ host: urlHost(url), port: portOf(url) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIME) });
    return socket.localAddress;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}
