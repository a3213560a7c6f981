// @ts-check
/** What the benchmarks of `serve` serve, and the machines that fetch it. */

import { spawn, spawnSync } from 'node:child_process';
import { createCipheriv } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeSampleIso } from '../../../dist/image.js';
import { startServe } from '../../interop/serve/startServe.js';
import { program } from '../measure.js';

export const MiB = 1024 * 1024;

/**
 * `base.iso`, `kernel`, `initramfs` and `rootfs`: the ISO and the initramfs of the sample of the program, the header of a kernel,
 * and so much noise that the ISO and the archives are as long as real ones.
 * @param {string} folder
 * @param {{ iso: number, rootfs: number, initramfs?: number }} sizes in mebibytes
 */
export async function makeImages(folder, { iso, rootfs, initramfs = 0 }) {
  const sample = join(folder, 'sample.iso');
  writeFileSync(sample, await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) }));
  const { status, stderr } = spawnSync(
    process.execPath,
    [program, 'iso', 'extract', 'pxe', '-o', '.', 'sample.iso'],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  const kernel = Buffer.alloc(4096);
  kernel.write('HdrS', 514); // Documentation/arch/x86/boot.rst
  writeFileSync(join(folder, 'kernel'), kernel);
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16));
  const files = [
    { name: 'base.iso', start: [readFileSync(sample)], mebibytes: iso, end: [] },
    {
      name: 'initramfs',
      start: [readFileSync(join(folder, 'sample-initrd.img')), cpioHeader('noise', initramfs * MiB)],
      mebibytes: initramfs,
      end: [cpioHeader('TRAILER!!!', 0)],
    },
    {
      name: 'rootfs',
      start: [cpioHeader('root.squashfs', rootfs * MiB)],
      mebibytes: rootfs,
      end: [cpioHeader('TRAILER!!!', 0)],
    },
  ];
  for (const { name, start, mebibytes, end } of files) {
    const file = openSync(join(folder, name), 'w');
    for (const bytes of start) writeSync(file, bytes);
    for (let written = 0; written < mebibytes; written++) writeSync(file, noise.update(Buffer.alloc(MiB)));
    for (const bytes of end) writeSync(file, bytes);
    closeSync(file);
  }
}

/**
 * The header and the name of a file in an archive of the kernel (Documentation/driver-api/early-userspace/buffer-format.rst).
 * @param {string} name
 * @param {number} size in bytes
 */
function cpioHeader(name, size) {
  const fields = [1, 0o100644, 0, 0, 1, 0, size, 0, 0, 0, 0, name.length + 1, 0];
  const start = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`;
  return Buffer.from(start.padEnd(Math.ceil(start.length / 4) * 4, '\0'));
}

/**
 * The images of `makeImages` for `hosts` hosts, `host-0` and so on.
 * @param {string} folder
 * @param {number} hosts
 */
export async function serveImages(folder, hosts) {
  return startServe([...servedFiles(folder, hosts), '--listen', '127.0.0.1:0'], { cwd: folder });
}

/**
 * The same by several processes, which share one socket. `pid` is that of their parent.
 * @param {string} folder
 * @param {number} hosts
 * @param {{ processes: number, port: number }} options
 */
export async function serveOnSharedSocket(folder, hosts, { processes, port }) {
  writeFileSync(join(folder, 'key'), 'a key of more than 32 characters for the URLs', { mode: 0o600 });
  const script = join(import.meta.dirname, 'sharedSocket.py');
  return startServe(
    [...servedFiles(folder, hosts), '--key-file', 'key', '--public-url', `http://127.0.0.1:${port}`],
    { cwd: folder, runner: ['python3', script, String(processes), String(port)] },
  );
}

/** @param {string} folder @param {number} hosts */
function servedFiles(folder, hosts) {
  const list = Array.from(
    { length: hosts },
    (_, host) =>
      `- {name: host-${host}, mac: ${macAddress(host)}, overrides: {host.hostname: n${host}.example.com}}\n`,
  );
  const agent = [
    'ironic.apiUrls: https://192.0.2.1',
    'agent.image: registry.example.com/ironic-agent',
    "host.sshKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 core@desk']",
  ];
  writeFileSync(join(folder, 'inv.yaml'), `agent: {${agent.join(', ')}}\nhosts:\n${list.join('')}`);
  const parts = ['--kernel', 'kernel', '--initramfs', 'initramfs', '--rootfs', 'rootfs'];
  const artifacts = ['--artifacts', 'ign,iso,initramfs,ipxe'];
  return ['--inventory', 'inv.yaml', '--iso', 'base.iso', ...parts, ...artifacts];
}

/** @param {number} host */
function macAddress(host) {
  return `52:54:${host.toString(16).padStart(8, '0').match(/../g)?.join(':')}`;
}

/**
 * What the host boots from the network: its boot script, and the files that the script names.
 * @param {import('../../interop/serve/startServe.d.ts').ServeProcess} service
 * @param {string} host
 */
export async function bootUrls({ boot }, host) {
  const script = (boot['ipxe'] ?? '').replace(/boot\.ipxe$/, `ipxe/${host}.ipxe`);
  const source = await (await fetch(script)).text();
  const find = (/** @type {string} */ ending) =>
    new RegExp(String.raw`http:\S+\.${ending}`).exec(source)?.[0];
  const [kernel, initramfs, rootfs] = ['kernel', 'initramfs', 'rootfs'].map(find);
  if (kernel === undefined || rootfs === undefined || initramfs === undefined) {
    throw new Error(`${script} names no kernel, initramfs and root filesystem:\n${source}`);
  }
  return { script, kernel, initramfs, rootfs };
}

/**
 * Runs machines.py.
 * @param {readonly (readonly string[])[]} machines the URLs that each fetches
 * @param {{ limit?: number, crc?: boolean }} [options]
 * @returns {Promise<{ bytes: number, seconds: readonly number[] }>}
 */
export async function fetchAll(machines, { limit = Number.MAX_SAFE_INTEGER, crc = false } = {}) {
  const script = join(import.meta.dirname, 'machines.py');
  const child = spawn('python3', [script, String(limit), ...(crc ? ['crc'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(machines.map((urls) => `${urls.join(' ')}\n`).join(''));
  return JSON.parse(await text(child.stdout));
}

/** @param {readonly number[]} values */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
