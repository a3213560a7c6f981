// @ts-check
/**
 * Boots machines from a prepared folder that a plain HTTP server serves: `npm run build`, then
 * `node test/interop/bootFolder.js [--json FILE]`. The firmware of QEMU's network card is iPXE, which gets boot.ipxe from DHCP and finds
 * its host by MAC address; a machine that is not listed comes to the inspection. The system is that of the shared tool
 * `make-boot-iso.sh`, which says which config has arrived and how it was started. Says what is missing otherwise.
 */

import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../dist/cli.cjs';
import { makeBootIso, missingForBoot } from './boot/bootIso.js';
import { serveFolder } from './boot/folderServer.js';
import { askPeer, readArguments, writeFigures, writeMissing } from './figures.js';

/** Until a machine has to have said everything. */
const SECONDS = 240;

const { json } = readArguments();
const missing = missingForBoot();
if (missing.length > 0) {
  console.log(`NOT CHECKED, as there is no ${missing.join(', no ')}`);
  writeMissing(json, missing);
} else process.exitCode = await bootAll();

/** @returns {Promise<number>} exit code */
async function bootAll() {
  const folder = mkdtempSync(join(tmpdir(), 'boot-folder-'));
  const server = await serveFolder(join(folder, 'boot'));
  try {
    makeBootIso(join(folder, 'live.iso'), folder);
    const baseUrl = `http://10.0.2.2:${server.port}`; // what QEMU calls this machine
    await prepare(folder, baseUrl);
    const results = [
      await check(folder, { title: 'a host', mac: '52:54:00:12:34:56', config: 'hosts/worker-0', baseUrl }),
      await check(folder, {
        title: 'another host',
        mac: '52:54:00:12:34:57',
        config: 'hosts/worker-1',
        baseUrl,
      }),
      await check(folder, {
        title: 'an unknown machine',
        mac: '52:54:00:12:34:99',
        config: 'discovery',
        baseUrl,
      }),
    ];
    const right = results.filter(Boolean).length;
    const peer = askPeer('QEMU', ['qemu-system-x86_64', '--version']);
    writeFigures(json, { peer, boots: results.length, right });
    return right === results.length ? 0 : 1;
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} folder @param {string} baseUrl */
async function prepare(folder, baseUrl) {
  const inventory = `agent:
  ironic.apiUrls: https://192.0.2.1
  boot.kernelArguments: [console=ttyS0]
hosts:
- {name: worker-0, mac: '52:54:00:12:34:56'}
- {name: worker-1, mac: '52:54:00:12:34:57', overrides: {boot.ipaParameters: [debug=1]}}
`;
  writeFileSync(join(folder, 'ramdisk.yaml'), inventory);
  const files = ['--inventory', join(folder, 'ramdisk.yaml'), '--iso', join(folder, 'live.iso')];
  const result = ['-o', join(folder, 'boot'), '--base-url', baseUrl, '--artifacts', 'archive,ign,ipxe'];
  const code = await main(['node', 'ironic-coreos', 'prepare', ...files, ...result, '--discovery']);
  if (code !== 0) throw new Error(`prepare ended with ${code}`);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: join(folder, 'boot') });
}

/**
 * @param {string} folder
 * @param {{ title: string, mac: string, config: string, baseUrl: string }} machine
 */
async function check(folder, { title, mac, config, baseUrl }) {
  const expected = createHash('sha256')
    .update(readFileSync(join(folder, 'boot', config, 'config.ign')))
    .digest('hex');
  const lines = await boot(mac, baseUrl);
  const commandLine = lines.find((line) => line.startsWith('BOOT-CMDLINE')) ?? '';
  const hasArrived = lines.some((line) => line.startsWith('BOOT-CONFIG') && line.includes(expected));
  const isStarted =
    commandLine.includes(`coreos.live.rootfs_url=${baseUrl}/images/`) && commandLine.includes('BOOTIF=');
  console.log(`${title}: ${hasArrived && isStarted ? 'ok' : `FAILED\n${lines.join('\n')}`}`);
  return hasArrived && isStarted;
}

/** @param {string} mac @param {string} baseUrl @returns {Promise<string[]>} what the init said */
function boot(mac, baseUrl) {
  const args = [
    ...'-m 1024 -nographic -no-reboot -boot n'.split(' '),
    '-netdev',
    `user,id=net,bootfile=${baseUrl}/boot.ipxe`,
    '-device',
    `virtio-net-pci,netdev=net,mac=${mac}`,
  ];
  return new Promise((resolve, reject) => {
    const options = { timeout: SECONDS * 1000, killSignal: /** @type {const} */ ('SIGKILL') };
    const machine = spawn('qemu-system-x86_64', args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    machine.stdout.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    machine.on('error', reject);
    machine.on('close', () => {
      const lines = text.split(/[\r\n]+/).flatMap((line) => /BOOT-.*/.exec(line)?.[0].trimEnd() ?? []);
      resolve(lines.length > 0 ? lines : [text.slice(-2000)]);
    });
  });
}
