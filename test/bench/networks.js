// @ts-check
/**
 * The cost of networks: `prepare` and `serve` of many hosts with a static network, compared with the same hosts without one, and
 * with one template of their network.
 * Run `npm run build`, then `node test/bench/networks.js [HOSTS [ROUNDS]]`. The network is a bond of two interfaces, in nmstate.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSampleIso } from '../../dist/image.js';
import { startServe } from '../interop/serve/startServe.js';
import { program } from './measure.js';

const [count = 1000, rounds = 3] = process.argv.slice(2).map(Number);
/** The ratio of a run with networks to a run without. */
const bar = 1.3;
const kinds = /** @type {const} */ (['without', 'with']);
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));

/** @typedef {{ seconds: number, mebibytes: number }} Cost */

try {
  writeFileSync(
    join(folder, 'base.iso'),
    await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) }),
  );
  for (const kind of [...kinds, 'template']) writeFileSync(join(folder, `${kind}.yaml`), inventory(kind));
  print('prepare, iso and initramfs', await measure(async (kind) => prepare(kind)));
  const served = await measure(serve);
  print('serve, until each host has fetched initramfs and ISO', served.map(costsOf('fetched')));
  print('serve, until it is ready', served.map(costsOf('ready')));
  const ofTemplate = await measure(async (kind) => prepare(kind), ['with', 'template']);
  print('prepare', ofTemplate, ['with a template', 'with a document for each host']);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @template T @param {(kind: string) => Promise<T>} run @param {readonly string[]} compared @returns {Promise<T[][]>} by kind */
async function measure(run, compared = kinds) {
  /** @type {T[][]} */
  const costs = compared.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, kind] of compared.entries()) costs[index]?.push(await run(kind));
  return costs;
}

/** @param {string} kind @returns {Cost} */
function prepare(kind) {
  const usage = join(folder, 'usage');
  const script =
    `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(usage)},` +
    `JSON.stringify(process.resourceUsage())))`;
  const options = ['--iso', 'base.iso', '--base-url', 'http://10.1.0.9', '--artifacts', 'iso,initramfs'];
  const args = ['prepare', '--inventory', `${kind}.yaml`, ...options, '-o', 'out'];
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: '' },
  });
  if (status !== 0) throw new Error(`prepare ended with ${status}: ${stderr.slice(0, 2000)}`);
  rmSync(join(folder, 'out'), { recursive: true });
  const { maxRSS, systemCPUTime, userCPUTime } = JSON.parse(
    process.getBuiltinModule('node:fs').readFileSync(usage, 'utf8'),
  );
  return { seconds: (systemCPUTime + userCPUTime) / 1e6, mebibytes: maxRSS / 1024 };
}

/** @typedef {{ ready: Cost, fetched: Cost }} Served */

/** @param {string} kind @returns {Promise<Served>} */
async function serve(kind) {
  const args = ['--inventory', `${kind}.yaml`, '--iso', 'base.iso', '--listen', '127.0.0.1:0', '--open'];
  const service = await startServe(args, { cwd: folder });
  const ready = costOf(service);
  for (const { urls } of service.hosts)
    for (const url of [urls['initramfs'], urls['iso']]) if (url !== undefined) await fetchAll(url);
  const fetched = costOf(service);
  service.signal('SIGTERM');
  await service.ended;
  return { ready, fetched };
}

/** @param {string} url */
async function fetchAll(url) {
  const { body, status } = await fetch(url);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  await body?.pipeTo(new WritableStream());
}

/** @param {import('../interop/serve/startServe.js').ServeProcess} service @returns {Cost} */
function costOf(service) {
  const { cpu, peak } = service.usage();
  return { seconds: cpu, mebibytes: peak };
}

/** @param {keyof Served} part @returns {(runs: Served[]) => Cost[]} */
function costsOf(part) {
  return (runs) => runs.map((run) => run[part]);
}

/** @param {string} title @param {Cost[][]} costs @param {readonly string[]} names of the second and the first */
function print(title, [without = [], with_ = []], names = ['with networks', 'without']) {
  for (const [unit, name] of /** @type {const} */ ([
    ['seconds', 's of CPU time'],
    ['mebibytes', 'MiB'],
  ])) {
    const [before, after] = [
      median(without.map((cost) => cost[unit])),
      median(with_.map((cost) => cost[unit])),
    ];
    const ratio = after / before;
    console.log(
      `${count} hosts, ${title}: ${after.toFixed(1)} ${name} ${names[0]}, ${before.toFixed(1)} ${names[1]}, ` +
        `ratio ${ratio.toFixed(2)}${ratio > bar ? ` ABOVE ${bar}` : ''}`,
    );
  }
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {string} kind */
function inventory(kind) {
  /** @param {string} mac @param {string} address */
  const networkOf = (mac, address) => {
    if (kind === 'template') return `  network: {values: {address: ${address}}}\n`;
    return kind === 'with' ? network(mac, address) : '';
  };
  const hosts = Array.from({ length: count }, (_, index) => {
    const octets = [index >> 8, index & 255];
    const mac = `52:54:00:12:${octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':')}`;
    return `- name: worker-${index}\n  mac: "${mac}"\n${networkOf(mac, `10.1.${octets.join('.')}`)}`;
  });
  const template =
    kind === 'template'
      ? network('{mac}', '{address}').replaceAll(/^ {2}/gm, '').replace('network', 'networkTemplate')
      : '';
  return `agent:\n  ironic.apiUrls: https://10.1.0.9\n  agent.image: registry.example.com/ironic-agent\n${template}hosts:\n${hosts.join('')}`;
}

/** @param {string} mac @param {string} address */
function network(mac, address) {
  return `  network:
    nmstate:
      interfaces:
      - name: bond0
        type: bond
        state: up
        ipv4: {enabled: true, dhcp: false, address: [{ip: "${address}", prefix-length: 16}]}
        link-aggregation: {mode: active-backup, port: [eth0, eth1]}
      - {name: eth0, type: ethernet, state: up, mac-address: "${mac}"}
      - {name: eth1, type: ethernet, state: up}
      routes:
        config: [{destination: 0.0.0.0/0, next-hop-address: 10.1.0.1, next-hop-interface: bond0}]
`;
}
