/**
 * The configurations of GRUB, below `grub/`: by MAC address, with the hardware type in front, and `grub.cfg` for all
 * others. Fedora's GRUB looks in the folder that it has been loaded from, Debian's in `/grub`.
 *
 * Left out: an ISO, which GRUB cannot hand on to the system that it starts; such a host is left to its firmware.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Architecture } from '../../core/architecture.ts';
import { loadingWords } from '../grub.ts';
import type { BootSettings } from '../bootSettings.ts';
import { hyphenMac, type LoaderFiles, type NetworkHost, type RamdiskBoot } from './networkBoot.ts';

/** As GRUB calls them (`${grub_cpu}`); there is none for s390x. */
const grubProcessors: Readonly<Partial<Record<Architecture, readonly string[]>>> = {
  x86_64: ['x86_64', 'i386'],
  aarch64: ['arm64'],
  ppc64le: ['powerpc'],
};

export const grubFiles: LoaderFiles = {
  shared: (discovery) => [
    { path: 'grub/grub.cfg', text: fill('grub.cfg', { unknown: renderDiscovery(discovery) }) },
  ],
  pathsOf,
  ofHost: (host) => {
    if (grubProcessors[host.start.architecture] === undefined) return [];
    const text = renderHost(host);
    return pathsOf(host).map((path) => ({ path, text }));
  },
};

function pathsOf({ macs }: Pick<NetworkHost, 'macs'>): readonly string[] {
  return macs.map((mac) => `grub/grub.cfg-01-${hyphenMac(mac)}`);
}

function renderHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso') return fill('no-entry.cfg', { title: `${name} boots an ISO by UEFI HTTP boot.` });
  return fill('host-grub.cfg', { entry: renderEntry(name, start.settings) });
}

/** An architecture without an entry of its own comes to the end, and there the firmware goes on. */
function renderDiscovery(discovery: readonly RamdiskBoot[]): string {
  const entries = discovery.flatMap(({ architecture, settings }) => {
    const processors = grubProcessors[architecture] ?? [];
    if (processors.length === 0) return [];
    const condition = processors.map((name) => `"\${grub_cpu}" = "${name}"`).join(' -o ');
    return [fill('choice.cfg', { condition, entry: renderEntry('Inspection', settings).trimEnd() })];
  });
  return entries.length === 0
    ? fill('no-entry.cfg', { title: 'A machine that is not known is left to its firmware.' })
    : `set default=0\nset timeout=5\n\n${entries.join('\n')}`;
}

function renderEntry(title: string, settings: BootSettings): string {
  return fill('entry.cfg', { title, ...loadingWords(settings) });
}

/** What is put into a hole has its own last line break. */
function fill(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values).replace(/\n+$/, '\n');
}
