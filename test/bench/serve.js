// @ts-check
/**
 * How fast `serve` sends images, whether each byte is right, and in how much memory: `npm run build`, then `node
 * test/bench/serve.js [MEBIBYTES [HOSTS]] [--json FILE]`. nginx with the settings of Debian sends the root filesystem and the base ISO
 * as they are, in turns with us, where it is on PATH: first with one process of `serve`, then with one for each core, as nginx
 * has them. All is on this machine, and the clients need the processor, too: look at
 * the seconds per GB. Requires python3.
 */

import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { changedImage, chunksOf, openImage, openLiveIso, planIgnition } from '../../dist/image.js';
import { askPeer, readArguments, writeFigures, writeMissing } from '../interop/figures.js';
import { rounded } from './measure.js';
import {
  bootUrls,
  fetchAll,
  makeImages,
  median,
  MiB,
  serveImages,
  serveOnSharedSocket,
} from './serve/setting.js';

const { json, given } = readArguments();
const [mebibytes = 1126, hosts = 10_000] = given.map(Number);
/** The least median of the ratios to nginx, and the most MiB of the peak. */
const bars = { ratio: 0.9, memory: 180 };
const rounds = 5;
/** Bytes of all streams of a round together: short rounds, so that both see the same load. */
const roundSize = 4096 * MiB;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
const base = join(folder, 'base.iso');
const nginxPort = 18_765;
const sharedPort = 18_766;

/** Ranges that are compared. */
const ranges = 2000;
/** @typedef {import('../interop/serve/startServe.d.ts').ServeProcess} Service */

/** What to end, the last first. @type {(() => unknown)[]} */
const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
try {
  await makeImages(folder, { iso: mebibytes, rootfs: mebibytes });
  const nginx = await startNginx();
  if (nginx !== undefined) cleanups.unshift(nginx.stop);
  console.log(`Node ${process.version}, ${mebibytes} MiB, bars: ${bars.ratio} of nginx, ${bars.memory} MiB`);
  const service = await startService();
  cleanups.unshift(async () => {
    service.signal('SIGTERM');
    await service.ended;
  });
  const cpu = () => service.usage().cpu;
  const ratios = await compareSpeed('', { service, cpu }, nginx);
  printPeak(service);
  await compareRanges(service);
  printPeak(service);
  await compareWholes(service);
  await besideSlowClients(service);
  printPeak(service);
  const peak = Math.round(service.usage().peak);
  ratios.push(...(await compareSharedSocket(nginx)));
  if (nginx === undefined) writeMissing(json, ['nginx']);
  else {
    const peers = [askPeer('nginx', ['nginx', '-v'])];
    writeFigures(json, { peers, unit: 'GB/s', ratios, hosts, peak });
  }
} finally {
  for (const cleanup of cleanups) await cleanup();
}

/** @param {Service} service */
function printPeak({ usage }) {
  const { peak } = usage();
  const verdict = peak > bars.memory ? ' TOO MUCH' : '';
  console.log(`  the service had ${peak.toFixed(0)} MiB at most so far${verdict}`);
}

/** @returns {Promise<Service>} */
async function startService() {
  const start = performance.now();
  const service = await serveImages(folder, hosts);
  const { cpu, peak } = service.usage();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    `${hosts} hosts: ready after ${seconds} s, ${cpu.toFixed(1)} s of the processor, ${peak.toFixed(0)} MiB`,
  );
  return service;
}

/** @typedef {{ cpu: () => number, stop: () => void }} Nginx `cpu` in seconds so far @returns {Promise<Nginx | undefined>} */
async function startNginx() {
  if (spawnSync('nginx', ['-v']).status !== 0) {
    console.log('nginx is not on PATH: nothing to compare with');
    return undefined;
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path "${folder}/${name}";`,
  );
  const config = `daemon off; worker_processes auto; pid "${folder}/pid"; error_log "${folder}/errors";
    ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
    http { access_log off; sendfile on; tcp_nopush on; ${temporary.join(' ')}
    server { listen 127.0.0.1:${nginxPort}; root "${folder}"; } }`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
    stdio: 'ignore',
  });
  await sleep(500);
  if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'errors'), 'utf8'));
  return {
    cpu: () => cpuOfChildren(child.pid),
    stop: () => void child.kill(),
  };
}

/** Seconds. @param {number | undefined} pid */
function cpuOfChildren(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const ticks = children.map((child) => {
    const fields = readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, count) => sum + count, 0) / 100;
}

/** One process for each core. @param {Nginx | undefined} nginx */
async function compareSharedSocket(nginx) {
  const processes = availableParallelism();
  const service = await serveOnSharedSocket(folder, hosts, { processes, port: sharedPort });
  try {
    const cpu = () => cpuOfChildren(service.pid);
    return await compareSpeed(`, ${processes} processes`, { service, cpu }, nginx);
  } finally {
    service.signal('SIGTERM');
    await service.ended;
  }
}

/**
 * @param {string} title behind that of each case
 * @param {{ service: Service, cpu: () => number }} ours
 * @param {Nginx | undefined} nginx
 * @returns {Promise<import('./measure.js').Ratio[]>}
 */
async function compareSpeed(title, { service, cpu }, nginx) {
  const { rootfs } = await bootUrls(service, 'host-1');
  const images = {
    'a root filesystem': { file: 'rootfs', urlOf: () => rootfs },
    'ISOs of different hosts': {
      file: 'base.iso',
      urlOf: (/** @type {number} */ stream) => service.url(`host-${stream % hosts}`, 'iso'),
    },
  };
  const ratios = [];
  for (const [image, { file, urlOf }] of Object.entries(images)) {
    for (const streams of [1, 4, 16, 64]) {
      const ours = { urlOf, cpu };
      const theirs = nginx && { urlOf: () => `http://127.0.0.1:${nginxPort}/${file}`, cpu: nginx.cpu };
      /** @type {Speed[]} */
      const us = [];
      /** @type {Speed[]} */
      const them = [];
      for (let round = 0; round < rounds; round++) {
        us.push(await speedOf(ours, streams));
        if (theirs !== undefined) them.push(await speedOf(theirs, streams));
      }
      const name = `${streams === 1 ? 'one stream' : `${streams} streams`}, ${image}${title}`;
      const ratio = median(them.map(({ rate }, round) => (us[round]?.rate ?? 0) / rate));
      const verdict = ratio < bars.ratio ? ' TOO SLOW' : '';
      console.log(
        `${name}: ${format(us)}${them.length === 0 ? '' : `; nginx ${format(them)}, median of the ratios ${ratio.toFixed(2)}${verdict}`}`,
      );
      const theirRate = median(them.map(({ rate }) => rate));
      ratios.push(rounded({ name, ours: ratio * theirRate, theirs: theirRate }));
    }
  }
  return ratios;
}

/** @typedef {{ urlOf: (stream: number) => string, cpu: () => number }} Measured */

/** @typedef {{ rate: number, cost: number }} Speed GB/s, and seconds of the processor that the server needs for one GB @param {readonly Speed[]} speeds */
function format(speeds) {
  const rate = median(speeds.map((speed) => speed.rate));
  const cost = median(speeds.map((speed) => speed.cost));
  return `${rate.toFixed(2)} GB/s at ${cost.toFixed(2)} s/GB`;
}

/** @param {Measured} server @param {number} streams @returns {Promise<Speed>} */
async function speedOf({ urlOf, cpu }, streams) {
  const before = cpu();
  const machines = Array.from({ length: streams }, (_, stream) => [urlOf(stream)]);
  const { bytes, seconds } = await fetchAll(machines, { limit: Math.floor(roundSize / streams) });
  const gigabytes = bytes / 1e9;
  return { rate: gigabytes / Math.max(...seconds), cost: (cpu() - before) / gigabytes };
}

/** Ranges of as many hosts, half of them where the config is; 32 at a time. @param {Service} service */
async function compareRanges(service) {
  const image = await openImage(base, { cwd: '/' });
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const start = performance.now();
  let [next, bytes] = [0, 0];
  const worker = async () => {
    while (next < ranges) {
      const host = Math.floor((next++ * hosts) / ranges);
      const expected = await expectedImage(service, { image, host, agent });
      const { offset, length } = rangeFor(host, image.size);
      const headers = { Range: `bytes=${offset}-${offset + length - 1}` };
      const body = await fetchBody(service.url(`host-${host}`, 'iso'), { agent, headers });
      if (!body.equals(await expected.read(offset, length)))
        throw new Error(`host ${host}: wrong bytes in ${headers.Range}`);
      bytes += body.length;
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  agent.destroy();
  await image.close();
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${ranges} ranges of as many hosts, ${(bytes / 1e9).toFixed(2)} GB: each byte right, ${seconds.toFixed(1)} s`,
  );
}

/**
 * What the library makes of the config that is served.
 * @param {Service} service
 * @param {{ image: import('../../src/library/image.ts').OpenImage, host: number, agent: Agent }} parts
 */
async function expectedImage(service, { image, host, agent }) {
  const config = await fetchBody(service.url(`host-${host}`, 'ign'), { agent });
  if (!config.includes(`n${host}.example.com`)) throw new Error(`host ${host}: the config of another`);
  const iso = await openLiveIso(image);
  return changedImage(image, await planIgnition(iso, { config, existing: 'replace' }));
}

/** @param {number} host @param {number} size @returns {{ offset: number, length: number }} */
function rangeFor(host, size) {
  const seed = createHash('sha256').update(`range ${host}`).digest();
  const length = 1 + (seed.readUInt32LE(0) % (512 * 1024));
  // The sample is at the start, and has the place for the config.
  return { length, offset: seed.readUIntLE(4, 6) % (host % 4 < 2 ? MiB : size - length) };
}

/** @param {string} url @param {{ agent: Agent, headers?: Record<string, string> }} options @returns {Promise<Buffer>} */
function fetchBody(url, options) {
  return new Promise((resolve, reject) => {
    get(url, options, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Whole images at the same time, by their digests. @param {Service} service */
async function compareWholes(service) {
  const image = await openImage(base, { cwd: '/' });
  const agent = new Agent();
  const some = [2, 3, 5, 7].filter((host) => host < hosts);
  const received = await Promise.all(
    some.map(async (host) => {
      const url = service.url(`host-${host}`, 'iso');
      const { stdout } = await run('sh', ['-c', 'curl -sf "$0" | sha256sum', url]);
      return stdout.slice(0, 64);
    }),
  );
  for (const [index, host] of some.entries()) {
    const expected = await digestOf(await expectedImage(service, { image, host, agent }));
    if (received[index] !== expected) throw new Error(`host ${host}: the whole image is wrong`);
  }
  await image.close();
  console.log(`${some.length} whole images of different hosts at the same time: digests right`);
}

/** @param {import('../../src/library/image.ts').RandomAccess} image */
async function digestOf(image) {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(image, { offset: 0, length: image.size })) hash.update(chunk);
  return hash.digest('hex');
}

/** 256 clients at up to 64 KiB/s, half of them take nothing at all; one fast client beside them. @param {Service} service */
async function besideSlowClients(service) {
  const server = { urlOf: () => service.url('host-1', 'iso'), cpu: () => service.usage().cpu };
  const alone = await speedOf(server, 1);
  const slow = Array.from({ length: 256 }, (_, index) =>
    slowClient(service.url(`host-${index % hosts}`, 'iso'), { reads: index % 2 === 0 }),
  );
  await whenQuiet(service);
  const beside = await speedOf(server, 1);
  for (const stop of slow) stop();
  console.log(`1 stream beside 256 slow clients: ${format([beside])}; alone ${format([alone])}`);
  await sleep(500);
}

/** When the kernel has taken for the slow clients what it takes at once. @param {Service} service */
async function whenQuiet({ usage }) {
  for (let before = usage().cpu; ;) {
    await sleep(1000);
    const now = usage().cpu;
    if (now - before < 0.2) return;
    before = now;
  }
}

/** @param {string} url @param {{ reads: boolean }} client */
function slowClient(url, { reads }) {
  const { hostname, pathname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
  socket.pause();
  const timer = setInterval(() => reads && socket.read(64 * 1024), 1000);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}
