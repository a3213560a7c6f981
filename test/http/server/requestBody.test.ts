/** Bodies as they come over sockets, in parts of all sizes, and the memory that they take. */

import { createServer, type Server } from 'node:http';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createDeferred } from '../../../src/core/deferred.ts';
import {
  BodyMemory,
  readRequestBody,
  type RequestBody,
  sendLastAnswer,
} from '../../../src/http/server/requestBody.ts';
import { listenLocally } from '../../support/listening.ts';
import { rawClient, until } from '../../support/serveFixtures.ts';

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

/** Answers each request with the kind of its body, but not before `ready`. */
async function start(memory: BodyMemory, ready: Promise<void> = Promise.resolve()): Promise<Fixture> {
  const bodies: RequestBody[] = [];
  const server = createServer();
  const take = async (...[request, response]: Parameters<typeof respond>): Promise<void> => {
    const body = await readRequestBody(request, response, LIMIT, memory);
    bodies.push(body);
    await ready;
    await sendLastAnswer(request, response, body.kind);
  };
  const respond: NonNullable<Parameters<typeof createServer>[1]> = (request, response) =>
    void take(request, response);
  server.on('request', respond).on('checkContinue', respond);
  servers.add(server);
  return { port: await listenLocally(server), bodies };
}

/** Counts what is held. */
class CountingMemory extends BodyMemory {
  #held = 0;

  override take(size: number): boolean {
    const isTaken = super.take(size);
    if (isTaken) this.#held += size;
    return isTaken;
  }

  override giveBack(size: number): void {
    this.#held -= size;
    super.giveBack(size);
  }

  held(): number {
    return this.#held;
  }
}

const head = (...headers: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n');

const chunk = (part: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

describe('readRequestBody', () => {
  it('puts parts of all sizes together', async () => {
    const memory = new CountingMemory(10 * LIMIT);
    const { port, bodies } = await start(memory);
    const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60_000, size: 'max' }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(parts, fc.boolean(), async (sent, isChunked) => {
        const whole = Buffer.concat(sent);
        const client = rawClient(port);
        client.write(head(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${whole.length}`));
        for (const part of sent) client.socket.write(isChunked ? chunk(part) : part);
        if (isChunked) client.write('0\r\n\r\n');
        const answer = await client.ended;
        const body = bodies.at(-1) ?? { kind: 'cut' };
        const expected = whole.length > LIMIT ? 'too-large' : 'whole';
        expect(body.kind).toBe(expected);
        await until(() => memory.held() === 0);
        expect(body.kind !== 'whole' || whole.equals(body.bytes)).toBe(true);
        expect(answer === '' || answer.endsWith(expected)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['of the limit', LIMIT, 'whole'],
    ['of a byte more', LIMIT + 1, 'too-large'],
    ['of none', 0, 'whole'],
  ])('a body %s', async (_title, size, kind) => {
    const { port, bodies } = await start(new BodyMemory(10 * LIMIT));
    const client = rawClient(port);
    client.write(head(`Content-Length: ${size}`));
    client.socket.write(Buffer.alloc(size));
    expect(await client.ended).toMatch(new RegExp(`^HTTP/1.1 200 .*${kind}$`, 's'));
    expect(bodies.map((body) => body.kind)).toEqual([kind]);
  });

  it('shares the memory among all', async () => {
    const memory = new CountingMemory(2 * LIMIT);
    const { port, bodies } = await start(memory);
    const clients = Array.from({ length: 4 }, () => rawClient(port));
    for (const client of clients) {
      client.write(head(`Content-Length: ${LIMIT}`));
      client.socket.write(Buffer.alloc(LIMIT - 1));
    }
    await until(() => bodies.length === 2);
    expect(memory.held()).toBe(2 * LIMIT);
    for (const client of clients) client.socket.end('x');
    await Promise.all(clients.map(({ ended }) => ended));
    expect(bodies.map(({ kind }) => kind).toSorted()).toEqual(['no-memory', 'no-memory', 'whole', 'whole']);
    await until(() => memory.held() === 0);
  });

  it('counts what is whole until it is answered', async () => {
    const memory = new CountingMemory(LIMIT);
    const waiting = createDeferred();
    const { port, bodies } = await start(memory, waiting.promise);
    const client = rawClient(port);
    client.write(head(`Content-Length: ${LIMIT}`));
    client.socket.write(Buffer.alloc(LIMIT));
    await until(() => bodies.length === 1);
    expect([bodies[0]?.kind, memory.held()]).toEqual(['whole', LIMIT]);
    waiting.resolve();
    await client.ended;
    await until(() => memory.held() === 0);
  });

  it('gives back what it held for a client that went away', async () => {
    const memory = new CountingMemory(LIMIT);
    const { port, bodies } = await start(memory);
    const client = rawClient(port);
    client.write(head(`Content-Length: ${LIMIT}`));
    client.socket.write(Buffer.alloc(1000));
    await until(() => memory.held() > 0);
    client.socket.destroy();
    await until(() => bodies.length === 1);
    expect([bodies[0]?.kind, memory.held()]).toEqual(['cut', 0]);
  });

  it('leaves the connection open after an answer to a client that still sends, so that it is not lost', async () => {
    const { port } = await start(new BodyMemory(LIMIT));
    const client = rawClient(port);
    client.write(head(`Content-Length: ${10 * LIMIT}`));
    client.socket.write(Buffer.alloc(LIMIT + 1));
    await new Promise((resolve) => void client.socket.once('data', resolve));
    const answered = Date.now();
    expect(await client.ended).toMatch(/too-large$/);
    expect(Date.now() - answered).toBeGreaterThan(500);
  });

  it.each([
    ['lets the client send what is within the limit', 5, 'HTTP/1.1 100 Continue'],
    ['does not let it send more', LIMIT + 1, 'HTTP/1.1 200 OK'],
  ])('%s', async (_title, size, start100) => {
    const { port } = await start(new BodyMemory(LIMIT));
    const client = rawClient(port);
    client.write(head(`Content-Length: ${size}`, 'Expect: 100-continue'));
    const first = await new Promise<Buffer>((resolve) => void client.socket.once('data', resolve));
    expect(first.toString().split('\r\n')[0]).toBe(start100);
    client.socket.end('hello');
    await client.ended;
  });
});
