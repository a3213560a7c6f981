/**
 * Creates the files for network boot, with the file names that each boot loader expects. They are served from one folder by
 * TFTP or HTTP, together with the boot loaders, which this program does not create.
 */

import { readAsset } from '../../core/assets.ts';
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

type NamedHost = Pick<NetworkHost, 'name' | 'macs'>;

/** The files of one boot loader. */
interface LoaderFiles {
  shared(discovery: readonly RamdiskBoot[]): readonly BootFile[];
  /** Paths of the files of a host. */
  pathsOf(host: NamedHost): readonly BootFile['path'][];
  /** Whether the boot loader exists for the architecture. */
  isFor(architecture: Architecture): boolean;
  /** Contents of each of these files. */
  renderHost(host: NetworkHost): string;
}

/** Yields all files of the folder that boot loaders read, shared files first. `boot` must be checked with `checkNetworkBoot`. */
export function* networkBootFiles(boot: NetworkBoot): Generator<BootFile> {
  const discovery = boot.discovery.map(prepareRamdisk);
  for (const loader of boot.loaders) yield* loaderFiles[loader].shared(discovery);
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

/** Yields the paths of the files of one host for all boot loaders, also for those that its architecture does not support. */
export function* hostScriptPaths(host: NamedHost, loaders: NetworkBoot['loaders']): Generator<string> {
  for (const loader of loaders) yield* loaderFiles[loader].pathsOf(host);
}

function prepareRamdisk(start: RamdiskBoot): RamdiskBoot {
  return { ...start, settings: withBootInterface(start.settings) };
}

/** The checks of each boot loader. In a folder of boot files, GRUB also sets `BOOTIF=`, like the other boot loaders. */
export const networkForms: Readonly<Record<NetworkLoader, Pick<BootForm, 'check' | 'added'>>> = {
  ipxe,
  grub: {
    check: (settings, placed) => [...grub.check(settings, placed), ...checkReserved(placed, ['BOOTIF'])],
    added: (settings) => [...grub.added(settings), 'BOOTIF=00:00:00:00:00:00'],
  },
  pxelinux,
};

/**
 * Adds `rd.bootif=0` unless it is set. The agent requires `BOOTIF=`, the interface from which the machine booted, but dracut
 * would then configure only that interface.
 */
export function withBootInterface(settings: BootSettings): BootSettings {
  const isDecided = kernelArguments(settings).some((text) => argumentName(text) === 'rd.bootif');
  if (isDecided) return settings;
  return { ...settings, extraArguments: [...settings.extraArguments, 'rd.bootif=0'] };
}

/** Values of `${buildarch}` in iPXE. A build for BIOS is always i386, for every processor. */
const buildArchitectures: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
};

/** Timeout in milliseconds, so that a server that accepts connections but does not respond does not block a machine. */
const DOWNLOAD_TIMEOUT = '--timeout 60000 ';

/**
 * The scripts of iPXE. `boot.ipxe` finds the script of the machine by its MAC addresses, or else loads `inspector.ipxe`, which
 * is also the name in Ironic. A script tries ten times to load its files, and then powers the machine off, so that a known
 * host is not inspected as an unknown machine while the server fails. File names are relative: iPXE resolves them against
 * the URL of the script.
 */
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
  // The script with the name of the host is for manual selection and for DHCP servers.
  pathsOf: ({ name, macs }) => [`ipxe/${name}.ipxe`, ...macs.map((mac) => `ipxe/mac-${hyphenMac(mac)}.ipxe`)],
  isFor: (architecture) => buildArchitectures[architecture] !== undefined,
  renderHost: renderIpxeHost,
};

function renderIpxeHost({ name, start }: NetworkHost): string {
  const shared = { title: name, counters: ipxePart('counters.ipxe', '\n'), retry: ipxePart('retry.ipxe') };
  return start.kind === 'iso'
    ? fillIpxe('iso.ipxe', { ...shared, iso: start.url })
    : fillIpxe('ramdisk.ipxe', { ...shared, load: renderLoading(start.settings, DOWNLOAD_TIMEOUT) });
}

function renderInspector(discovery: readonly RamdiskBoot[]): string {
  return fillIpxe('inspector.ipxe', {
    title: 'Inspection of unknown machines',
    counters: ipxePart('counters.ipxe', '\n'),
    choices: discovery
      .flatMap(({ architecture }) => {
        const names = buildArchitectures[architecture] ?? [];
        return names.map((name) => `iseq \${buildarch} ${name} && goto ${architecture} ||`);
      })
      .join('\n'),
    loads: discovery
      .map(({ architecture, settings }) => `:${architecture}\n${renderLoading(settings, DOWNLOAD_TIMEOUT)}`)
      .join('\n'),
    retry: ipxePart('retry.ipxe'),
  });
}

function fillIpxe(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values);
}

/** A template without placeholders, followed by `end`. */
function ipxePart(name: string, end = ''): string {
  return readAsset(`templates/boot/network/${name}`).trimEnd() + end;
}

/** Values of `${grub_cpu}` in GRUB, which does not support s390x. */
const grubProcessors: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
  ppc64le: ['powerpc'],
};

/**
 * The configurations of GRUB in `grub/`: one per MAC address (with the hardware type as prefix), and `grub.cfg` for unknown
 * machines. GRUB of Fedora reads the folder that it is loaded from, GRUB of Debian reads `/grub`. GRUB cannot boot an ISO, so
 * the firmware of such a host tries the next boot device.
 */
const grubFiles: LoaderFiles = {
  shared: (discovery) => [
    { path: 'grub/grub.cfg', text: fillGrub('grub.cfg', { unknown: renderGrubDiscovery(discovery) }) },
  ],
  pathsOf: ({ macs }) => macs.map((mac) => `grub/grub.cfg-01-${hyphenMac(mac)}`),
  isFor: (architecture) => grubProcessors[architecture] !== undefined,
  renderHost: renderGrubHost,
};

function renderGrubHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso')
    return fillGrub('no-entry.cfg', { title: `${name} boots an ISO by UEFI HTTP boot.` });
  return fillGrub('host-grub.cfg', { entry: renderEntry(name, start.settings) });
}

/** On an architecture without an entry, the firmware tries the next boot device. */
function renderGrubDiscovery(discovery: readonly RamdiskBoot[]): string {
  const entries = discovery.flatMap(({ architecture, settings }) => {
    const processors = grubProcessors[architecture] ?? [];
    if (processors.length === 0) return [];
    const condition = processors.map((name) => `"\${grub_cpu}" = "${name}"`).join(' -o ');
    return [fillGrub('choice.cfg', { condition, entry: renderEntry('Inspection', settings).trimEnd() })];
  });
  return entries.length === 0
    ? fillGrub('no-entry.cfg', { title: 'On an unknown machine, the firmware tries the next boot device.' })
    : `set default=0\nset timeout=5\n\n${entries.join('\n')}`;
}

function renderEntry(title: string, settings: BootSettings): string {
  return fillGrub('entry.cfg', { title, ...loadingWords(settings) });
}

/** Removes extra line feeds at the end, because the values end with one. */
function fillGrub(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values).replace(/\n+$/, '\n');
}

/**
 * The configurations of PXELINUX, which Petitboot and the network boot of s390x in QEMU read, too: one per MAC address (with
 * the hardware type as prefix), and `default` for unknown machines on every architecture. PXELINUX supports neither retries
 * nor ISOs; the firmware of a host with an ISO tries the next boot device.
 */
const pxelinuxFiles: LoaderFiles = {
  shared: (discovery) => [{ path: 'pxelinux.cfg/default', text: renderPxelinuxDefault(discovery) }],
  pathsOf: ({ macs }) => macs.map((mac) => `pxelinux.cfg/01-${hyphenMac(mac)}`),
  isFor: () => true,
  renderHost: renderPxelinuxHost,
};

function renderPxelinuxHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso') return renderPxelinuxLocal(`${name} boots an ISO by UEFI HTTP boot.`);
  return `# ${name}\n${pxelinux.render(start.settings)}`;
}

/** Prefers x86_64, the only architecture of PXELINUX itself. */
function renderPxelinuxDefault(discovery: readonly RamdiskBoot[]): string {
  const start = discovery.find(({ architecture }) => architecture === 'x86_64') ?? discovery[0];
  if (start === undefined) {
    return renderPxelinuxLocal('On an unknown machine, the firmware tries the next boot device.');
  }
  return `# Inspection of unknown machines\n${pxelinux.render(start.settings)}`;
}

function renderPxelinuxLocal(title: string): string {
  return fillTemplate(readAsset('templates/boot/network/local.cfg'), { title });
}

const loaderFiles = { ipxe: ipxeFiles, grub: grubFiles, pxelinux: pxelinuxFiles } as const;
