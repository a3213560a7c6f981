/** Servers of tests on this machine. */

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Listens on the port, or a free one, and resolves to it. */
export async function listenLocally(server: Server, wantedPort = 0): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(wantedPort, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen on a port');
  return address.port;
}

/**
 * A port of 127.0.0.1 on which nothing listens. It is below those that the system gives to connections and to servers on port 0,
 * of which one would soon be another test's.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
