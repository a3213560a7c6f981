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
  server.keepAliveTimeout = 600_000; // which tells the client how long it may keep the connection
  const port = await listenLocally(server);
  await expect(openImage(`http://127.0.0.1:${port}/live.iso`, { cwd: '/' })).rejects.toThrow(message);
  const connections = async (): Promise<number | undefined> =>
    new Promise((resolve) => server?.getConnections((_error, count) => resolve(count)));
  await expect.poll(connections).toBe(0);
});
