/**
 * What dnsmasq has to tell the machines, so that they find the files: UEFI firmware takes for HTTP boot what it is given
 * a URL of, a loader or an ISO. Left out: addresses, TFTP and whether dnsmasq answers at all, which are the operator's.
 */

import { readAsset } from '../../assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { NetworkHost } from './networkBoot.ts';

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
