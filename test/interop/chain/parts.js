// @ts-check
/** The parts of the real chain, which `build.js` makes: their files and what they need. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** What users build the agent's image from. */
export const agentRecipe = resolve(import.meta.dirname, '../../../templates/agent/image');

/** Versions from the Go module proxy, PyPI and crates.io. */
export const versions = {
  ignition: '2.27.0',
  'ironic-python-agent': versionOfAgent(),
  'coreos-installer': '0.27.0',
};

function versionOfAgent() {
  const requirements = readFileSync(join(agentRecipe, 'requirements.txt'), 'utf8');
  return /^ironic-python-agent==(.+)$/m.exec(requirements)?.[1] ?? '';
}

/** Outside the checkout: the parts are large, and take half an hour to build. */
export const cacheFolder = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'ironic-coreos-test',
  'chain',
);

/** @param {string} name */
const part = (name) => join(cacheFolder, name);

export const parts = {
  ignition: part('ignition'),
  installer: part('installer/bin/coreos-installer'),
  debian: part('root-debian'),
  kernel: part('vmlinuz'),
  initramfs: part('initrd.img'),
  rootfs: part('rootfs.img'),
  iso: part('live.iso'),
  /** The root of Debian that the agent's image is built on. */
  agentBase: part('agent/debian.tar'),
  /** An OCI layout with the image of the agent that templates/agent/image describes. */
  oci: part('agent/oci'),
  /** The same image as an archive. */
  archive: part('agent/agent.tar'),
  /** The Python environment with the real Ironic and sushy-tools. */
  ironic: part('venv'),
};

const programs = [
  'mmdebstrap',
  'podman',
  'mksquashfs',
  'xorriso',
  'mcopy',
  'mkfs.vfat',
  'grub-mkimage',
  'cpio',
  'modprobe',
  'cargo',
  'gcc',
  'go',
  'virsh',
  'mkisofs',
];
const files = ['/usr/lib/ISOLINUX/isolinux.bin', '/usr/share/OVMF/OVMF_CODE.fd'];

/** @returns {string[]} what is missing for building the parts */
export function missingForBuild() {
  const missing = programs.filter((name) => spawnSync('sh', ['-c', 'command -v "$0"', name]).status !== 0);
  return [...missing, ...files.filter((file) => !existsSync(file)), ...missingRights()];
}

/** @returns {string[]} what is missing for booting: parts and programs */
export function missingForChain() {
  const built = [parts.iso, parts.archive].filter((file) => !existsSync(file));
  const qemu = ['qemu-system-x86_64', 'ssh'].filter(
    (name) => spawnSync('sh', ['-c', 'command -v "$0"', name]).status !== 0,
  );
  return [...built, ...qemu, ...missingRights()];
}

/** chroot, and an address on the loopback interface that forwards to the machine. */
function missingRights() {
  return process.getuid?.() === 0 ? [] : ['root'];
}
