// @ts-check
/**
 * How fast images are served, whether each byte is right, and in how much memory: `node test/bench/serve.js [MEBIBYTES
 * [HOSTS]]`. One base image and any number of hosts that have a patch each. nginx sends the same file without patches beside
 * us where it is on PATH. All is on this machine, and the clients need the processor, too: look at the seconds per GB.
 */

import { execFile, fork, spawn, spawnSync } from 'node:child_process';
import { createCipheriv, createHash } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { hostPatch } from './serve/hostPatch.js';

const [mebibytes = 1126, hosts = 10_000] = process.argv.slice(2).map(Number);
const MiB = 1024 * 1024;
/** GB/s of one stream, GB/s of 16, MiB of the peak. */
const bars = { one: 1.5, many: 3, memory: 200 };
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
const base = join(folder, 'base.iso');
const nginxPort = 18_765;

/** @typedef {{ port: number, path: string, cpu: () => Promise<number>, stop: () => void }} Server `cpu` in seconds so far */

try {
  makeNoise();
  const ours = await startOurs();
  const nginx = await startNginx();
  console.log(
    `Node ${process.version}, ${mebibytes} MiB, bars: ${bars.one} and ${bars.many} GB/s, ${bars.memory} MiB`,
  );
  await compareSpeed(ours, nginx);
  nginx?.stop();
  await printPeak(ours);
  await compareRanges(ours);
  await printPeak(ours);
  await compareWholes(ours);
  await besideSlowClients(ours);
  await printPeak(ours);
  ours.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {OurServer} server */
async function printPeak(server) {
  const { peak, lent } = await server.usage();
  const verdict = peak > bars.memory ? ' TOO MUCH' : '';
  console.log(
    `  the server had ${peak.toFixed(0)} MiB at most so far${verdict}; of the chunks ${lent} bytes are lent`,
  );
}

function makeNoise() {
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  const nothing = Buffer.alloc(MiB);
  const file = openSync(base, 'w');
  for (let written = 0; written < mebibytes; written++) writeSync(file, noise.update(nothing));
  closeSync(file);
}

/** @typedef {Server & { usage: () => Promise<{ cpu: number, peak: number, lent: number }> }} OurServer @returns {Promise<OurServer>} */
async function startOurs() {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'serve/overlayServer.js'),
    platform: 'node',
    external: ['undici'],
  });
  await bundle.write({ dir: folder, entryFileNames: 'server.mjs' });
  const child = fork(join(folder, 'server.mjs'), [base]);
  /** @type {() => Promise<any>} */
  const message = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await message();
  const usage = () => {
    const answer = message();
    child.send('usage');
    return answer;
  };
  return {
    port,
    path: '/1.iso',
    usage,
    cpu: async () => (await usage()).cpu,
    stop: () => child.disconnect(),
  };
}

/** @returns {Promise<Server | undefined>} */
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
    http { access_log off; sendfile on; ${temporary.join(' ')}
    server { listen 127.0.0.1:${nginxPort}; root "${folder}"; } }`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
    stdio: 'ignore',
  });
  await sleep(500);
  if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'errors'), 'utf8'));
  return {
    port: nginxPort,
    path: '/base.iso',
    cpu: async () => cpuOfChildren(child.pid),
    stop: () => child.kill(),
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

/** In turns, so that all see the same load. @param {OurServer} ours @param {Server | undefined} nginx */
async function compareSpeed(ours, nginx) {
  const clients = {
    'curl -o /dev/null': curl,
    ...(spawnSync('python3', ['--version']).status === 0 && { 'bytes left with the kernel': discard }),
  };
  for (const [name, client] of Object.entries(clients)) {
    for (const streams of [1, 16]) {
      /** @type {Speed[][]} */
      const speeds = [[], []];
      for (let round = 0; round < 3; round++) {
        for (const [index, server] of [ours, nginx].entries()) {
          if (server !== undefined) speeds[index]?.push(await speedOf(server, { streams, client }));
        }
      }
      const [us, them] = speeds.map(medianSpeed);
      const bar = streams === 1 ? bars.one : bars.many;
      const peer =
        nginx === undefined || them === undefined || us === undefined
          ? ''
          : `; nginx ${format(them)}, ratio ${(us.rate / them.rate).toFixed(2)}`;
      console.log(
        `${String(streams).padStart(2)} streams, ${name}: ${us === undefined ? '' : format(us)}${(us?.rate ?? 0) < bar ? ' TOO SLOW' : ''}${peer}`,
      );
    }
  }
}

/** @typedef {{ rate: number, cost: number }} Speed GB/s, and seconds of the processor that the server needs for one GB @param {Speed} speed */
function format({ rate, cost }) {
  return `${rate.toFixed(2)} GB/s at ${cost.toFixed(2)} s/GB`;
}

/** @param {readonly Speed[]} speeds @returns {Speed} */
function medianSpeed(speeds) {
  return { rate: median(speeds.map(({ rate }) => rate)), cost: median(speeds.map(({ cost }) => cost)) };
}

/** @param {readonly number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** @typedef {(server: Server) => Promise<void>} Client @param {Server} server @param {{ streams: number, client: Client }} load @returns {Promise<Speed>} */
async function speedOf(server, { streams, client }) {
  const before = await server.cpu();
  const start = performance.now();
  await Promise.all(Array.from({ length: streams }, () => client(server)));
  const seconds = (performance.now() - start) / 1000;
  const gigabytes = (streams * mebibytes * MiB) / 1e9;
  return { rate: gigabytes / seconds, cost: ((await server.cpu()) - before) / gigabytes };
}

/** @type {Client} */
async function curl({ port, path }) {
  await run('curl', ['-sf', '-o', '/dev/null', `http://127.0.0.1:${port}${path}`]);
}

/** @type {Client} */
async function discard({ port, path }) {
  const script = join(import.meta.dirname, 'serve/discard.py');
  const { stdout } = await run('python3', [script, '127.0.0.1', String(port), path]);
  if (Number(stdout) < mebibytes * MiB) throw new Error(`only ${stdout.trim()} bytes came`);
}

/** One range of each host, half of them where its patch is; 32 at a time. @param {Server} server */
async function compareRanges(server) {
  const file = openSync(base, 'r');
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const start = performance.now();
  let [next, bytes] = [0, 0];
  const worker = async () => {
    while (next < hosts) {
      const host = next++;
      const range = rangeFor(host);
      const { port } = server;
      const headers = { Range: `bytes=${range.offset}-${range.offset + range.length - 1}` };
      const body = await fetchBody({ port, path: `/${host}.iso`, agent, headers });
      if (!body.equals(expectedBytes(file, host, range)))
        throw new Error(`host ${host}: wrong bytes in ${headers.Range}`);
      bytes += body.length;
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  agent.destroy();
  closeSync(file);
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${hosts} ranges of as many hosts, ${(bytes / 1e9).toFixed(2)} GB: each byte right, ${seconds.toFixed(1)} s`,
  );
}

/** @param {number} host @returns {{ offset: number, length: number }} */
function rangeFor(host) {
  const size = mebibytes * MiB;
  const seed = createHash('sha256').update(`range ${host}`).digest();
  const length = 1 + (seed.readUInt32LE(0) % (512 * 1024));
  const anywhere = seed.readUIntLE(4, 6) % (size - length);
  const nearPatch = hostPatch(host, size).offset - (seed.readUInt32LE(10) % length);
  return { length, offset: host % 2 === 0 ? anywhere : Math.min(Math.max(0, nearPatch), size - length) };
}

/** @param {number} file @param {number} host @param {{ offset: number, length: number }} range */
function expectedBytes(file, host, { offset, length }) {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  const patch = hostPatch(host, mebibytes * MiB);
  const [from, to] = [
    Math.max(offset, patch.offset),
    Math.min(offset + length, patch.offset + patch.data.length),
  ];
  if (from < to) patch.data.copy(bytes, from - offset, from - patch.offset, to - patch.offset);
  return bytes;
}

/** @param {{ port: number, path: string, agent: Agent, headers: Record<string, string> }} request @returns {Promise<Buffer>} */
function fetchBody(request) {
  return new Promise((resolve, reject) => {
    get(request, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', reject);
    }).on('error', reject);
  });
}

/** Whole images at the same time, by their digests. @param {Server} server */
async function compareWholes({ port }) {
  const some = [2, 3, 5, 7];
  const expected = some.map(expectedDigest);
  const received = await Promise.all(
    some.map(async (host) => {
      const { stdout } = await run('sh', ['-c', `curl -sf http://127.0.0.1:${port}/${host}.iso | sha256sum`]);
      return stdout.slice(0, 64);
    }),
  );
  if (received.join() !== expected.join()) throw new Error('a whole image is wrong');
  console.log(`${some.length} whole images of different hosts at the same time: digests right`);
}

/** @param {number} host */
function expectedDigest(host) {
  const file = openSync(base, 'r');
  const hash = createHash('sha256');
  const { size } = statSync(base);
  for (let offset = 0; offset < size; offset += MiB) {
    hash.update(expectedBytes(file, host, { offset, length: Math.min(MiB, size - offset) }));
  }
  closeSync(file);
  return hash.digest('hex');
}

/** 256 clients at up to 64 KiB/s, half of them take nothing at all; one fast client beside them. @param {OurServer} server */
async function besideSlowClients(server) {
  const client = spawnSync('python3', ['--version']).status === 0 ? discard : curl;
  const alone = await speedOf(server, { streams: 1, client });
  const slow = Array.from({ length: 256 }, (_, index) =>
    slowClient(server.port, { host: index, reads: index % 2 === 0 }),
  );
  const { lent } = await whenQuiet(server);
  const beside = await speedOf(server, { streams: 1, client });
  for (const stop of slow) stop();
  console.log(
    `1 stream beside 256 slow clients, which hold ${(lent / MiB).toFixed(1)} MiB: ${format(beside)}; alone ${format(alone)}`,
  );
  await sleep(500);
}

/** When the kernel has taken for the slow clients what it takes at once. @param {OurServer} server */
async function whenQuiet(server) {
  for (let before = await server.usage(); ;) {
    await sleep(1000);
    const now = await server.usage();
    if (now.cpu - before.cpu < 0.2) return now;
    before = now;
  }
}

/** @param {number} port @param {{ host: number, reads: boolean }} client */
function slowClient(port, { host, reads }) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET /${host}.iso HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  socket.pause();
  const timer = setInterval(() => reads && socket.read(64 * 1024), 1000);
  return () => {
    clearInterval(timer);
    socket.destroy();
  };
}
