import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ByteRange, readerOf } from '../../../src/image/overlay.ts';
import { type BlockPool, createBlockPool } from '../../../src/http/server/blockPool.ts';
import { sendBody, type Sending } from '../../../src/http/server/sendBody.ts';
import { ClientGone } from '../../../src/http/server/clientConnection.ts';
import { listenLocally } from '../../support/listening.ts';

const MiB = 1024 * 1024;
const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const close of cleanUp.splice(0)) close();
});

/** Repeats itself, but not with chunks of any size. */
const noise = randomBytes(65_521);
const pattern = readerOf(1024 * MiB, async (target, offset) => {
  let filled = 0;
  while (filled < target.length) {
    filled += noise.copy(target, filled, (offset + filled) % noise.length);
  }
});
/** How the last response went, and what was told of it. */
interface Served {
  readonly port: number;
  readonly blocks: BlockPool;
  readonly sent: ByteRange[];
  /** One for each response, in the order of the requests: `done`, or what was thrown. */
  readonly outcomes: Promise<unknown>[];
  readonly responses: ServerResponse[];
}

type Options = Partial<Pick<Sending, 'source' | 'blocks'>> & {
  readonly range: ByteRange;
  readonly idleTime?: number;
};

async function serve({
  range,
  source = pattern,
  blocks = createBlockPool(),
  idleTime = 30_000,
}: Options): Promise<Served> {
  const served = {
    blocks,
    sent: [] as ByteRange[],
    outcomes: [] as Promise<unknown>[],
    responses: [] as ServerResponse[],
  };
  const server = createServer((_request: IncomingMessage, response) => {
    response.writeHead(200, { 'Content-Length': range.length });
    const sent = (stretch: ByteRange): unknown => served.sent.push(stretch);
    const sending = sendBody({ response, source, range, blocks, sent });
    served.responses.push(response);
    served.outcomes.push(
      sending.then(
        () => 'done',
        (error: unknown) => error,
      ),
    );
  });
  server.timeout = idleTime;
  const port = await listenLocally(server);
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port, ...served };
}

function clientOf({ port }: Served): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  cleanUp.push(() => socket.destroy());
  return socket;
}

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** The body of the only response on a connection, read at most `pace.bytes` every `pace.every` ms. */
async function fetchBody(served: Served, pace?: { bytes: number; every: number }): Promise<Buffer> {
  const socket = clientOf(served);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if (pace !== undefined) await sleep((pace.every * chunk.length) / pace.bytes);
  }
  const all = Buffer.concat(chunks);
  return all.subarray(all.indexOf('\r\n\r\n') + 4);
}

async function expectPattern(body: Buffer, { offset, length }: ByteRange): Promise<void> {
  const expected = Buffer.alloc(length);
  await pattern.readInto(expected, offset);
  expect(body).toHaveLength(length);
  expect(body).toEqual(expected);
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition() && tries < 1000; tries++) await sleep(5);
  expect(condition()).toBe(true);
}

describe('sendBody', () => {
  it.each([
    [0, 1],
    [3, 64 * 1024],
    [5, 64 * 1024 + 1],
    [7, 30 * MiB + 11],
  ])('sends, from %i on, %i bytes and tells of all of them', async (offset, length) => {
    const served = await serve({ range: { offset: offset, length: length } });
    await expectPattern(await fetchBody(served), { offset, length });
    expect(await served.outcomes[0]).toBe('done');
    let end = offset;
    for (const stretch of served.sent) {
      expect(stretch.offset).toBe(end);
      end += stretch.length;
    }
    expect(end).toBe(offset + length);
    expect(served.blocks.borrowed).toBe(0);
  });

  it('sends the same to many clients of different pace, in little memory', async () => {
    const range = { offset: 1, length: 3 * MiB };
    const served = await serve({ range, blocks: createBlockPool(4) });
    const paces = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0 ? undefined : { bytes: MiB, every: index * 16 },
    );
    const bodies = await Promise.all(paces.map((pace) => fetchBody(served, pace)));
    for (const body of bodies) await expectPattern(body, { offset: 1, length: 3 * MiB });
    expect(served.blocks.borrowed).toBe(0);
  });

  it('keeps the connection for the next request', async () => {
    const served = await serve({ range: { offset: 0, length: 100 } });
    const socket = clientOf(served);
    let taken = 0;
    socket.on('data', (chunk: Buffer) => (taken += chunk.length));
    socket.write(request);
    await until(() => taken > 100);
    await served.outcomes[0];
    expect(served.responses[0]?.req.socket.listenerCount('close')).toBeLessThan(5);
    const first = taken;
    socket.write(request);
    await until(() => taken === 2 * first);
    expect(await Promise.all(served.outcomes)).toEqual(['done', 'done']);
  });

  it('begins with a response only when it is its turn', async () => {
    const served = await serve({ range: { offset: 0, length: 40 * MiB } });
    const socket = clientOf(served);
    socket.pause();
    socket.write(request.repeat(50));
    await until(() => served.outcomes.length > 20 && served.blocks.borrowed > 0);
    await sleep(50);
    expect(served.blocks.borrowed).toBeLessThanOrEqual(512 * 1024);
    socket.destroy();
    const outcomes = await Promise.all(served.outcomes);
    expect(outcomes.every((outcome) => outcome instanceof ClientGone)).toBe(true);
    expect(served.blocks.borrowed).toBe(0);
  });
});

describe('many clients that take nothing', () => {
  it('hold little memory', async () => {
    const served = await serve({ range: { offset: 0, length: 8 * MiB } });
    for (let count = 0; count < 200; count++) clientOf(served).pause().write(request);
    await until(() => served.outcomes.length === 200);
    expect(served.blocks.borrowed).toBeLessThanOrEqual(200 * 32 * 1024);
  });
});

describe('a client', () => {
  it('that goes away costs nothing any more', async () => {
    let reads = 0;
    const source = readerOf(1024 * MiB, async (target, offset) => {
      reads++;
      return pattern.readInto(target, offset);
    });
    const served = await serve({ range: { offset: 0, length: 1024 * MiB }, source });
    const socket = clientOf(served);
    socket.write(request);
    socket.once('data', () => socket.pause());
    await until(() => reads > 3);
    socket.destroy();
    const outcome = await served.outcomes[0];
    expect(outcome).toMatchObject({ reason: 'client disconnected' });
    expect(served.blocks.borrowed).toBe(0);
    const readsSoFar = reads;
    await sleep(30);
    expect(reads).toBe(readsSoFar);
  });

  it('that goes away while its bytes are read is noticed when they have come', async () => {
    const arrival = new EventEmitter();
    let isReading = false;
    const source = readerOf(1024 * MiB, async () => {
      if (!isReading) {
        isReading = true;
        await once(arrival, 'bytes');
      }
    });
    const served = await serve({ range: { offset: 0, length: MiB }, source });
    const socket = clientOf(served);
    socket.write(request);
    await until(() => isReading);
    socket.destroy();
    await until(() => served.responses[0]?.req.socket.destroyed === true);
    expect(served.blocks.borrowed).toBeGreaterThan(0); // is still being written into
    arrival.emit('bytes');
    expect(await served.outcomes[0]).toMatchObject({ reason: 'client disconnected' });
    expect(served.blocks.borrowed).toBe(0);
  });

  it('that takes nothing is cut off', async () => {
    const served = await serve({ range: { offset: 0, length: 1024 * MiB }, idleTime: 200 });
    const socket = clientOf(served);
    socket.write(request);
    socket.pause();
    await until(() => served.outcomes.length === 1);
    expect(await served.outcomes[0]).toMatchObject({ reason: 'aborted' });
    expect(served.blocks.borrowed).toBe(0);
  });

  it('does not wait for others that take nothing', async () => {
    const served = await serve({ range: { offset: 0, length: 8 * MiB }, blocks: createBlockPool(16) });
    for (let count = 0; count < 32; count++) clientOf(served).pause().write(request);
    await until(() => served.outcomes.length === 32);
    await sleep(200);
    await expectPattern(await fetchBody(served), { offset: 0, length: 8 * MiB });
    expect(served.blocks.borrowed).toBeLessThan(6 * MiB);
  });
});

describe('a source that fails', () => {
  it.each([
    ['at once', 0],
    ['later', 2 * MiB],
  ])('%s: the client gets less than it was told, and whoever sends the error', async (_title, failing) => {
    const lost = new Error('lost');
    const source = readerOf(1024 * MiB, async (target, offset) => {
      if (offset + target.length > failing) throw lost;
      return pattern.readInto(target, offset);
    });
    const served = await serve({ range: { offset: 0, length: 4 * MiB }, source });
    const body = await fetchBody(served).catch(() => Buffer.alloc(0));
    expect(body.length).toBeLessThan(4 * MiB);
    expect(await served.outcomes[0]).toBe(lost);
    expect(served.blocks.borrowed).toBe(0);
  });
});
