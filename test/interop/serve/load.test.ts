/**
 * `serve` under clients that mean no good, or mean well in great numbers: a minute and much of the processor, so only
 * those who ask get it.
 */

import { imageEnv } from '../../support/agentImage.ts';
import { createHash, randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostIso } from '../../../src/image/hostImages.ts';
import { openLiveIso } from '../../../src/image/liveIso.ts';
import { changedImage } from '../../../src/image/imageChange.ts';
import { bytesAccess, overlay } from '../../../src/image/overlay.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { type ServeProcess, startServe } from './startServe.js';

const variable = 'IRONIC_COREOS_LOAD';
const isWanted = process.env[variable] === '1' && process.platform === 'linux';
const note = isWanted ? '' : ` (skipped: ${variable} is not 1, or this is not Linux)`;
/** MiB of resident memory that the service may have at most. */
const MOST_MEMORY = 200;
/** The same after a reload, when the hosts of before and after are there at the same time. */
const MOST_AFTER_RELOAD = 256;
const HOSTS = 10_000;

const folder = mkdtempSync(join(tmpdir(), 'serve load '));
const noise = createHash('shake256', { outputLength: 64 * 1024 * 1024 })
  .update('rootfs')
  .digest();
const iso = liveIsoWith((files) => files.set('images/pxeboot/rootfs.img', noise));
const hosts = Array.from({ length: HOSTS }, (_, index) => {
  const digits = index.toString(16).padStart(4, '0');
  const mac = `52:54:00:00:${digits.slice(0, 2)}:${digits.slice(2)}`;
  return `- {name: worker-${index}, mac: '${mac}', overrides: {host.hostname: n${index}.example.com}}\n`;
});

let service: ServeProcess;

describe.skipIf(!isWanted)(`serve${note}`, () => {
  beforeAll(async () => {
    writeFileSync(join(folder, 'live.iso'), iso);
    const agent = 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts:\n';
    writeFileSync(join(folder, 'inv.yaml'), agent + hosts.join(''));
    const start = performance.now();
    const listen = ['--listen', '127.0.0.1:0'];
    service = await startServe(['--inventory', 'inv.yaml', '--iso', 'live.iso', ...listen], {
      cwd: folder,
      env: imageEnv,
    });
    tell(`${HOSTS} hosts ready after ${((performance.now() - start) / 1000).toFixed(1)} s`);
  });
  afterAll(async () => {
    service.signal('SIGTERM');
    await service.ended;
  });

  it('gives each of two thousand hosts its own bytes', async () => {
    const chosen = Array.from({ length: 2000 }, () => randomInt(HOSTS));
    await inParallel(32, chosen, async (index) => {
      const [config, range] = [await fetchBytes(urlOf(index, 'ign')), randomRange()];
      expect(config.toString()).toContain(`n${index}.example.com`);
      const part = await fetchBytes(urlOf(index, 'iso'), { Range: `bytes=${range.first}-${range.last}` });
      const expected = await libraryIso(config);
      const same = Buffer.from(await expected.read(range.first, part.length)).equals(part);
      expect([index, range, part.length, same]).toEqual([index, range, range.last - range.first + 1, true]);
    });
    expectLittleMemory();
  });

  it('sends an image beside 256 clients that take next to nothing', async () => {
    const url = urlOf(5, 'iso');
    const slow = Array.from({ length: 256 }, (_, index) => stalledClient(urlOf(index, 'iso')));
    await sleep(5000);
    const expected = await wholeIso(await fetchBytes(urlOf(5, 'ign')));
    expect(await fetchBytes(url)).toEqual(expected);
    expectLittleMemory();
    for (const socket of slow) socket.destroy();
  });

  it('goes on under a thousand connections whose requests never end', async () => {
    const url = urlOf(7, 'iso');
    const expected = await wholeIso(await fetchBytes(urlOf(7, 'ign')));
    const running = await open(url);
    const sockets = Array.from({ length: 1000 }, () => neverEndingRequest());
    await sleep(2000);
    const start = performance.now();
    const other = await buffer(await open(url, '127.0.0.2')); // another client, as limits are for each
    tell(`beside them another client gets all in ${(performance.now() - start).toFixed(0)} ms`);
    expect(other).toEqual(expected);
    expect(await buffer(running)).toEqual(expected);
    await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length).toBe(0);
    expect(await fetchBytes(url)).toEqual(expected);
    expectLittleMemory();
  });

  it('reads all hosts anew', async () => {
    const loads = (): number => service.events().filter(({ event }) => event === 'loaded').length;
    service.signal('SIGHUP');
    await service.whenEvent(() => loads() === 2);
    expect(service.events().findLast(({ event }) => event === 'loaded')).toMatchObject({
      hosts: HOSTS,
      invalid: 0,
    });
    expectLittleMemory(MOST_AFTER_RELOAD);
  });
});

afterAll(() => rmSync(folder, { recursive: true }));

function tell(text: string): void {
  console.log(`serve: ${text}; at most ${service.usage().peak.toFixed(0)} MiB so far`);
}

function expectLittleMemory(most = MOST_MEMORY): void {
  const { peak } = service.usage();
  console.log(`serve: at most ${peak.toFixed(0)} MiB so far`);
  expect(peak).toBeLessThan(most);
}

const urlOf = (index: number, artifact: string): string => service.url(`worker-${index}`, artifact);

function open(url: string, localAddress = '127.0.0.1', headers = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, localAddress, headers }, resolve).on('error', reject).end();
  });
}

async function fetchBytes(url: string, headers = {}): Promise<Buffer> {
  return buffer(await open(url, '127.0.0.1', headers));
}

const base = overlay(bytesAccess(iso), []);

/** The image that the library makes of a config. */
async function libraryIso(config: Uint8Array): Promise<typeof base> {
  return changedImage(base, await hostIso(await openLiveIso(base), { config, network: [], kargs: [] }));
}

async function wholeIso(config: Uint8Array): Promise<Uint8Array> {
  return (await libraryIso(config)).read(0, iso.length);
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Half of them at the end, where the config is. */
function randomRange(): Range {
  const area = iso.length - 1024 * 1024;
  const first = randomInt(2) === 0 ? randomInt(iso.length) : randomInt(area, iso.length);
  return { first, last: Math.min(iso.length, first + randomInt(1, 512 * 1024)) - 1 };
}

async function inParallel<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

/** Asks for an image, and takes 4 KiB of it a second. */
function stalledClient(url: string): Socket {
  const { hostname, pathname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).pause();
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  const timer = setInterval(() => socket.read(4096), 1000);
  socket.on('close', () => clearInterval(timer));
  return socket;
}

/** Sends a header a second, and never the empty line. */
function neverEndingRequest(): Socket {
  const { hostname, port } = new URL(urlOf(0, 'iso'));
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).resume();
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
  const timer = setInterval(() => socket.write('X-More: 1\r\n'), 1000);
  socket.on('close', () => clearInterval(timer));
  return socket;
}
