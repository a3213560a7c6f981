/** A folder of boot files to try things on: one host of each kind, and both architectures for those that are not known. */

import type { BootSettings } from '../../src/kargs/bootSettings.ts';
import { withParameters } from '../../src/kargs/kernelArguments.ts';
import { type NetworkBoot, networkBootFiles, networkLoaders } from '../../src/kargs/folder.ts';
import type { NetworkHost } from '../../src/kargs/loaders/loader.ts';

export const settings: BootSettings = {
  ...imagesOf('x86_64'),
  ignitionUrl: 'https://192.0.2.1/ironic-python-agent.ign',
  embedded: false,
  ip: ['dhcp'],
  consoles: [],
  ipaParameters: [],
  extraArguments: [],
};

function imagesOf(architecture: string): Pick<BootSettings, 'kernelUrl' | 'initramfsUrl' | 'rootfsUrl'> {
  const start = `http://192.0.2.1/images/ironic-python-agent_${architecture}`;
  return { kernelUrl: `${start}.kernel`, initramfsUrl: `${start}.initramfs`, rootfsUrl: `${start}.rootfs` };
}

export const ramdiskHost: NetworkHost = {
  name: 'worker-1',
  macs: ['52:54:00:12:34:56'],
  start: { kind: 'ramdisk', architecture: 'x86_64', settings },
};

const { ignitionUrl: _own, ...withoutConfig } = settings;

export const appendedHost: NetworkHost = {
  name: 'worker-2',
  macs: ['52:54:00:12:34:57', '52:54:00:12:34:58'],
  start: {
    kind: 'ramdisk',
    architecture: 'aarch64',
    settings: {
      ...withoutConfig,
      ...imagesOf('aarch64'),
      embedded: true,
      appendedUrls: ['http://192.0.2.1/hosts/worker-2.img'],
    },
  },
};

export const isoHost: NetworkHost = {
  name: 'worker-3',
  macs: ['52:54:00:12:34:59'],
  start: { kind: 'iso', architecture: 'x86_64', url: 'http://192.0.2.1/hosts/worker-3.iso' },
};

const inspected = withParameters(settings, [
  'ipa-inspection-callback-url=https://192.0.2.1:6385/v1/continue_inspection',
  'ipa-api-url=https://192.0.2.1:6385',
  'ipa-inspection-collectors=default,logs',
  'ipa-enable-vlan-interfaces=all',
  'ipa-inspection-dhcp-all-interfaces=1',
  'ipa-collect-lldp=1',
]);

export const networkBoot: NetworkBoot = {
  hosts: [ramdiskHost, appendedHost, isoHost],
  discovery: [
    { kind: 'ramdisk', architecture: 'x86_64', settings: inspected },
    { kind: 'ramdisk', architecture: 'aarch64', settings: { ...inspected, ...imagesOf('aarch64') } },
  ],
  loaders: networkLoaders,
  folderUrl: 'http://192.0.2.1/boot',
};

/** By path. */
export function filesOf(boot: NetworkBoot): ReadonlyMap<string, string> {
  return new Map([...networkBootFiles(boot)].map(({ path, text }) => [path, text]));
}

export function fileOf(boot: NetworkBoot, path: string): string {
  const text = filesOf(boot).get(path);
  if (text === undefined) throw new Error(`no file ${path}`);
  return text;
}
