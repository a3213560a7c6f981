/**
 * A complete configuration of dnsmasq as the boot server of a network: DHCP, TFTP, and the boot files for each kind of client.
 * Its boot loaders are those of iPXE; the file names the packages that contain them.
 */

import { readAsset } from '../../core/assets.ts';
import type { Problem } from '../../core/finding.ts';
import { fillTemplate } from '../../formats/template.ts';
import { parseUrl, urlHost, withBrackets } from '../../formats/url.ts';
import { type Family, formatAddress, parseAddress } from '../../network/ipAddress.ts';
import type { NetworkHost } from './networkBoot.ts';

/** The addresses of the network of the hosts. */
export type DhcpRange =
  /** dnsmasq assigns these addresses. */
  | { readonly kind: 'assigned'; readonly family: Family; readonly first: string; readonly last: string }
  /** Another DHCP server assigns the addresses, and dnsmasq adds the boot files. @see dnsmasq(8), `proxy` of --dhcp-range */
  | { readonly kind: 'proxy'; readonly family: 4; readonly network: string };

export interface DnsmasqBoot {
  /** HTTP URL of the folder with `boot.ipxe`, without a final slash; checked with `checkNetworkBoot`. */
  readonly folderUrl: string;
  /** HTTP URL of the folder to which the operator copies the boot loaders; undefined if the web server serves no such files. */
  readonly loaderUrl: string | undefined;
  /** Undefined: {@link usualRange}. */
  readonly range: DhcpRange | undefined;
  readonly hosts: readonly NetworkHost[];
}

const RANGE_FORMS =
  'use --dhcp-range FIRST,LAST, or --dhcp-range ADDRESS,proxy if the network has a DHCP server';

/**
 * @param text `192.0.2.100,192.0.2.200`, `2001:db8::100,2001:db8::200` or `192.0.2.1,proxy`
 * @param folderUrl see {@link DnsmasqBoot}
 */
export function parseDhcpRange(text: string, folderUrl: string): DhcpRange | Problem {
  const [start = '', end = '', ...others] = text.split(',').map((part) => part.trim());
  const [first, last] = [parseAddress(start), parseAddress(end)];
  if (first === undefined || others.length > 0)
    return { message: 'invalid range of addresses', hint: RANGE_FORMS };
  if (end === 'proxy') {
    if (first.family === 4) return { kind: 'proxy', family: 4, network: formatAddress(first) };
    return { message: 'DHCP for IPv6 has no proxy mode', hint: 'use --dhcp-range FIRST,LAST' };
  }
  if (last?.family !== first.family) return { message: 'invalid range of addresses', hint: RANGE_FORMS };
  const difference = first.groups
    .map((group, index) => (last.groups[index] ?? 0) - group)
    .find((step) => step !== 0);
  if ((difference ?? 0) < 0) {
    return { message: 'the last address precedes the first', hint: `use --dhcp-range ${end},${start}` };
  }
  if (first.family === 6 && !hostOf(folderUrl).includes(':')) {
    return {
      message:
        'with IPv6, the firmware fetches its boot loader from the address in the base URL, which is not an IPv6 address',
      hint: 'use the IPv6 address of the server in the base URL, for example http://[2001:db8::1]/boot',
    };
  }
  return {
    kind: 'assigned',
    family: first.family,
    first: formatAddress(first),
    last: formatAddress(last),
  };
}

/**
 * The range if none is given. A second DHCP server would assign addresses that are in use, so dnsmasq is only a proxy, in the
 * network of the boot server: dnsmasq finds the netmask at the interface that has this network.
 * @returns undefined if the URL does not contain the address of the network
 */
export function usualRange(folderUrl: string): DhcpRange | undefined {
  const address = parseAddress(hostOf(folderUrl));
  return address?.family === 4 ? { kind: 'proxy', family: 4, network: formatAddress(address) } : undefined;
}

/** Without brackets. */
function hostOf(url: string): string {
  return parseUrl(url) === undefined ? '' : urlHost(url);
}

export function renderDnsmasq({ folderUrl, hosts, loaderUrl, range: given }: DnsmasqBoot): string {
  const range = given ?? usualRange(folderUrl);
  const boot =
    range?.kind === 'proxy'
      ? fill('dnsmasq-proxy.conf', { url: folderUrl })
      : range?.family === 6
        ? fill('dnsmasq-ipv6.conf', { url: folderUrl, host: withBrackets(hostOf(folderUrl)) })
        : fill('dnsmasq-ipv4.conf', { url: folderUrl }) + httpBoot(loaderUrl, hosts);
  return fill('dnsmasq.conf', {
    range: rangeLines(range, folderUrl),
    httpCopy:
      loaderUrl === undefined
        ? ''
        : '#   UEFI HTTP boot, in the folder of this file: cp /var/lib/tftpboot/snponly-*.efi .\n',
    boot,
  });
}

function rangeLines(range: DhcpRange | undefined, folderUrl: string): string {
  if (range === undefined) return fill('dnsmasq-no-range.conf', { host: hostOf(folderUrl) });
  if (range.kind === 'proxy') return fill('dnsmasq-proxy-range.conf', { network: range.network });
  const { family, first, last } = range;
  return fill(`dnsmasq-ipv${family}-range.conf`, { first, last });
}

/** For UEFI HTTP boot: the boot loaders, and the ISOs of hosts that boot an ISO. */
function httpBoot(loaderUrl: string | undefined, hosts: readonly NetworkHost[]): string {
  const isos = hosts.flatMap(({ name, macs, start }) => {
    if (start.kind !== 'iso' || macs.length === 0) return [];
    return [
      ...macs.flatMap((mac) => [`dhcp-mac=set:iso,${mac}`, `dhcp-mac=set:iso-${name},${mac}`]),
      `dhcp-boot=tag:iso-${name},tag:http,tag:!ipxe,${start.url}`,
    ];
  });
  if (loaderUrl === undefined && isos.length === 0) return '';
  const loaders = loaderUrl === undefined ? '' : fill('dnsmasq-http-loaders.conf', { url: loaderUrl });
  const lines = isos.map((line) => `${line}\n`).join('');
  return `\n${fill('dnsmasq-http.conf', { loaders, isos: lines })}`;
}

function fill(name: string, values: Readonly<Record<string, string>>): string {
  return fillTemplate(readAsset(`templates/boot/network/${name}`), values).replace(/\n+$/, '\n');
}

/** Whether a text needs no quoting in dnsmasq, which splits lines at commas and supports quotes and comments. */
export function isPlainForDnsmasq(text: string): boolean {
  return /^[!$-&(-+\--[\]-~]*$/.test(text);
}
