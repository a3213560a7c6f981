/** Images at URLs, as their server sees it. */

import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../src/http/client/httpClient.ts';
import { defaultRetries } from '../../src/http/client/retries.ts';
import { chunksOf } from '../../src/image/overlay.ts';
import { openImage } from '../../src/imagefile/imageFile.ts';
import type { OpenImage } from '../../src/imagefile/openImage.ts';
import { openRemoteImage } from '../../src/imagefile/remoteImage.ts';
import { type ImageServer, startImageServer } from '../support/imageServer.ts';
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

describe('a server that does not state the size of the file', () => {
  const content = randomBytes(300_000);
  /** @param whole whether it sends the file to a request without a range */
  const open = async (whole: boolean, said: string[]): Promise<OpenImage> => {
    server = createServer(({ headers: { range } }, response) => {
      if (range === undefined && whole) response.end(content);
      else response.writeHead(206, { 'Content-Range': 'bytes 0-262143/*' }).end(content.subarray(0, 262_144));
    });
    const port = await listenLocally(server);
    const policy = { ...defaultRetries, firstPause: 1, say: (text: string) => void said.push(text) };
    return openRemoteImage(`http://127.0.0.1:${port}/live.iso`, { client: createHttpClient({}), policy });
  };

  it('is asked for the whole file', async () => {
    const said: string[] = [];
    const image = await open(true, said);
    expect(content).toEqual(await image.read(0, image.size));
    expect(said).toEqual([
      expect.stringMatching(
        /live\.iso: the server does not state the size of the file; downloading the whole file \(293 KiB\)$/,
      ),
    ]);
    await image.close();
  });

  it('and sends a part of the file all the same is refused', async () => {
    await expect(open(false, [])).rejects.toThrow('the response is invalid');
  });
});

describe('an image whose server supports ranges', () => {
  const content = randomBytes(5 * 1024 * 1024 + 7);
  const MIB = 1024 * 1024;

  const open = async (): Promise<{ image: OpenImage; images: ImageServer }> => {
    const images = await startImageServer();
    images.files.set('/live.iso', { content });
    const client = createHttpClient({});
    const policy = { ...defaultRetries, firstPause: 1, say: () => undefined };
    return { image: await openRemoteImage(`${images.origin}/live.iso`, { client, policy }), images };
  };

  it('has the same bytes in any order of small and large reads', async () => {
    const { image, images } = await open();
    const place = fc.tuple(fc.nat(content.length), fc.nat(2 * MIB));
    const read = async (offset: number, most: number): Promise<void> => {
      const length = Math.min(most, content.length - offset);
      expect(content.subarray(offset, offset + length)).toEqual(await image.read(offset, length));
    };
    await fc.assert(
      fc.asyncProperty(place, place, async ([first, length], [other, otherLength]) => {
        await read(first, length);
        await Promise.all([read(other, otherLength), read(Math.min(first + length, content.length), MIB)]);
      }),
      { numRuns: 20 },
    );
    await image.close();
    await images.close();
  });

  it('is read from start to end by one request, and by another one where the connection breaks off', async () => {
    const { image, images } = await open();
    images.files.set('/live.iso', { content, faults: [{ kind: 'drop', after: 3 * MIB }] });
    const chunks = [];
    for await (const chunk of chunksOf(image, { offset: 0, length: image.size })) chunks.push(chunk);
    expect(content).toEqual(Buffer.concat(chunks));
    expect(images.requests.map(({ range }) => range).slice(1)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=\d+-5242886$/),
    ]);
    images.files.set('/live.iso', { content, etag: '"2"' });
    await expect(image.checkUnchanged()).rejects.toThrow('File changed on the server');
    await image.close();
    await images.close();
  });
});
