/** Images at URLs, as their server sees it. */

import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { openImage } from '../../src/imagefile/imageFile.ts';
import { listenLocally } from '../support/listening.ts';

let server: Server | undefined;
afterEach(() => server?.close());

it.each<[string, number, Record<string, string>, RegExp]>([
  ['sends another range', 206, { 'Content-Range': 'bytes 5-9/10' }, /changed on the server/],
  ['does not have the file', 404, {}, /404/],
])('leaves no connection to a server that %s', async (_title, status, headers, message) => {
  server = createServer((_request, response) => void response.writeHead(status, headers).end());
  const port = await listenLocally(server);
  await expect(openImage(`http://127.0.0.1:${port}/live.iso`, { cwd: '/' })).rejects.toThrow(message);
  const connections = async (): Promise<number | undefined> =>
    new Promise((resolve) => server?.getConnections((_error, count) => resolve(count)));
  // Otherwise, the connection would be open for some seconds more.
  await expect.poll(connections, { timeout: 1500 }).toBe(0);
});
