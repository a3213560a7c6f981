// @ts-check
/**
 * How long `render --inventory` takes for many hosts, and how much memory: `npm run build`, then
 * `node test/bench/inventory.js [HOSTS]`. Each host has a bond of two interfaces with a static address, as nmstate describes it.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './measure.js';

const count = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  writeFileSync(join(folder, 'ca.key.pub'), `ssh-ed25519 ${publicKey()} bench\n`);
  writeFileSync(join(folder, 'auth.json'), '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
  writeFileSync(join(folder, 'ramdisk.yaml'), inventory());
  for (const title of ['all written', 'all unchanged']) run(title);
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

function inventory() {
  const hosts = Array.from({ length: count }, (_, index) => host(index));
  return `agent:
  ironic.apiUrls: https://192.0.2.1
  agent.pullSecret: auth.json
  host.sshKeys: [ca.key.pub]
hosts:
${hosts.join('')}`;
}

/** @param {number} index */
function host(index) {
  const octets = [index >> 8, index & 255];
  const mac = octets.map((octet) => octet.toString(16).padStart(2, '0')).join(':');
  return `- name: worker-${index}
  mac: "52:54:00:12:${mac}"
  architecture: x86_64
  network:
    nmstate:
      interfaces:
      - name: bond0
        type: bond
        state: up
        ipv4:
          enabled: true
          dhcp: false
          address:
          - {ip: 10.1.${octets.join('.')}, prefix-length: 16}
        link-aggregation:
          mode: active-backup
          port: [eth0, eth1]
      - {name: eth0, type: ethernet, state: up, mac-address: "52:54:00:12:${mac}"}
      - {name: eth1, type: ethernet, state: up}
      dns-resolver:
        config:
          server: [192.0.2.53]
      routes:
        config:
        - {destination: 0.0.0.0/0, next-hop-address: 10.1.0.1, next-hop-interface: bond0}
`;
}
