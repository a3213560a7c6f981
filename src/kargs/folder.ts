/**
 * Creates the files for network boot, with the file names that each boot loader expects. They are served from one folder by
 * TFTP or HTTP, together with the boot loaders, which this program does not create.
 */

import type { BootSettings } from './bootSettings.ts';
import { bootArguments } from './kernelArguments.ts';
import { grubFolder } from './loaders/grub.ts';
import { ipxe } from './loaders/ipxe.ts';
import type { BootFile, Loader, NamedHost, NetworkHost, RamdiskBoot } from './loaders/loader.ts';
import { pxelinux } from './loaders/pxelinux.ts';

export const networkLoaders = ['ipxe', 'grub', 'pxelinux'] as const;

export type NetworkLoader = (typeof networkLoaders)[number];

export const loaders: Readonly<Record<NetworkLoader, Loader>> = { ipxe, grub: grubFolder, pxelinux };

/** The known hosts, and the ramdisks for unknown machines. */
export interface NetworkBoot {
  readonly hosts: readonly NetworkHost[];
  /** Ramdisks for unknown machines, one per architecture; empty if they are not booted. */
  readonly discovery: readonly RamdiskBoot[];
  readonly loaders: readonly NetworkLoader[];
  /** HTTP URL of the folder without a final slash, for the full URLs in DHCP replies. */
  readonly folderUrl?: string | undefined;
}

/** Yields all files of the folder that boot loaders read, shared files first. `boot` must be checked with `checkNetworkBoot`. */
export function* networkBootFiles(boot: NetworkBoot): Generator<BootFile> {
  const discovery = boot.discovery.map(prepareRamdisk);
  for (const name of boot.loaders) yield* loaders[name].shared(discovery);
  for (const host of boot.hosts) yield* hostBootFiles(host, boot.loaders);
}

export function* hostBootFiles(host: NetworkHost, names: NetworkBoot['loaders']): Generator<BootFile> {
  const start = host.start.kind === 'ramdisk' ? prepareRamdisk(host.start) : host.start;
  for (const name of names) {
    const loader = loaders[name];
    if (!loader.isFor(start.architecture)) continue;
    const text = loader.hostScript({ ...host, start });
    for (const path of loader.hostPaths(host)) yield { path, text };
  }
}

/** Yields the paths of the files of one host for all boot loaders, also for those that its architecture does not support. */
export function* hostScriptPaths(host: NamedHost, names: NetworkBoot['loaders']): Generator<string> {
  for (const name of names) yield* loaders[name].hostPaths(host);
}

function prepareRamdisk(start: RamdiskBoot): RamdiskBoot {
  return { ...start, settings: withBootInterface(start.settings) };
}

/**
 * Adds `rd.bootif=0` unless it is set. The agent requires `BOOTIF=`, the interface from which the machine booted, but dracut
 * would then configure only that interface.
 */
export function withBootInterface(settings: BootSettings): BootSettings {
  const isDecided = bootArguments(settings).some(({ name }) => name === 'rd.bootif');
  if (isDecided) return settings;
  return { ...settings, extraArguments: [...settings.extraArguments, 'rd.bootif=0'] };
}
