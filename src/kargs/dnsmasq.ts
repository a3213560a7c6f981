/**
 * A complete configuration of dnsmasq as the boot server of a network: DHCP, TFTP, and the boot files for each kind of client.
 * Its boot loaders are those of iPXE, whose packages the file names, or for UEFI shim and GRUB of the live ISOs.
 */

import type { Problem } from '../core/finding.ts';
import { withBrackets } from '../formats/url.ts';
import { type Family, formatAddress, parseAddress } from '../network/ipAddress.ts';
import { bootServerOf, type DhcpBoot } from './dhcpServers.ts';
import { type EfiLoaders, ipxeLoaders, isIpxeLoader, type NetworkHost } from './loaders/loader.ts';

export type DhcpRange =
  /** dnsmasq assigns these addresses. */
  | { readonly kind: 'assigned'; readonly family: Family; readonly first: string; readonly last: string }
  /** Another DHCP server assigns the addresses, and dnsmasq adds the boot files. @see dnsmasq(8), `proxy` of --dhcp-range */
  | { readonly kind: 'proxy'; readonly family: 4; readonly network: string };

export interface DnsmasqBoot extends DhcpBoot {
  /** HTTP URL of the folder to which the operator copies the boot loaders; undefined if the web server serves no such files. */
  readonly loaderUrl: string | undefined;
  /** Undefined: {@link usualRange}. */
  readonly range: DhcpRange | undefined;
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
  if (last.number < first.number) {
    return { message: 'the last address precedes the first', hint: `use --dhcp-range ${end},${start}` };
  }
  if (first.family === 6 && !bootServerOf(folderUrl).includes(':')) {
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
  const address = parseAddress(bootServerOf(folderUrl));
  return address?.family === 4 ? { kind: 'proxy', family: 4, network: formatAddress(address) } : undefined;
}

export function renderDnsmasq({
  efiLoaders: efi = ipxeLoaders,
  folderUrl,
  hosts,
  loaderUrl,
  range: given,
}: DnsmasqBoot): string {
  const range = given ?? usualRange(folderUrl);
  const [x86, arm] = [isIpxeLoader(efi.x86_64), isIpxeLoader(efi.aarch64)];
  const boot =
    range?.kind === 'proxy'
      ? proxyBoot(folderUrl, efi)
      : range?.family === 6
        ? bootWithIpv6(folderUrl, efi)
        : bootWithIpv4(folderUrl, efi) + httpBoot(loaderUrl, hosts, efi);
  return `# Complete configuration of dnsmasq for the hosts of this folder: DHCP and TFTP. It is written again by each run.
#   check it:   dnsmasq --test -C dnsmasq.conf
#   use it:     replace /etc/dnsmasq.conf with a copy of it, then: systemctl restart dnsmasq
#
# It requires the boot loaders of iPXE in the folder of TFTP:
#   mkdir -p /var/lib/tftpboot
#   Debian, Ubuntu: apt install ipxe
#     cp /usr/lib/ipxe/undionly.kpxe /var/lib/tftpboot/undionly.kpxe
${lines(x86, '#     cp /usr/lib/ipxe/snponly.efi /var/lib/tftpboot/snponly-x86_64.efi\n')}${lines(
    arm,
    '#     cp /usr/lib/ipxe/ipxe-arm64.efi /var/lib/tftpboot/snponly-aarch64.efi  # since Debian 13\n',
  )}#   Fedora, RHEL: dnf install ipxe-bootimgs-x86 ipxe-bootimgs-aarch64
#     cp /usr/share/ipxe/undionly.kpxe /var/lib/tftpboot/undionly.kpxe
${lines(x86, '#     cp /usr/share/ipxe/ipxe-snponly-x86_64.efi /var/lib/tftpboot/snponly-x86_64.efi\n')}${lines(
    arm,
    '#     cp /usr/share/ipxe/arm64-efi/snponly.efi /var/lib/tftpboot/snponly-aarch64.efi\n',
  )}${lines(
    loaderUrl !== undefined && (x86 || arm),
    `#   UEFI HTTP boot, in the folder of this file: cp /var/lib/tftpboot/snponly-${x86 && arm ? '*' : x86 ? 'x86_64' : 'aarch64'}.efi .\n`,
  )}${lines(
    !x86 || !arm,
    '#   shim and GRUB of the live ISO, in the folder of this file: ln -s "$PWD/grub" /var/lib/tftpboot/grub\n',
  )}
# Other programs may use the same ports on other addresses of this machine.
bind-dynamic

${rangeLines(range, folderUrl)}
enable-tftp
tftp-root=/var/lib/tftpboot

${boot}`;
}

function lines(isNeeded: boolean, text: string): string {
  return isNeeded ? text : '';
}

function rangeLines(range: DhcpRange | undefined, folderUrl: string): string {
  if (range === undefined) {
    return `# The addresses of the hosts are missing, because the base URL contains no IPv4 address (${bootServerOf(folderUrl)}). Write this file again
#   with --dhcp-range FIRST,LAST      and dnsmasq assigns these addresses
#   with --dhcp-range ADDRESS,proxy   if the network of this address has a DHCP server
port=0
`;
  }
  if (range.kind === 'proxy') {
    return `# Proxy mode: the DHCP server of this network assigns the addresses, and dnsmasq adds the boot files.
# If the network has no DHCP server, write this file again with --dhcp-range FIRST,LAST.
dhcp-range=${range.network},proxy
# No DNS server.
port=0
`;
  }
  const { family, first, last } = range;
  if (family === 6) {
    return `# dnsmasq assigns these addresses, and it is the DNS server of the hosts. Routers of this network announce themselves.
dhcp-range=${first},${last},1h
enable-ra
ra-param=*,0,0
`;
  }
  return `# dnsmasq assigns these addresses, and it is the DNS server of the hosts.
# If the network has a DHCP server, write this file again with --dhcp-range ADDRESS,proxy.
dhcp-range=${first},${last},1h
# The gateway of the hosts is this machine. For another gateway, use this line in the copy:
#dhcp-option=option:router,ADDRESS
`;
}

function proxyBoot(url: string, efi: EfiLoaders): string {
  return `dhcp-match=set:ipxe,175

# Clients that already run iPXE.
pxe-service=tag:ipxe,x86PC,iPXE,${url}/boot.ipxe
pxe-service=tag:ipxe,BC_EFI,iPXE,${url}/boot.ipxe
pxe-service=tag:ipxe,x86-64_EFI,iPXE,${url}/boot.ipxe
pxe-service=tag:ipxe,ARM64_EFI,iPXE,${url}/boot.ipxe

# PXE clients of the firmware, which use TFTP. UEFI HTTP boot is not available in proxy mode.
pxe-service=tag:!ipxe,x86PC,iPXE,undionly.kpxe
pxe-service=tag:!ipxe,BC_EFI,${menuEntry(efi.x86_64)}
pxe-service=tag:!ipxe,x86-64_EFI,${menuEntry(efi.x86_64)}
pxe-service=tag:!ipxe,ARM64_EFI,${menuEntry(efi.aarch64)}
`;
}

/** The name in the menu of the firmware, and the file. */
function menuEntry(loader: string): string {
  return `${isIpxeLoader(loader) ? 'iPXE' : 'GRUB'},${loader}`;
}

function bootWithIpv6(url: string, efi: EfiLoaders): string {
  const host = withBrackets(bootServerOf(url));
  return `dhcp-userclass=set:ipxe,iPXE
dhcp-match=set:x86_64,option6:61,00:07
dhcp-match=set:x86_64,option6:61,00:09
dhcp-match=set:aarch64,option6:61,00:0b

# Clients that already run iPXE.
dhcp-option=tag:ipxe,option6:bootfile-url,${url}/boot.ipxe

# PXE clients of the firmware, which use TFTP.
dhcp-option=tag:x86_64,tag:!ipxe,option6:bootfile-url,tftp://${host}/${efi.x86_64}
dhcp-option=tag:aarch64,tag:!ipxe,option6:bootfile-url,tftp://${host}/${efi.aarch64}
`;
}

function bootWithIpv4(url: string, efi: EfiLoaders): string {
  // shim takes the folder of GRUB from the file field of the packet (netboot.c), which dnsmasq otherwise leaves empty for an option.
  const isShim = !isIpxeLoader(efi.x86_64) || !isIpxeLoader(efi.aarch64);
  return `${lines(isShim, '# shim reads the name of the boot file only in its own field.\ndhcp-no-override\n\n')}dhcp-match=set:ipxe,175
dhcp-vendorclass=set:http,HTTPClient
dhcp-match=set:bios,option:client-arch,0
dhcp-match=set:x86_64,option:client-arch,7
dhcp-match=set:x86_64,option:client-arch,9
dhcp-match=set:x86_64,option:client-arch,16
dhcp-match=set:aarch64,option:client-arch,11
dhcp-match=set:aarch64,option:client-arch,19

# Clients that already run iPXE.
dhcp-boot=tag:ipxe,${url}/boot.ipxe

# PXE clients of the firmware, which use TFTP.
dhcp-boot=tag:bios,tag:!ipxe,undionly.kpxe
dhcp-boot=tag:x86_64,tag:!ipxe,tag:!http,${efi.x86_64}
dhcp-boot=tag:aarch64,tag:!ipxe,tag:!http,${efi.aarch64}
`;
}

/** For UEFI HTTP boot: the boot loaders, and the ISOs of hosts that boot an ISO. */
function httpBoot(loaderUrl: string | undefined, hosts: readonly NetworkHost[], efi: EfiLoaders): string {
  const isos = hosts.flatMap(({ name, macs, start }) => {
    if (start.kind !== 'iso' || macs.length === 0) return [];
    return [
      ...macs.flatMap((mac) => [`dhcp-mac=set:iso,${mac}`, `dhcp-mac=set:iso-${name},${mac}`]),
      `dhcp-boot=tag:iso-${name},tag:http,tag:!ipxe,${start.url}`,
    ];
  });
  const loaders = (loaderUrl === undefined ? [] : Object.entries(efi)).map(
    ([name, file]) => `dhcp-boot=tag:${name},tag:!ipxe,tag:http,tag:!iso,${loaderUrl}/${file}`,
  );
  const replies = [...loaders, ...isos];
  if (replies.length === 0) return '';
  return `
# UEFI HTTP boot. The firmware accepts a reply only with this vendor class.
dhcp-option-force=tag:http,60,HTTPClient
${replies.join('\n')}
`;
}

/** Whether a text needs no quoting in dnsmasq, which splits lines at commas and supports quotes and comments. */
export function isPlainForDnsmasq(text: string): boolean {
  return /^[!$-&(-+\--[\]-~]*$/.test(text);
}
