/**
 * The boot files for each kind of client, as classes for a DHCP server that the network already has: Kea or dhcpd of ISC. They only add to
 * its configuration. Both servers send what the last class says of a client, so that each client is in one class. For IPv4.
 */

import { parseUrl, urlHost } from '../formats/url.ts';
import { type EfiLoaders, ipxeLoaders, isIpxeLoader, type NetworkHost } from './loaders/loader.ts';

export const dhcpServers = ['kea', 'isc'] as const;

export type DhcpServer = (typeof dhcpServers)[number];

/** The files of the servers, in the folder of the boot scripts. */
export const dhcpFiles: Readonly<Record<DhcpServer, string>> = {
  kea: 'kea-classes.json',
  isc: 'dhcpd-classes.conf',
};

export interface DhcpBoot {
  /** HTTP URL of the folder with `boot.ipxe`, without a final slash; for classes with an IPv4 address, that of the TFTP server. */
  readonly folderUrl: string;
  readonly hosts: readonly NetworkHost[];
  /** Default: those of iPXE. Others are files of the folder. */
  readonly efiLoaders?: EfiLoaders | undefined;
}

/** `ipxe` is the user class of iPXE, `http` UEFI HTTP boot, and `pxe` anything else. */
type ClientKind = 'ipxe' | 'http' | 'pxe';

interface ClientClass {
  readonly name: string;
  readonly kind: ClientKind;
  /** A file of the TFTP server, or a URL. */
  readonly file: string;
  /** A client is in the class if all of these conditions are true. */
  readonly tests: readonly string[];
}

interface Dialect {
  /** The start of a comment. */
  readonly comment: string;
  /** What includes the file, and what checks the configuration. */
  readonly use: string;
  readonly check: string;
  /** The conditions for a client. */
  readonly kinds: Readonly<Record<ClientKind, string>>;
  /** Client architectures (RFC 4578, IANA "Processor Architecture Types"). */
  readonly architecture: (number: number) => string;
  readonly mac: (mac: string) => string;
  readonly format: (classes: readonly ClientClass[], tftpServer: string) => string;
}

export function renderDhcpClasses(server: DhcpServer, boot: DhcpBoot): string {
  const { efiLoaders: efi = ipxeLoaders, folderUrl } = boot;
  const { check, comment, format, use } = dialects[server];
  const isCopied = isIpxeLoader(efi.x86_64) || isIpxeLoader(efi.aarch64);
  const introduction = [
    'Classes with the boot files of each kind of client, for a DHCP server that the network already has. It is written again by each run.',
    `  use it:     ${use}`,
    `  check it:   ${check}`,
    'The boot loaders of iPXE are in the folder of TFTP of this machine, as dnsmasq.conf says. A TFTP server without DHCP:',
    '  dnsmasq --port=0 --enable-tftp --tftp-root=/var/lib/tftpboot',
    ...(isCopied
      ? [`  UEFI HTTP boot, in the folder of ${dhcpFiles[server]}: cp /var/lib/tftpboot/snponly-*.efi .`]
      : []),
  ];
  const classes = format(classesOf(boot, efi, dialects[server]), bootServerOf(folderUrl));
  return `${introduction.map((line) => `${comment} ${line}\n`).join('')}${classes}\n`;
}

/** The name or address in the URL of the folder, without brackets; empty for a text that is no URL. */
export function bootServerOf(folderUrl: string): string {
  return parseUrl(folderUrl) === undefined ? '' : urlHost(folderUrl);
}

function classesOf(
  { folderUrl, hosts }: DhcpBoot,
  efi: EfiLoaders,
  { architecture, kinds, mac }: Dialect,
): readonly ClientClass[] {
  const isos = hosts.flatMap(({ macs, name, start }) =>
    start.kind === 'iso' && macs.length > 0 ? [{ macs: macs.map(mac), name, url: start.url }] : [],
  );
  const isOther = isos.length === 0 ? [] : [`not ${anyOf(isos.flatMap(({ macs }) => macs))}`];
  const classes: readonly (readonly [name: string, kind: ClientKind, file: string, ...tests: string[]])[] = [
    ['ipxe', 'ipxe', `${folderUrl}/boot.ipxe`],
    ['bios', 'pxe', 'undionly.kpxe', anyOf([architecture(0)])],
    ['x86_64', 'pxe', efi.x86_64, anyOf([architecture(7), architecture(9)])],
    ['aarch64', 'pxe', efi.aarch64, anyOf([architecture(11)])],
    ...isos.map(({ macs, name, url }) => [`iso-${name}`, 'http', url, anyOf(macs)] as const),
    ['http-x86_64', 'http', `${folderUrl}/${efi.x86_64}`, anyOf([architecture(16)]), ...isOther],
    ['http-aarch64', 'http', `${folderUrl}/${efi.aarch64}`, anyOf([architecture(19)]), ...isOther],
  ];
  return classes.map(([name, kind, file, ...tests]) => {
    return { name: `boot-${name}`, kind, file, tests: [kinds[kind], ...tests] };
  });
}

function anyOf(tests: readonly string[]): string {
  return `(${tests.join(' or ')})`;
}

const KEA_IPXE = "substring(option[77].hex, 0, 4) == 'iPXE' or option[175].exists";
const KEA_HTTP = "substring(option[60].hex, 0, 10) == 'HTTPClient'";
const ISC_IPXE = 'option user-class = "iPXE"';
const ISC_HTTP = 'substring(option vendor-class-identifier, 0, 10) = "HTTPClient"';

const dialects: Readonly<Record<DhcpServer, Dialect>> = {
  kea: {
    comment: '//',
    use: `in "Dhcp4" of kea-dhcp4.conf: "client-classes": <?include "/FOLDER/${dhcpFiles.kea}"?>`,
    check: 'kea-dhcp4 -t /etc/kea/kea-dhcp4.conf',
    kinds: {
      ipxe: `(${KEA_IPXE})`,
      http: `not (${KEA_IPXE}) and ${KEA_HTTP}`,
      pxe: `not (${KEA_IPXE}) and not (${KEA_HTTP})`,
    },
    architecture: (number) => `option[93].hex == 0x${number.toString(16).padStart(4, '0')}`,
    mac: (mac) => `pkt4.mac == 0x${mac.replaceAll(':', '')}`,
    // A list for `"client-classes"` of `Dhcp4`. Kea sends an option that a client does not ask for only with `always-send`.
    format: (classes, tftpServer) => {
      const list = classes.map(({ file, kind, name, tests }) => ({
        name,
        test: tests.join(' and '),
        ...(kind === 'pxe'
          ? { 'next-server': tftpServer, 'boot-file-name': file }
          : {
              'option-data': [
                ['boot-file-name', file],
                ...(kind === 'http' ? [['vendor-class-identifier', 'HTTPClient']] : []),
              ].map(([option, data]) => ({ name: option, data, 'always-send': true })),
            }),
      }));
      return JSON.stringify(list, undefined, 2);
    },
  },
  isc: {
    comment: '#',
    use: `in dhcpd.conf, outside of its subnets: include "/FOLDER/${dhcpFiles.isc}";`,
    check: 'dhcpd -t -cf /etc/dhcp/dhcpd.conf',
    kinds: {
      ipxe: ISC_IPXE,
      http: `not (${ISC_IPXE})\n    and ${ISC_HTTP}`,
      pxe: `not (${ISC_IPXE})\n    and not (${ISC_HTTP})`,
    },
    architecture: (number) => `option boot-arch = 00:${number.toString(16).padStart(2, '0')}`,
    mac: (mac) => {
      // dhcpd writes bytes without leading zeros.
      const bytes = mac.split(':').map((byte) => byte.replace(/^0(?=.)/, ''));
      return `binary-to-ascii(16, 8, ":", substring(hardware, 1, 6)) = "${bytes.join(':')}"`;
    },
    format: (classes, tftpServer) => {
      const texts = classes.map(({ file, kind, name, tests }) => {
        const lines =
          kind === 'pxe'
            ? [`next-server ${tftpServer};`, `filename "${file}";`]
            : [
                ...(kind === 'http' ? ['option vendor-class-identifier "HTTPClient";'] : []),
                `option bootfile-name "${file}";`,
                'option dhcp-parameter-request-list = concat(option dhcp-parameter-request-list, 3c:43);',
              ];
        const test = `match if ${tests.join('\n    and ')};`;
        return `class "${name}" {\n${[test, ...lines].map((line) => `  ${line}\n`).join('')}}`;
      });
      return ['option boot-arch code 93 = unsigned integer 16;', ...texts].join('\n\n');
    },
  },
};
