/**
 * The files from which machines boot over the network, by the names under which each loader looks for them. Put into
 * one folder and served by TFTP or HTTP, with the loaders themselves beside them, which are not made here.
 */

import { renderDnsmasq } from './dnsmasq.ts';
import { grubFiles } from './grubFiles.ts';
import { ipxeFiles } from './ipxeFiles.ts';
import type {
  BootFile,
  LoaderFiles,
  NetworkBoot,
  NetworkHost,
  NetworkLoader,
  RamdiskBoot,
} from './networkBoot.ts';
import { withBootInterface } from './networkForms.ts';
import { pxelinuxFiles } from './pxelinuxFiles.ts';

const loaderFiles: Readonly<Record<NetworkLoader, LoaderFiles>> = {
  ipxe: ipxeFiles,
  grub: grubFiles,
  pxelinux: pxelinuxFiles,
};

/** All files of the folder, those that every machine reads first. `boot` has passed `checkNetworkBoot`. */
export function* networkBootFiles(boot: NetworkBoot): Generator<BootFile> {
  const discovery = boot.discovery.map(prepareRamdisk);
  for (const loader of boot.loaders) yield* loaderFiles[loader].shared(discovery);
  if (boot.folderUrl !== undefined) {
    yield { path: 'dnsmasq.conf', text: renderDnsmasq(boot.folderUrl, boot.hosts) };
  }
  for (const host of boot.hosts) yield* hostBootFiles(host, boot.loaders);
}

/** The files of one host. */
export function* hostBootFiles(host: NetworkHost, loaders: NetworkBoot['loaders']): Generator<BootFile> {
  const start = host.start.kind === 'ramdisk' ? prepareRamdisk(host.start) : host.start;
  for (const loader of loaders) yield* loaderFiles[loader].ofHost({ ...host, start });
}

/** The paths of the same, whatever the host boots: a loader that its architecture lacks is among them. */
export function* hostScriptPaths(
  host: Pick<NetworkHost, 'name' | 'macs'>,
  loaders: NetworkBoot['loaders'],
): Generator<string> {
  for (const loader of loaders) yield* loaderFiles[loader].pathsOf(host);
}

function prepareRamdisk(start: RamdiskBoot): RamdiskBoot {
  return { ...start, settings: withBootInterface(start.settings) };
}
