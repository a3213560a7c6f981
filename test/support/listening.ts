/** Servers of tests, on a port of this machine that is free. */

import { createServer, type Server } from 'node:net';

/** Resolves to its port. */
export async function listenLocally(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen on a port');
  return address.port;
}

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenLocally(server);
  await new Promise((resolve) => void server.close(resolve));
  return port;
}
