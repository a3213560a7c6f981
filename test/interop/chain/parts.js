// @ts-check
/** The parts of the real chain, which `build.js` makes: their files and what they need. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Versions from PyPI, crates.io and the Go module proxy. */
export const versions = {
  ignition: '2.27.0',
  'ironic-python-agent': '13.0.0',
  'coreos-installer': '0.27.0',
};

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
  agentDebian: part('agent-debian'),
  kernel: part('vmlinuz'),
  initramfs: part('initrd.img'),
  rootfs: part('rootfs.img'),
  iso: part('live.iso'),
  layer: part('agent/layer.tar'),
  /** An OCI layout with the agent's image. */
  oci: part('agent/oci'),
  /** The same layout as an archive. */
  archive: part('agent/agent.tar'),
  /** The Python environment with the real Ironic and sushy-tools. */
  ironic: part('venv'),
};

const programs = [
  'mmdebstrap',
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
