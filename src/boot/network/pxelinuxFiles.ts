/**
 * The configurations of PXELINUX, which Petitboot and the network boot of s390x under QEMU read as well: by MAC address,
 * with the hardware type in front, and `default` for all others. A configuration cannot tell architectures apart.
 *
 * Left out: a second attempt, of which PXELINUX knows nothing, and ISOs; such a host is left to its firmware.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import { pxelinux } from '../pxelinux.ts';
import { hyphenMac, type LoaderFiles, type NetworkHost, type RamdiskBoot } from './networkBoot.ts';

export const pxelinuxFiles: LoaderFiles = {
  shared: (discovery) => [{ path: 'pxelinux.cfg/default', text: renderDefault(discovery) }],
  pathsOf,
  ofHost: (host) => {
    const text = renderHost(host);
    return pathsOf(host).map((path) => ({ path, text }));
  },
};

function pathsOf({ macs }: Pick<NetworkHost, 'macs'>): readonly string[] {
  return macs.map((mac) => `pxelinux.cfg/01-${hyphenMac(mac)}`);
}

function renderHost({ name, start }: NetworkHost): string {
  if (start.kind === 'iso') return renderLocal(`${name} boots an ISO by UEFI HTTP boot.`);
  return `# ${name}\n${pxelinux.render(start.settings)}`;
}

/** x86_64 if it is there: where PXELINUX itself runs, nothing else does. */
function renderDefault(discovery: readonly RamdiskBoot[]): string {
  const start = discovery.find(({ architecture }) => architecture === 'x86_64') ?? discovery[0];
  if (start === undefined) return renderLocal('A machine that is not known is left to its firmware.');
  return `# Inspection of machines that are not known\n${pxelinux.render(start.settings)}`;
}

function renderLocal(title: string): string {
  return fillTemplate(readAsset('templates/boot/network/local.cfg'), { title });
}
