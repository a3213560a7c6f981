// @ts-check
/** A plain HTTP server for a prepared folder. */

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

/** Listens on a free port of loopback.
 * @param {string} root
 * @returns {Promise<{ readonly port: number, readonly close: () => void }>}
 */
export async function serveFolder(root) {
  const server = createServer((request, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://h').pathname)));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) response.writeHead(404).end();
    else {
      response.writeHead(200, { 'content-length': stats.size });
      createReadStream(path).pipe(response);
    }
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
