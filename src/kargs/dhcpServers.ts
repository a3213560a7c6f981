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

interface ClientTests {
  readonly kinds: Readonly<Record<ClientKind, string>>;
  /** Client architectures (RFC 4578, IANA "Processor Architecture Types"). */
  readonly architecture: (number: number) => string;
  readonly mac: (mac: string) => string;
}

export function renderDhcpClasses(server: DhcpServer, boot: DhcpBoot): string {
  return server === 'kea' ? renderKea(boot) : renderIsc(boot);
}

/** The name or address in the URL of the folder, without brackets; empty for a text that is no URL. */
export function bootServerOf(folderUrl: string): string {
  return parseUrl(folderUrl) === undefined ? '' : urlHost(folderUrl);
}

function classesOf(
  { efiLoaders: efi = ipxeLoaders, folderUrl, hosts }: DhcpBoot,
  { architecture, kinds, mac }: ClientTests,
): readonly ClientClass[] {
  const classOf = (name: string, kind: ClientKind, file: string, tests: readonly string[]): ClientClass => ({
    name: `boot-${name}`,
    kind,
    file,
    tests: [kinds[kind], ...tests],
  });
  const isos = hosts.flatMap(({ macs, name, start }) =>
    start.kind === 'iso' && macs.length > 0 ? [{ macs: macs.map(mac), name, url: start.url }] : [],
  );
  const isOther = isos.length === 0 ? [] : [`not ${anyOf(isos.flatMap(({ macs }) => macs))}`];
  return [
    classOf('ipxe', 'ipxe', `${folderUrl}/boot.ipxe`, []),
    classOf('bios', 'pxe', 'undionly.kpxe', [anyOf([architecture(0)])]),
    classOf('x86_64', 'pxe', efi.x86_64, [anyOf([architecture(7), architecture(9)])]),
    classOf('aarch64', 'pxe', efi.aarch64, [anyOf([architecture(11)])]),
    ...isos.map(({ macs, name, url }) => classOf(`iso-${name}`, 'http', url, [anyOf(macs)])),
    classOf('http-x86_64', 'http', `${folderUrl}/${efi.x86_64}`, [anyOf([architecture(16)]), ...isOther]),
    classOf('http-aarch64', 'http', `${folderUrl}/${efi.aarch64}`, [anyOf([architecture(19)]), ...isOther]),
  ];
}

function anyOf(tests: readonly string[]): string {
  return `(${tests.join(' or ')})`;
}

function introduction(
  server: DhcpServer,
  use: string,
  check: string,
  { efiLoaders: efi = ipxeLoaders }: DhcpBoot,
): readonly string[] {
  const isCopied = isIpxeLoader(efi.x86_64) || isIpxeLoader(efi.aarch64);
  return [
    'Classes with the boot files of each kind of client, for a DHCP server that the network already has. It is written again by each run.',
    `  use it:     ${use}`,
    `  check it:   ${check}`,
    'The boot loaders of iPXE are in the folder of TFTP of this machine, as dnsmasq.conf says. A TFTP server without DHCP:',
    '  dnsmasq --port=0 --enable-tftp --tftp-root=/var/lib/tftpboot',
    ...(isCopied
      ? [`  UEFI HTTP boot, in the folder of ${dhcpFiles[server]}: cp /var/lib/tftpboot/snponly-*.efi .`]
      : []),
  ];
}

/** A JSON list with comments, for `"client-classes"` of `Dhcp4`. Kea sends an option that a client does not ask for only with `always-send`. */
function renderKea(boot: DhcpBoot): string {
  const classes = classesOf(boot, keaTests).map(({ file, kind, name, tests }) => {
    const options = [
      ...(kind === 'pxe' ? [] : [{ name: 'boot-file-name', data: file, 'always-send': true }]),
      ...(kind === 'http'
        ? [{ name: 'vendor-class-identifier', data: 'HTTPClient', 'always-send': true }]
        : []),
    ];
    return {
      name,
      test: tests.join(' and '),
      ...(kind === 'pxe' && { 'next-server': bootServerOf(boot.folderUrl), 'boot-file-name': file }),
      ...(options.length > 0 && { 'option-data': options }),
    };
  });
  const use = `in "Dhcp4" of kea-dhcp4.conf: "client-classes": <?include "/FOLDER/${dhcpFiles.kea}"?>`;
  return [
    ...introduction('kea', use, 'kea-dhcp4 -t /etc/kea/kea-dhcp4.conf', boot).map((line) => `// ${line}`),
    JSON.stringify(classes, undefined, 2),
    '',
  ].join('\n');
}

const IPXE = "substring(option[77].hex, 0, 4) == 'iPXE' or option[175].exists";
const HTTP = "substring(option[60].hex, 0, 10) == 'HTTPClient'";

const keaTests: ClientTests = {
  kinds: {
    ipxe: `(${IPXE})`,
    http: `not (${IPXE}) and ${HTTP}`,
    pxe: `not (${IPXE}) and not (${HTTP})`,
  },
  architecture: (number) => `option[93].hex == 0x${number.toString(16).padStart(4, '0')}`,
  mac: (mac) => `pkt4.mac == 0x${mac.replaceAll(':', '')}`,
};

/** For `include` in dhcpd.conf. */
function renderIsc(boot: DhcpBoot): string {
  const classes = classesOf(boot, iscTests).map(({ file, kind, name, tests }) =>
    [
      `class "${name}" {`,
      `  match if ${tests.join('\n    and ')};`,
      ...(kind === 'pxe' ? [`  next-server ${bootServerOf(boot.folderUrl)};`] : []),
      ...(kind === 'http' ? ['  option vendor-class-identifier "HTTPClient";'] : []),
      ...(kind === 'pxe'
        ? [`  filename "${file}";`]
        : [
            `  option bootfile-name "${file}";`,
            '  option dhcp-parameter-request-list = concat(option dhcp-parameter-request-list, 3c:43);',
          ]),
      '}',
    ].join('\n'),
  );
  const use = `in dhcpd.conf, outside of its subnets: include "/FOLDER/${dhcpFiles.isc}";`;
  return [
    ...introduction('isc', use, 'dhcpd -t -cf /etc/dhcp/dhcpd.conf', boot).map((line) => `# ${line}`),
    'option boot-arch code 93 = unsigned integer 16;',
    '',
    classes.join('\n\n'),
    '',
  ].join('\n');
}

const iscTests: ClientTests = {
  kinds: {
    ipxe: 'option user-class = "iPXE"',
    http: 'not (option user-class = "iPXE")\n    and substring(option vendor-class-identifier, 0, 10) = "HTTPClient"',
    pxe: 'not (option user-class = "iPXE")\n    and not (substring(option vendor-class-identifier, 0, 10) = "HTTPClient")',
  },
  architecture: (number) => `option boot-arch = 00:${number.toString(16).padStart(2, '0')}`,
  mac: (mac) => {
    // dhcpd writes bytes without leading zeros.
    const bytes = mac.split(':').map((byte) => byte.replace(/^0(?=.)/, ''));
    return `binary-to-ascii(16, 8, ":", substring(hardware, 1, 6)) = "${bytes.join(':')}"`;
  },
};
