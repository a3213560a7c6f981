/**
 * The files from which machines boot over the network, by the names under which each loader looks for them. They belong into
 * one folder that is served by TFTP or HTTP, together with the loaders themselves, which are not made here.
 */

import { readAsset } from '../../assets.ts';
import type { Architecture } from '../../core/architecture.ts';
import { fillTemplate } from '../../formats/template.ts';
import { type BootForm, checkReserved } from '../bootForm.ts';
import { grub, ipxe, loadingWords, pxelinux, renderLoading } from '../bootScripts.ts';
import { argumentName, type BootSettings } from '../bootSettings.ts';
import { kernelArguments } from '../kernelArguments.ts';
import {
  type BootFile,
  hyphenMac,
  type NetworkBoot,
  type NetworkHost,
  type NetworkLoader,
  type RamdiskBoot,
} from './networkBoot.ts';

/** What one loader reads. */
interface LoaderFiles {
  shared(discovery: readonly RamdiskBoot[]): readonly BootFile[];
  /** Where the files of a host are, whatever it boots. */
  pathsOf(host: Pick<NetworkHost, 'name' | 'macs'>): readonly BootFile['path'][];
  /** Whether the loader exists for the architecture. */
  isFor(architecture: Architecture): boolean;
  /** The text that each of these files has. */
  renderHost(host: NetworkHost): string;
}

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
  for (const loader of loaders) {
    const files = loaderFiles[loader];
    if (!files.isFor(start.architecture)) continue;
    const text = files.renderHost({ ...host, start });
    for (const path of files.pathsOf(host)) yield { path, text };
  }
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

// What each loader makes of the settings of a machine when it reads them from a folder of boot files. In contrast to a
// single script, GRUB gets `BOOTIF=` as well, as the others do anyway.

/** How each loader is checked; what it renders is a matter of the files. */
export const networkForms: Readonly<Record<NetworkLoader, Pick<BootForm, 'check' | 'added'>>> = {
  ipxe,
  grub: {
    check: (settings, placed) => [...grub.check(settings, placed), ...checkReserved(placed, ['BOOTIF'])],
    added: (settings) => [...grub.added(settings), 'BOOTIF=00:00:00:00:00:00'],
  },
  pxelinux,
};

/**
 * The settings with `rd.bootif=0`, unless they say something else about it. The agent wants to know by `BOOTIF=` which
 * interface the machine has booted from, but dracut would set up no other one.
 */
export function withBootInterface(settings: BootSettings): BootSettings {
  const isDecided = kernelArguments(settings).some((text) => argumentName(text) === 'rd.bootif');
  if (isDecided) return settings;
  return { ...settings, extraArguments: [...settings.extraArguments, 'rd.bootif=0'] };
}

// What dnsmasq has to tell the machines, so that they find the files: UEFI firmware takes for HTTP boot what it is given
// a URL of, a loader or an ISO. Left out: addresses, TFTP and whether dnsmasq answers at all, which are the operator's.

/** A part of a configuration file, with the ISOs of hosts that boot one. URLs have passed `checkNetworkBoot`. */
export function renderDnsmasq(folderUrl: string, hosts: readonly NetworkHost[]): string {
  const isos = hosts.flatMap(isoLines);
  return fillTemplate(readAsset('templates/boot/network/dnsmasq.conf'), {
    url: folderUrl,
    isos: isos.map((line) => `${line}\n`).join(''),
  }).replace(/\n+$/, '\n');
}

function isoLines({ name, macs, start }: NetworkHost): readonly string[] {
  if (start.kind !== 'iso' || macs.length === 0) return [];
  return [
    ...macs.flatMap((mac) => [`dhcp-mac=set:iso,${mac}`, `dhcp-mac=set:iso-${name},${mac}`]),
    `dhcp-boot=tag:iso-${name},tag:http,tag:!ipxe,${start.url}`,
  ];
}

/** Whether a text can stand for itself in a line of dnsmasq: it splits at commas and knows quotes and comments. */
export function isPlainForDnsmasq(text: string): boolean {
  return /^[!$-&(-+\--[\]-~]*$/.test(text);
}

// The scripts of iPXE. `boot.ipxe` finds the one of the machine by its MAC addresses and falls back to `inspector.ipxe`,
// the name that Ironic uses for it as well. Every loading is tried ten times, and in the end the machine switches
// itself off, so that a host with a broken server is not inspected as if it were unknown.
//
// Names of files are relative: iPXE resolves them against the URL of the script, be it TFTP or HTTP.

/** As iPXE calls them (`${buildarch}`). A build for BIOS is always one for i386, whatever the processor can do. */
const buildArchitectures: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
};

/** Without it, a server that accepts a connection and then says nothing keeps a machine for ever. In milliseconds. */
const patience = '--timeout 60000 ';

const ipxeFiles: LoaderFiles = {
  shared: (discovery) => {
    const bootable = discovery.filter(({ architecture }) => buildArchitectures[architecture] !== undefined);
    const unknown = bootable.length > 0 ? 'unknown-inspected.ipxe' : 'unknown.ipxe';
    return [
      { path: 'boot.ipxe', text: fillIpxe('boot.ipxe', { unknown: ipxePart(unknown) }) },
      { path: 'autoexec.ipxe', text: ipxePart('autoexec.ipxe', '\n') },
      ...(bootable.length > 0 ? [{ path: 'inspector.ipxe', text: renderInspector(bootable) }] : []),
    ];
  },
  pathsOf: ipxePaths,
  isFor: (architecture) => buildArchitectures[architecture] !== undefined,
  renderHost: renderIpxeHost,
};

/** Under its name a host has its script for those who choose it by hand or in the DHCP server. */
function ipxePaths({ name, macs }: Pick<NetworkHost, 'name' | 'macs'>): readonly BootFile['path'][] {
  return [`ipxe/${name}.ipxe`, ...macs.map((mac) => `ipxe/mac-${hyphenMac(mac)}.ipxe`)];
}

function renderIpxeHost({ name, start }: NetworkHost): string {
  const shared = { title: name, counters: ipxePart('counters.ipxe', '\n'), retry: ipxePart('retry.ipxe') };
  return start.kind === 'iso'
    ? fillIpxe('iso.ipxe', { ...shared, iso: start.url })
    : fillIpxe('ramdisk.ipxe', { ...shared, load: renderLoading(start.settings, patience) });
}

function renderInspector(discovery: readonly RamdiskBoot[]): string {
  return fillIpxe('inspector.ipxe', {
    title: 'Inspection of machines that are not known',
    counters: ipxePart('counters.ipxe', '\n'),
    choices: discovery.flatMap(({ architecture }) => choicesOf(architecture)).join('\n'),
    loads: discovery
      .map(({ architecture, settings }) => `:${architecture}\n${renderLoading(settings, patience)}`)
      .join('\n'),
    retry: ipxePart('retry.ipxe'),
  });
}

function choicesOf(architecture: Architecture): readonly string[] {
  const names = buildArchitectures[architecture] ?? [];
  return names.map((name) => `iseq \${buildarch} ${name} && goto ${architecture} ||`);
}

function fillIpxe(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values);
}

/** A template without holes, and what it is to end with. */
function ipxePart(name: string, end = ''): string {
  return readAsset(`templates/boot/network/${name}`).trimEnd() + end;
}

// The configurations of GRUB, below `grub/`: by MAC address, with the hardware type in front, and `grub.cfg` for all
// others. Fedora's GRUB looks in the folder that it has been loaded from, Debian's in `/grub`.
//
// Left out: an ISO, which GRUB cannot hand on to the system that it starts; such a host is left to its firmware.

/** As GRUB calls them (`${grub_cpu}`); there is none for s390x. */
const grubProcessors: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
  ppc64le: ['powerpc'],
};

const grubFiles: LoaderFiles = {
  shared: (discovery) => [
    { path: 'grub/grub.cfg', text: fillGrub('grub.cfg', { unknown: renderGrubDiscovery(discovery) }) },
  ],
  pathsOf: grubPaths,
  isFor: (architecture) => grubProcessors[architecture] !== undefined,
  renderHost: renderGrubHost,
};

function grubPaths({ macs }: Pick<NetworkHost, 'macs'>): readonly string[] {
  return macs.map((mac) => `grub/grub.cfg-01-${hyphenMac(mac)}`);
}

function renderGrubHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso')
    return fillGrub('no-entry.cfg', { title: `${name} boots an ISO by UEFI HTTP boot.` });
  return fillGrub('host-grub.cfg', { entry: renderEntry(name, start.settings) });
}

/** An architecture without an entry of its own comes to the end, and there the firmware goes on. */
function renderGrubDiscovery(discovery: readonly RamdiskBoot[]): string {
  const entries = discovery.flatMap(({ architecture, settings }) => {
    const processors = grubProcessors[architecture] ?? [];
    if (processors.length === 0) return [];
    const condition = processors.map((name) => `"\${grub_cpu}" = "${name}"`).join(' -o ');
    return [fillGrub('choice.cfg', { condition, entry: renderEntry('Inspection', settings).trimEnd() })];
  });
  return entries.length === 0
    ? fillGrub('no-entry.cfg', { title: 'A machine that is not known is left to its firmware.' })
    : `set default=0\nset timeout=5\n\n${entries.join('\n')}`;
}

function renderEntry(title: string, settings: BootSettings): string {
  return fillGrub('entry.cfg', { title, ...loadingWords(settings) });
}

/** What is put into a hole has its own last line break. */
function fillGrub(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values).replace(/\n+$/, '\n');
}

// The configurations of PXELINUX, which Petitboot and the network boot of s390x under QEMU read as well: by MAC address,
// with the hardware type in front, and `default` for all others. A configuration cannot tell architectures apart.
//
// Left out: a second attempt, of which PXELINUX knows nothing, and ISOs; such a host is left to its firmware.

const pxelinuxFiles: LoaderFiles = {
  shared: (discovery) => [{ path: 'pxelinux.cfg/default', text: renderPxelinuxDefault(discovery) }],
  pathsOf: pxelinuxPaths,
  isFor: () => true,
  renderHost: renderPxelinuxHost,
};

function pxelinuxPaths({ macs }: Pick<NetworkHost, 'macs'>): readonly string[] {
  return macs.map((mac) => `pxelinux.cfg/01-${hyphenMac(mac)}`);
}

function renderPxelinuxHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso') return renderPxelinuxLocal(`${name} boots an ISO by UEFI HTTP boot.`);
  return `# ${name}\n${pxelinux.render(start.settings)}`;
}

/** x86_64 if it is there: where PXELINUX itself runs, nothing else does. */
function renderPxelinuxDefault(discovery: readonly RamdiskBoot[]): string {
  const start = discovery.find(({ architecture }) => architecture === 'x86_64') ?? discovery[0];
  if (start === undefined) return renderPxelinuxLocal('A machine that is not known is left to its firmware.');
  return `# Inspection of machines that are not known\n${pxelinux.render(start.settings)}`;
}

function renderPxelinuxLocal(title: string): string {
  return fillTemplate(readAsset('templates/boot/network/local.cfg'), { title });
}

const loaderFiles: Readonly<Record<NetworkLoader, LoaderFiles>> = {
  ipxe: ipxeFiles,
  grub: grubFiles,
  pxelinux: pxelinuxFiles,
};
