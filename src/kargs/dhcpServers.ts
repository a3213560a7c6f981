/**
 * The boot files for each kind of client, as classes for a DHCP server that the network already has: Kea or dhcpd of ISC. They only add to
 * its configuration. Both servers send what the last class says of a client, so that each client is in one class. For IPv4.
 */

import { parseUrl, urlHost } from '../formats/url.ts';
import { isIpv4 } from '../formats/hostName.ts';
import type { NetworkHost } from './loaders/loader.ts';

export const dhcpServers = ['kea', 'isc'] as const;

export type DhcpServer = (typeof dhcpServers)[number];

/** The files of the servers, in the folder of the boot scripts. */
export const dhcpFiles: Readonly<Record<DhcpServer, string>> = {
  kea: 'kea-classes.json',
  isc: 'dhcpd-classes.conf',
};

export interface DhcpBoot {
  /** HTTP URL of the folder with `boot.ipxe`, without a final slash. Its host, an IPv4 address, is also the TFTP server. */
  readonly folderUrl: string;
  readonly hosts: readonly NetworkHost[];
}

/** Clients of one kind; `ipxe` is the user class of iPXE, `http` UEFI HTTP boot, and `pxe` anything else. */
interface ClientClass {
  readonly name: string;
  readonly kind: 'ipxe' | 'http' | 'pxe';
  /** Client architectures (RFC 4578, IANA "Processor Architecture Types"); empty for all. */
  readonly architectures: readonly number[];
  readonly macs?: readonly string[];
  /** A file of the TFTP server, or a URL. */
  readonly file: string;
}

export function renderDhcpClasses(server: DhcpServer, boot: DhcpBoot): string {
  return server === 'kea' ? renderKea(boot) : renderIsc(boot);
}

/** The address of the server; undefined if the URL has none of IPv4. */
export function dhcpBootServer(folderUrl: string): string | undefined {
  const host = parseUrl(folderUrl) === undefined ? '' : urlHost(folderUrl);
  return isIpv4(host) ? host : undefined;
}

function classesOf({ folderUrl, hosts }: DhcpBoot): readonly ClientClass[] {
  const isos = hosts.flatMap(({ macs, name, start }): ClientClass[] =>
    start.kind === 'iso' && macs.length > 0
      ? [{ name: `boot-iso-${name}`, kind: 'http', architectures: [], macs, file: start.url }]
      : [],
  );
  return [
    { name: 'boot-ipxe', kind: 'ipxe', architectures: [], file: `${folderUrl}/boot.ipxe` },
    { name: 'boot-bios', kind: 'pxe', architectures: [0], file: 'undionly.kpxe' },
    { name: 'boot-x86_64', kind: 'pxe', architectures: [7, 9], file: 'snponly-x86_64.efi' },
    { name: 'boot-aarch64', kind: 'pxe', architectures: [11], file: 'snponly-aarch64.efi' },
    ...isos,
    { name: 'boot-http-x86_64', kind: 'http', architectures: [16], file: `${folderUrl}/snponly-x86_64.efi` },
    {
      name: 'boot-http-aarch64',
      kind: 'http',
      architectures: [19],
      file: `${folderUrl}/snponly-aarch64.efi`,
    },
  ];
}

/** All MAC addresses of hosts that boot an ISO by UEFI HTTP boot, and not a boot loader. */
function isoMacs(boot: DhcpBoot): readonly string[] {
  return classesOf(boot).flatMap(({ macs = [] }) => macs);
}

function introduction(server: DhcpServer, use: string, check: string): readonly string[] {
  return [
    'Classes with the boot files of each kind of client, for a DHCP server that the network already has. It is written again by each run.',
    `  use it:     ${use}`,
    `  check it:   ${check}`,
    'The boot loaders of iPXE are in the folder of TFTP of this machine, as dnsmasq.conf says. A TFTP server without DHCP:',
    '  dnsmasq --port=0 --enable-tftp --tftp-root=/var/lib/tftpboot',
    `  UEFI HTTP boot, in the folder of ${dhcpFiles[server]}: cp /var/lib/tftpboot/snponly-*.efi .`,
  ];
}

/** A JSON list with comments, for `"client-classes"` of `Dhcp4`. Kea sends an option that a client does not ask for only with `always-send`. */
function renderKea(boot: DhcpBoot): string {
  const isoTest = isoMacs(boot).map((mac) => `pkt4.mac == 0x${mac.replaceAll(':', '')}`);
  const classes = classesOf(boot).map(({ architectures, file, kind, macs = [], name }) => {
    const tests = [
      keaKinds[kind],
      anyOf(architectures.map((number) => `option[93].hex == 0x${hexOf(number, 4)}`)),
      anyOf(macs.map((mac) => `pkt4.mac == 0x${mac.replaceAll(':', '')}`)),
      kind === 'http' && macs.length === 0 && isoTest.length > 0 ? `not ${anyOf(isoTest)}` : '',
    ];
    const options = [
      ...(kind === 'pxe' ? [] : [{ name: 'boot-file-name', data: file, 'always-send': true }]),
      ...(kind === 'http'
        ? [{ name: 'vendor-class-identifier', data: 'HTTPClient', 'always-send': true }]
        : []),
    ];
    return {
      name,
      test: tests.filter((test) => test !== '').join(' and '),
      ...(kind === 'pxe' && { 'next-server': dhcpBootServer(boot.folderUrl), 'boot-file-name': file }),
      ...(options.length > 0 && { 'option-data': options }),
    };
  });
  const use = `in "Dhcp4" of kea-dhcp4.conf: "client-classes": <?include "/FOLDER/${dhcpFiles.kea}"?>`;
  return [
    ...introduction('kea', use, 'kea-dhcp4 -t /etc/kea/kea-dhcp4.conf').map((line) => `// ${line}`),
    JSON.stringify(classes, undefined, 2),
    '',
  ].join('\n');
}

const IPXE = "substring(option[77].hex, 0, 4) == 'iPXE' or option[175].exists";
const HTTP = "substring(option[60].hex, 0, 10) == 'HTTPClient'";

const keaKinds: Readonly<Record<ClientClass['kind'], string>> = {
  ipxe: `(${IPXE})`,
  http: `not (${IPXE}) and ${HTTP}`,
  pxe: `not (${IPXE}) and not (${HTTP})`,
};

function hexOf(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

/** In parentheses, empty for no test. */
function anyOf(tests: readonly string[]): string {
  return tests.length === 0 ? '' : `(${tests.join(' or ')})`;
}

/** For `include` in dhcpd.conf. */
function renderIsc(boot: DhcpBoot): string {
  const isoTest = isoMacs(boot).map(iscMac);
  const classes = classesOf(boot).map(({ architectures, file, kind, macs = [], name }) => {
    const tests = [
      iscKinds[kind],
      anyOf(architectures.map((number) => `option boot-arch = 00:${hexOf(number, 2)}`)),
      anyOf(macs.map(iscMac)),
      kind === 'http' && macs.length === 0 && isoTest.length > 0 ? `not ${anyOf(isoTest)}` : '',
    ];
    return [
      `class "${name}" {`,
      `  match if ${tests.filter((test) => test !== '').join('\n    and ')};`,
      ...(kind === 'pxe' ? [`  next-server ${dhcpBootServer(boot.folderUrl) ?? ''};`] : []),
      ...(kind === 'http' ? ['  option vendor-class-identifier "HTTPClient";'] : []),
      ...(kind === 'pxe'
        ? [`  filename "${file}";`]
        : [
            `  option bootfile-name "${file}";`,
            '  option dhcp-parameter-request-list = concat(option dhcp-parameter-request-list, 3c:43);',
          ]),
      '}',
    ].join('\n');
  });
  const use = `in dhcpd.conf, outside of its subnets: include "/FOLDER/${dhcpFiles.isc}";`;
  return [
    ...introduction('isc', use, 'dhcpd -t -cf /etc/dhcp/dhcpd.conf').map((line) => `# ${line}`),
    'option boot-arch code 93 = unsigned integer 16;',
    '',
    classes.join('\n\n'),
    '',
  ].join('\n');
}

const iscKinds: Readonly<Record<ClientClass['kind'], string>> = {
  ipxe: 'option user-class = "iPXE"',
  http: 'not (option user-class = "iPXE")\n    and substring(option vendor-class-identifier, 0, 10) = "HTTPClient"',
  pxe: 'not (option user-class = "iPXE")\n    and not (substring(option vendor-class-identifier, 0, 10) = "HTTPClient")',
};

/** dhcpd writes bytes without leading zeros. */
function iscMac(mac: string): string {
  const bytes = mac.split(':').map((byte) => byte.replace(/^0(?=.)/, ''));
  return `binary-to-ascii(16, 8, ":", substring(hardware, 1, 6)) = "${bytes.join(':')}"`;
}
