// @ts-check
/**
 * A live ISO that boots in seconds: the shared tool `make-boot-iso.sh` makes it, with the init of this folder in place of its
 * own, and with the kernel modules that mounting the ISO takes.
 */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';

const tool = resolve(import.meta.dirname, '../../../../shared/tools/make-boot-iso.sh');
const modules = '/lib/modules';

/** What has to be installed, by a file or folder of it. */
const needed = [
  tool,
  '/usr/bin/qemu-system-x86_64',
  '/usr/bin/xorriso',
  '/usr/bin/mcopy',
  '/usr/bin/busybox',
  '/usr/lib/ISOLINUX/isolinux.bin',
  '/usr/share/ovmf/OVMF.fd',
];

/** Drivers for a CD and for a disk, and the filesystem. */
const drivers = ['ata_piix', 'sr_mod', 'virtio_pci', 'virtio_blk', 'isofs'];

/**
 * @typedef {object} GuestSystem what runs in the machine
 * @property {Readonly<Record<string, string>>} programs files of this folder, by their name in the initramfs
 * @property {readonly string[]} drivers
 */

/** Says what has arrived. @type {GuestSystem} */
const teller = { programs: { init: 'init', 'root-init': 'root-init' }, drivers };

/** Calls Ironic as ironic-python-agent does. @type {GuestSystem} */
export const agentSystem = { programs: { init: 'agent-init' }, drivers: ['virtio_pci', 'virtio_net'] };

/** @returns {string[]} what is missing for making ISOs that boot, and for booting them */
export function missingForBoot() {
  const missing = needed.filter((path) => !existsSync(path));
  return cloudKernel() === undefined ? [...missing, 'the kernel of linux-image-cloud-amd64'] : missing;
}

/**
 * @param {string} path of the new ISO
 * @param {string} workFolder
 * @param {GuestSystem} system
 */
export function makeBootIso(path, workFolder, system = teller) {
  const added = join(workFolder, 'initramfs');
  mkdirSync(join(added, 'modules'), { recursive: true });
  for (const [name, source] of Object.entries(system.programs)) {
    copyFileSync(join(import.meta.dirname, source), join(added, name));
    chmodSync(join(added, name), 0o755);
  }
  addModules(join(added, 'modules'), system);
  const script = readFileSync(tool, 'utf8').replace(
    /^cat > rd\/init <<'INIT'\n[^]*?\nINIT\n/m,
    () => 'cp -r "$BOOT_INITRAMFS"/. rd/\n',
  );
  if (!script.includes('$BOOT_INITRAMFS')) throw new Error(`${tool} has no init to replace`);
  const env = { ...process.env, BOOT_INITRAMFS: added };
  execFileSync('bash', ['-c', script, 'make-boot-iso.sh', path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
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
