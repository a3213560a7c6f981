// @ts-check
/** Servers of a folder that close each connection after its answer. Each is on a port of this machine. */

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createListener } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/**
 * @typedef {object} Closing
 * @property {string} name
 * @property {string} origin
 * @property {Readonly<Record<string, string>>} env by which the program finds its proxy
 * @property {() => void} stop
 */

/** HTTP/1.0. @param {string} folder @returns {Promise<Closing>} */
export async function startPythonServer(folder) {
  const port = await freePort();
  const args = ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', folder];
  return follow('python3 -m http.server', port, spawn('python3', args, { stdio: 'ignore' }));
}

/** HTTP/1.1 with `Connection: close`. @param {string} folder @param {string} work for its own files @returns {Promise<Closing>} */
export async function startNginx(folder, work) {
  const port = await freePort();
  const config = join(work, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    config,
    `daemon off; master_process off; pid "${work}/nginx.pid"; error_log "${work}/nginx.log";
events {}
http {
  access_log off; sendfile on; keepalive_timeout 0;
  ${temporary.map((name) => `${name}_temp_path "${work}/${name}";`).join(' ')}
  server { listen 127.0.0.1:${port}; root "${folder}"; }
}
`,
  );
  const child = spawn('nginx', ['-c', config, '-e', join(work, 'nginx.log')], { stdio: 'ignore' });
  return follow('nginx, keepalive_timeout 0', port, child);
}

/** A proxy for `http:` URLs, which closes as well. @param {string} origin that all requests go to @returns {Promise<Closing>} */
export async function startClosingProxy(origin) {
  const proxy = createServer(({ url = '', headers }, response) => {
    const { pathname, search, host } = new URL(url);
    const asked = request(new URL(pathname + search, origin), {
      headers: { ...headers, host },
      agent: false,
    });
    asked.on('error', () => response.destroy());
    asked.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'close' });
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    response.on('close', () => asked.destroy());
    asked.end();
  });
  await new Promise((resolve) => void proxy.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    name: 'a proxy that closes',
    origin: 'http://images.test',
    env: { http_proxy: `http://127.0.0.1:${port}` },
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

/** @param {string} name @param {number} port @param {import('node:child_process').ChildProcess} child @returns {Promise<Closing>} */
async function follow(name, port, child) {
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) break;
    const isUp = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (isUp) return { name, origin, env: {}, stop: () => void child.kill() };
    await setTimeout(100);
  }
  child.kill();
  throw new Error(`${name} does not answer`);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const listener = createListener();
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
