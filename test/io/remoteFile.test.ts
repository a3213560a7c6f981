/** Files on HTTP servers that behave, and on those that do not. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRemote, openRemoteFile } from '../../src/io/remoteFile.ts';

const bytes = Buffer.alloc(200_000).map((_, index) => index % 251);
const expected = { what: 'Image', maxBytes: 100_000 };

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = urlOf(server);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function urlOf(listening: Server): string {
  const place = listening.address();
  return `http://127.0.0.1:${typeof place === 'object' ? place?.port : ''}`;
}

let count = 0;

function answer({ url: asked = '', headers }: IncomingMessage, response: ServerResponse): void {
  const url = asked.replace(/\?.*$/, '');
  const [, start = 0, end = 0] = (/^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []).map(Number);
  const part = bytes.subarray(start, end + 1);
  const range = `bytes ${start}-${start + part.length - 1}/${bytes.length}`;
  count += 1;
  if (url === '/silent') return;
  if (url === '/whole') response.end(bytes.subarray(0, 10));
  else if (url === '/large') response.end(bytes);
  else if (url === '/empty') response.writeHead(416).end();
  else if (url === '/broken')
    response.writeHead(200, { 'content-length': '10' }).end('x', () => response.destroy());
  else if (url === '/circle') response.writeHead(302, { location: '/circle' }).end();
  else if (url === '/changed')
    response.writeHead(206, { 'content-range': range, etag: `"${count}"` }).end(part);
  else if (url === '/unnamed') response.writeHead(206).end(part);
  else if (url === '/shorter') response.writeHead(206, { 'content-range': range }).end(part.subarray(1));
  else if (url === '/error') response.writeHead(500).end('hunter2');
  else response.writeHead(206, { 'content-range': range }).end(part);
}

describe('openRemoteFile', () => {
  it('reads parts', async () => {
    const file = await openRemoteFile(`${address}/ranges?token=hunter2`, expected);
    expect(file).toMatchObject({ size: bytes.length, name: `${address}/ranges` });
    expect(Buffer.from(await file.read(10, 20))).toEqual(bytes.subarray(10, 30));
    expect(Buffer.from(await file.read(150_000, 50_000))).toEqual(bytes.subarray(150_000));
    await expect(file.read(199_999, 2)).rejects.toThrow('not within');
  });

  it('reads all where there are no parts', async () => {
    const file = await openRemoteFile(`${address}/whole`, expected);
    expect(Buffer.from(await file.read(0, file.size))).toEqual(bytes.subarray(0, 10));
  });

  it('reads what is empty', async () => {
    expect(await openRemoteFile(`${address}/empty`, expected)).toMatchObject({ size: 0 });
  });

  it.each([
    ['large', 'too large: more than 100000 bytes'],
    ['broken', 'the connection broke off'],
    ['circle', 'cannot be read'],
    ['error', 'the server answers with 500'],
    ['unnamed', 'the server answers wrongly'],
  ])('gives up: %s', async (path, message) => {
    await expect(openRemoteFile(`${address}/${path}?hunter2`, expected)).rejects.toThrow(message);
  });

  it.each(['changed', 'shorter'])('notices a file that is another: %s', async (path) => {
    const opened = openRemoteFile(`${address}/${path}`, expected).then((file) => file.read(100_000, 10));
    await expect(opened).rejects.toThrow('changed while it was read');
  });

  it('does not wait for ever', async () => {
    await expect(openRemoteFile(`${address}/silent`, expected, 50)).rejects.toThrow('does not answer');
  });

  it('says that nothing listens', async () => {
    const closed = createServer(answer);
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const url = urlOf(closed);
    await new Promise((resolve) => closed.close(resolve));
    await expect(openRemoteFile(url, expected)).rejects.toThrow('nothing listens there');
  });

  it.each(['http://[', 'http://%zz:hunter2@h/'])('refuses %s', async (url) => {
    await expect(openRemoteFile(url, expected)).rejects.toThrow('the URL cannot be read');
  });
});

describe('isRemote', () => {
  it.each([
    ['http://h/x', true],
    ['HTTPS://h/x', true],
    ['http', false],
    ['./http://x', false],
    ['file:///x', false],
  ])('%s: %s', (text, isUrl) => {
    expect(isRemote(text)).toBe(isUrl);
  });
});
