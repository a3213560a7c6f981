// @ts-check
/** The parts of the real chain, which `build.js` makes: their files in the folder of the oracles. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder } from '../../oracles/find.js';

/** What users build the agent's image from. */
export const agentRecipe = resolve(import.meta.dirname, '../../../deploy/agent-image');

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

/** The parts are large, and take half an hour to build. */
export const cacheFolder = join(folder, 'chain');

/** @param {string} name */
const part = (name) => join(cacheFolder, name);

export const parts = {
  ignition: part('ignition'),
  installer: join(folder, 'bin/coreos-installer'),
  debian: part('root-debian'),
  kernel: part('vmlinuz'),
  initramfs: part('initrd.img'),
  rootfs: part('rootfs.img'),
  iso: part('live.iso'),
  /** The root of Debian that the agent's image is built on. */
  agentBase: part('agent/debian.tar'),
  /** An OCI layout with the image of the agent that deploy/agent-image describes. */
  oci: part('agent/oci'),
  /** The same image as an archive. */
  archive: part('agent/agent.tar'),
  /** The Python environment with the real Ironic and sushy-tools. */
  ironic: join(folder, 'ironic'),
};
