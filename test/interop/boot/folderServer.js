// @ts-check
/** A plain HTTP server for a prepared folder. */

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

/** Listens on a free port.
 * @param {string} root
 * @param {readonly string[]} addresses of this machine
 * @returns {Promise<{ readonly port: number, readonly close: () => void }>}
 */
export async function serveFolder(root, addresses = ['127.0.0.1']) {
  let port = 0;
  /** @type {import('node:http').Server[]} */
  const servers = [];
  for (const address of addresses) {
    const server = createServer(answerFrom(root));
    servers.push(server);
    port = await listen(server, address, port);
  }
  return {
    port,
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** @param {string} root @returns {import('node:http').RequestListener} */
function answerFrom(root) {
  return (request, response) => {
    const path = join(root, normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://h').pathname)));
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) response.writeHead(404).end();
    else {
      response.writeHead(200, { 'content-length': stats.size });
      createReadStream(path).pipe(response);
    }
  };
}

/**
 * @param {import('node:http').Server} server
 * @param {string} host
 * @param {number} wanted port; 0 for a free one
 * @returns {Promise<number>}
 */
function listen(server, host, wanted) {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(wanted, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    });
  });
}
