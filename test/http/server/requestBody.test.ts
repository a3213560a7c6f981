/** Bodies as they come over sockets, in parts of all sizes. */

import { createServer, type Server } from 'node:http';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { readRequestBody, type RequestBody } from '../../../src/http/server/requestBody.ts';
import { listenLocally } from '../../support/listening.ts';
import { rawClient } from '../../support/serveFixtures.ts';

const LIMIT = 300_000;
const servers = new Set<Server>();

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  }
  servers.clear();
});

interface Fixture {
  readonly port: number;
  readonly bodies: RequestBody[];
}

const kindOf = (body: RequestBody | undefined): string | undefined =>
  body instanceof Uint8Array ? 'whole' : body;

/** Answers each request with the kind of its body, and closes the connection. */
async function start(): Promise<Fixture> {
  const bodies: RequestBody[] = [];
  const server = createServer();
  const take = async (...[request, response]: Parameters<typeof respond>): Promise<void> => {
    const body = await readRequestBody(request, response, LIMIT);
    bodies.push(body);
    response.shouldKeepAlive = false;
    response.end(kindOf(body));
  };
  const respond: NonNullable<Parameters<typeof createServer>[1]> = (request, response) =>
    void take(request, response);
  server.on('request', respond).on('checkContinue', respond);
  servers.add(server);
  return { port: await listenLocally(server), bodies };
}

const head = (...headers: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n');

const chunk = (part: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

describe('readRequestBody', () => {
  it('puts parts of all sizes together', async () => {
    const { port, bodies } = await start();
    const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60_000, size: 'max' }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (sent, isChunked) => {
        const whole = Buffer.concat(sent);
        const client = rawClient(port);
        client.write(head(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${whole.length}`));
        for (const part of sent) client.socket.write(isChunked ? chunk(part) : part);
        if (isChunked) client.write('0\r\n\r\n');
        const answer = await client.ended;
        const expected = whole.length > LIMIT ? 'too-large' : whole;
        expect(bodies.at(-1)).toEqual(expected);
        expect(answer === '' || answer.endsWith(kindOf(expected) ?? '')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['of the limit', LIMIT, 'whole'],
    ['of a byte more', LIMIT + 1, 'too-large'],
    ['of none', 0, 'whole'],
  ])('a body %s', async (_title, size, kind) => {
    const { port, bodies } = await start();
    const client = rawClient(port);
    client.write(head(`Content-Length: ${size}`));
    client.socket.write(Buffer.alloc(size));
    expect(await client.ended).toMatch(new RegExp(`^HTTP/1.1 200 .*${kind}$`, 's'));
    expect(bodies.map(kindOf)).toEqual([kind]);
  });

  it('a client that goes away', async () => {
    const { port, bodies } = await start();
    const client = rawClient(port);
    client.write(head(`Content-Length: ${LIMIT}`));
    client.socket.write(Buffer.alloc(1000), () => client.socket.destroy());
    await expect.poll(() => bodies).toEqual(['cut']);
  });

  it.each([
    ['lets the client send what is within the limit', 5, 'HTTP/1.1 100 Continue'],
    ['does not let it send more', LIMIT + 1, 'HTTP/1.1 200 OK'],
  ])('%s', async (_title, size, start100) => {
    const { port } = await start();
    const client = rawClient(port);
    client.write(head(`Content-Length: ${size}`, 'Expect: 100-continue'));
    const first = await new Promise<Buffer>((resolve) => void client.socket.once('data', resolve));
    expect(first.toString().split('\r\n')[0]).toBe(start100);
    client.socket.end('hello');
    await client.ended;
  });
});
