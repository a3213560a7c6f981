/**
 * The scripts of iPXE. `boot.ipxe` finds the one of the machine by its MAC addresses and falls back to `inspector.ipxe`,
 * the name that Ironic uses for it as well. Every loading is tried ten times, and in the end the machine switches
 * itself off, so that a host with a broken server is not inspected as if it were unknown.
 *
 * Names of files are relative: iPXE resolves them against the URL of the script, be it TFTP or HTTP.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Architecture } from '../../core/architecture.ts';
import { renderLoading } from '../ipxe.ts';
import {
  type BootFile,
  hyphenMac,
  type LoaderFiles,
  type NetworkHost,
  type RamdiskBoot,
} from './networkBoot.ts';

/** As iPXE calls them (`${buildarch}`). A build for BIOS is always one for i386, whatever the processor can do. */
const buildArchitectures: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
};

/** Without it, a server that accepts a connection and then says nothing keeps a machine for ever. In milliseconds. */
const patience = '--timeout 60000 ';

export const ipxeFiles: LoaderFiles = {
  shared: (discovery) => {
    const bootable = discovery.filter(({ architecture }) => buildArchitectures[architecture] !== undefined);
    const unknown = bootable.length > 0 ? 'unknown-inspected.ipxe' : 'unknown.ipxe';
    return [
      { path: 'boot.ipxe', text: fill('boot.ipxe', { unknown: part(unknown) }) },
      { path: 'autoexec.ipxe', text: part('autoexec.ipxe', '\n') },
      ...(bootable.length > 0 ? [{ path: 'inspector.ipxe', text: renderInspector(bootable) }] : []),
    ];
  },
  pathsOf: ipxePaths,
  ofHost: (host) => {
    if (buildArchitectures[host.start.architecture] === undefined) return [];
    const text = renderHost(host);
    return ipxePaths(host).map((path) => ({ path, text }));
  },
};

/** Under its name a host has its script for those who choose it by hand or in the DHCP server. */
function ipxePaths({ name, macs }: Pick<NetworkHost, 'name' | 'macs'>): readonly BootFile['path'][] {
  return [`ipxe/${name}.ipxe`, ...macs.map((mac) => `ipxe/mac-${hyphenMac(mac)}.ipxe`)];
}

function renderHost({ name, start }: NetworkHost): string {
  const shared = { title: name, counters: part('counters.ipxe', '\n'), retry: part('retry.ipxe') };
  return start.kind === 'iso'
    ? fill('iso.ipxe', { ...shared, iso: start.url })
    : fill('ramdisk.ipxe', { ...shared, load: renderLoading(start.settings, patience) });
}

function renderInspector(discovery: readonly RamdiskBoot[]): string {
  return fill('inspector.ipxe', {
    title: 'Inspection of machines that are not known',
    counters: part('counters.ipxe', '\n'),
    choices: discovery.flatMap(({ architecture }) => choicesOf(architecture)).join('\n'),
    loads: discovery
      .map(({ architecture, settings }) => `:${architecture}\n${renderLoading(settings, patience)}`)
      .join('\n'),
    retry: part('retry.ipxe'),
  });
}

function choicesOf(architecture: Architecture): readonly string[] {
  const names = buildArchitectures[architecture] ?? [];
  return names.map((name) => `iseq \${buildarch} ${name} && goto ${architecture} ||`);
}

function fill(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values);
}

/** A template without holes, and what it is to end with. */
function part(name: string, end = ''): string {
  return readAsset(`templates/boot/network/${name}`).trimEnd() + end;
}
