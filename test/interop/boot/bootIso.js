// @ts-check
/**
 * A live ISO that boots in seconds: the shared tool `make-boot-iso.sh` makes it, with the init of this folder in place of its
 * own, and with the kernel modules that mounting the ISO takes.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { findFile } from '../../oracles/find.js';

const tool = resolve(import.meta.dirname, '../../../../shared/tools/make-boot-iso.sh');
const modules = '/lib/modules';

/** Drivers for a CD and for a disk, and the filesystem. */
const drivers = ['ata_piix', 'sr_mod', 'virtio_pci', 'virtio_blk', 'isofs'];

/**
 * @typedef {object} GuestSystem what runs in the machine
 * @property {Readonly<Record<string, string>>} programs files of this folder, by their name in the initramfs
 * @property {readonly string[]} drivers
 * @property {readonly string[]} [files] files and folders of this machine, which are copied with the libraries of the programs
 */

/** Says what has arrived. @type {GuestSystem} */
const teller = { programs: { init: 'init', 'root-init': 'root-init' }, drivers };

/** Calls Ironic as ironic-python-agent does. @type {GuestSystem} */
export const agentSystem = { programs: { init: 'agent-init' }, drivers: ['virtio_pci', 'virtio_net'] };

/** Brings its network up with NetworkManager and fetches its root filesystem. @type {GuestSystem} */
export const staticSystem = {
  programs: { init: 'static-init' },
  drivers: ['virtio_pci', 'virtio_net', 'bonding', '8021q', 'ata_piix', 'sr_mod', 'isofs'],
  files: [
    '/usr/sbin/NetworkManager',
    '/usr/lib/NetworkManager/nm-initrd-generator',
    '/usr/lib/systemd/systemd-udevd',
    '/usr/bin/udevadm',
    '/usr/bin/curl',
    '/usr/lib/udev/rules.d/50-udev-default.rules',
    '/usr/lib/udev/rules.d/75-net-description.rules',
    '/usr/lib/udev/rules.d/80-net-setup-link.rules',
    '/usr/lib/systemd/network/99-default.link',
  ],
};

/** The peer of machines without DHCP. @type {GuestSystem} */
export const peerSystem = {
  programs: { init: 'peer-init' },
  drivers: ['virtio_pci', 'virtio_net', '8021q'],
};

/**
 * @param {string} path of the new ISO
 * @param {string} workFolder
 * @param {GuestSystem} system
 */
export function makeBootIso(path, workFolder, system = teller) {
  const added = join(workFolder, 'initramfs');
  fillInitramfs(added, system);
  runTool(path, { added });
}

/**
 * Makes a live ISO from which minimal ISOs can be extracted: a minimal ISO of the same files is packed into it.
 * @param {string} path of the new ISO
 * @param {string} workFolder
 * @param {GuestSystem} system
 */
export function makePackedIso(path, workFolder, system) {
  const added = join(workFolder, 'initramfs');
  const minimal = join(workFolder, 'minimal.iso');
  fillInitramfs(added, system);
  runTool(path, { added, minimal });
  const pack = ['pack', 'minimal-iso', '--consume', path, minimal];
  execFileSync(findFile('coreos-installer') ?? 'coreos-installer', pack, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/**
 * Runs the shared tool, changed: the initramfs gets the added files, and a second ISO is written without root filesystem.
 * @param {string} path of the new ISO
 * @param {{ added: string, minimal?: string }} folders
 */
function runTool(path, { added, minimal }) {
  const script = readFileSync(tool, 'utf8')
    .replace(/^cat > rd\/init <<'INIT'\n[^]*?\nINIT\n/m, () => 'cp -r "$BOOT_INITRAMFS"/. rd/\n')
    .replace(/^xorriso [^]*$/m, (command) =>
      minimal === undefined
        ? command
        : `truncate -s 64K iso/coreos/miniso.dat\n${command}
rm iso/coreos/miniso.dat iso/images/pxeboot/rootfs.img\nout=$BOOT_MINIMAL\n${command}`,
    );
  if (!script.includes('$BOOT_INITRAMFS')) throw new Error(`${tool} has no init to replace`);
  const env = { ...process.env, BOOT_INITRAMFS: added, BOOT_MINIMAL: minimal };
  execFileSync('bash', ['-c', script, 'make-boot-iso.sh', path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** An initramfs of a system with busybox, which is not part of an ISO.
 * @param {string} path of the new file
 * @param {string} workFolder
 * @param {GuestSystem} system
 */
export function makeInitramfs(path, workFolder, system) {
  fillInitramfs(workFolder, system);
  copyInto(workFolder, '/usr/bin/busybox', '/bin/busybox');
  for (const name of ['dev', 'proc', 'sys']) mkdirSync(join(workFolder, name), { recursive: true });
  execFileSync('sh', ['-c', 'find . | cpio -o -H newc --quiet | gzip -1 >"$0"', path], { cwd: workFolder });
}

/** @returns {string} the kernel of the systems */
export function kernelFile() {
  return `/boot/vmlinuz-${cloudKernel()}`;
}

/** @param {string} folder @param {GuestSystem} system */
function fillInitramfs(folder, system) {
  mkdirSync(join(folder, 'modules'), { recursive: true });
  for (const [name, source] of Object.entries(system.programs)) {
    copyFileSync(join(import.meta.dirname, source), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
  addModules(join(folder, 'modules'), system);
  for (const path of system.files ?? []) {
    copyInto(folder, path);
    for (const library of librariesOf(path)) copyInto(folder, library);
  }
}

/** @param {string} folder @param {string} path of this machine @param {string} name in the folder */
function copyInto(folder, path, name = path) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  cpSync(path, join(folder, name), { recursive: true, dereference: true });
}

/** By ldd, which fails for files that are not dynamically linked programs. @param {string} path */
function librariesOf(path) {
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library);
}

/** @param {string} folder that gets the modules and the order to load them in @param {GuestSystem} system */
function addModules(folder, { drivers: wanted }) {
  const kernel = cloudKernel() ?? '';
  const lines = readFileSync(join(modules, kernel, 'modules.dep'), 'utf8').split('\n');
  const dependencies = new Map(
    lines.map((line) => {
      const [path = '', rest = ''] = line.split(':');
      return [path, rest.split(' ').filter((it) => it !== '')];
    }),
  );
  /** @type {Set<string>} */
  const order = new Set();
  for (const driver of wanted) {
    const path = [...dependencies.keys()].find((it) => basename(it).replace(/\.ko.*$/, '') === driver);
    if (path === undefined) continue; // built into the kernel
    // The list of a module ends with what has to be loaded first.
    for (const dependency of (dependencies.get(path) ?? []).toReversed()) order.add(dependency);
    order.add(path);
  }
  for (const path of order) copyFileSync(join(modules, kernel, path), join(folder, basename(path)));
  writeFileSync(join(folder, 'order'), [...order].map((path) => `${basename(path)}\n`).join(''));
}

/** @returns {string | undefined} */
function cloudKernel() {
  if (!existsSync(modules)) return undefined;
  return readdirSync(modules).find((name) => name.includes('cloud') && existsSync(`/boot/vmlinuz-${name}`));
}
