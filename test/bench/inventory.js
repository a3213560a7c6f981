// @ts-check
/**
 * How long `render --inventory` takes for many hosts, and how much memory: `npm run build`, then
 * `node test/bench/inventory.js [HOSTS [nmstate | keyfiles]]`. Each host has a bond of two interfaces with a static
 * address, as nmstate describes it or as keyfiles that stand in the inventory; without a choice both are measured.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './measure.js';

const networks = { nmstate, keyfiles };

const count = Number(process.argv[2] ?? 10_000);
const choice = process.argv[3];
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  writeFileSync(join(folder, 'ca.key.pub'), `ssh-ed25519 ${publicKey()} bench\n`);
  writeFileSync(join(folder, 'auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
  for (const [title, network] of Object.entries(networks)) {
    if (choice !== undefined && choice !== title) continue;
    writeFileSync(join(folder, 'ramdisk.yaml'), inventory(network));
    for (const outcome of ['all written', 'all unchanged']) run(`${title}, ${outcome}`);
    rmSync(join(folder, 'configs'), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} title */
function run(title) {
  const report = join(folder, 'usage');
  const script = [
    `process.on('exit', () => process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(report)},`,
    `String(process.resourceUsage().maxRSS)))`,
  ].join(' ');
  const preload = `data:text/javascript,${encodeURIComponent(script)}`;
  const args = ['--import', preload, program, 'render', '--inventory', 'ramdisk.yaml', '-o', 'configs'];
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: '' },
  });
  const seconds = (performance.now() - start) / 1000;
  if (status !== 0) throw new Error(`render ended with ${status}: ${stderr.slice(0, 2000)}`);
  const mebibytes = Math.round(Number(readReport(report)) / 1024);
  console.log(`${count} hosts, ${title}: ${seconds.toFixed(1)} s, ${mebibytes} MiB at most`);
}

/** @param {string} path */
function readReport(path) {
  return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
}

function publicKey() {
  const name = Buffer.from('ssh-ed25519');
  const lengths = [Buffer.from([0, 0, 0, name.length]), Buffer.from([0, 0, 0, 32])];
  return Buffer.concat([lengths[0] ?? name, name, lengths[1] ?? name, Buffer.alloc(32, 7)]).toString(
    'base64',
  );
}

/** @typedef {{ mac: string, address: string }} Addresses */

/** @param {(host: Addresses) => string} network */
function inventory(network) {
  const hosts = Array.from({ length: count }, (_, index) => host(index, network));
  return `agent:
  ironic.apiUrls: https://192.0.2.1
  agent.image: registry.example.com/ironic-agent
  agent.pullSecret: auth.json
  host.sshKeys: [ca.key.pub]
hosts:
${hosts.join('')}`;
}

/** @param {number} index @param {(host: Addresses) => string} network */
function host(index, network) {
  const octets = [index >> 8, index & 255];
  const mac = `52:54:00:12:${octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':')}`;
  return `- name: worker-${index}
  mac: "${mac}"
  architecture: x86_64
  network:
${network({ mac, address: `10.1.${octets.join('.')}` })}`;
}

/** @param {Addresses} host */
function nmstate({ mac, address }) {
  return `    nmstate:
      interfaces:
      - name: bond0
        type: bond
        state: up
        ipv4:
          enabled: true
          dhcp: false
          address:
          - {ip: ${address}, prefix-length: 16}
        link-aggregation:
          mode: active-backup
          port: [eth0, eth1]
      - {name: eth0, type: ethernet, state: up, mac-address: "${mac}"}
      - {name: eth1, type: ethernet, state: up}
      dns-resolver:
        config:
          server: [192.0.2.53]
      routes:
        config:
        - {destination: 0.0.0.0/0, next-hop-address: 10.1.0.1, next-hop-interface: bond0}
`;
}

/** @param {Addresses} host */
function keyfiles({ mac, address }) {
  return `    keyfiles:
      bond0.nmconnection: |
        [connection]
        id=bond0
        type=bond
        interface-name=bond0
        [bond]
        mode=active-backup
        [ipv4]
        method=manual
        address1=${address}/16,10.1.0.1
        dns=192.0.2.53;
${port('eth0', mac)}${port('eth1')}`;
}

/** @param {string} name @param {string} [mac] */
function port(name, mac) {
  return `      ${name}.nmconnection: |
        [connection]
        id=${name}
        type=ethernet
        interface-name=${name}
        master=bond0
        slave-type=bond
        [ethernet]
        ${mac === undefined ? 'wake-on-lan=0' : `mac-address=${mac}`}
`;
}
