/** Checks the values of the kernel arguments `console=` and `ip=`. */

import { withoutBrackets } from '../formats/url.ts';
import { type Issue, lintError, lintWarning } from '../ignition/rule.ts';
import { addressBits, formatSubnet, isLinkLocal, parseAddress, parseNetmask } from '../network/ipAddress.ts';
import { isRoute, parseIpMethod, splitFields } from './networkArguments.ts';

const consoleSpec = lintWarning(
  'console-spec',
  'the kernel does not support this console',
  'use a device and, for a serial port, its options: tty0, ttyS0,115200n8, ttyAMA0, hvc0',
);
const consoleOptions = lintWarning(
  'console-options',
  'invalid console options: expected baud rate, parity, bits and flow control',
  'write the options without separators: 115200, 115200n8 or 115200n8r',
);

const LINE_OPTIONS = /^\d{2,8}(?:[noe](?:[5-8]r?)?)?$/;

/**
 * Checks a `console=` value (Documentation/admin-guide/kernel-parameters.txt of Linux): a virtual terminal, a serial port with
 * `bbbbpnf` options (baud, parity, bits, flow control), an early UART by address, or another console device. The kernel
 * accepts any word without an error, and then has no console.
 */
export function checkConsole(value: string): Issue[] {
  if (value.startsWith('console=') || value.startsWith('/dev/')) {
    return [
      { rule: consoleSpec, path: [], message: 'the console has an invalid prefix (console= or /dev/)' },
    ];
  }
  if (/^(?:null|ttynull|tty\d*)$/.test(value)) return [];
  const device = CONSOLE_DEVICE.exec(value) ?? EARLY_UART.exec(value);
  if (device === null) return [{ rule: consoleSpec, path: [] }];
  const options = device[1];
  return options === undefined || LINE_OPTIONS.test(options) ? [] : [{ rule: consoleOptions, path: [] }];
}

const CONSOLE_DEVICE = /^(?:tty[A-Za-z]+|hvc|hvsi|lp|xvc|netcon|brl)\d+(?:,(.*))?$/s;
const EARLY_UART =
  /^(?:uart|uart8250|pl011),(?:(?:io|mmio|mmio16|mmio32|mmio32be),)?0x[0-9a-fA-F]{1,16}(?:,(.*))?$/s;

const ipSpec = lintError(
  'ip-spec',
  'the initramfs does not support this ip= value',
  'use dhcp, dhcp6 or auto6, INTERFACE:dhcp, or ADDRESS::GATEWAY:NETMASK:HOSTNAME:INTERFACE:none',
);

/** Words of dracut.cmdline(7) that NetworkManager does not know, and reads as `auto`, except behind the name of an interface. */
const dracutMethods = new Set(['dhcp4', 'auto4', 'either6', 'link-local', 'link4', 'shared', 'static']);

function isMethod(text: string): boolean {
  return text !== '' && (parseIpMethod(text) !== undefined || dracutMethods.has(text));
}

/**
 * Checks the syntax of an `ip=` value (dracut.cmdline(7)): `METHOD`, `INTERFACE:METHOD[:MTU[:MAC]]` or
 * `ADDRESS:PEER:GATEWAY:NETMASK:HOSTNAME:INTERFACE[:METHOD[:…]]`.
 */
export function checkIp(value: string): Issue[] {
  const fields = splitFields(value);
  const [first = '', second = ''] = fields;
  if (fields.length === 1 && isMethod(first)) return [];
  if (fields.length > 1 && isInterface(first) && isMethod(second)) {
    return dracutMethods.has(second) ? [{ rule: ipSpec, path: [], message: methodMessage(second) }] : [];
  }
  return isStatic(fields) ? checkSubnet(fields) : [{ rule: ipSpec, path: [] }];
}

function methodMessage(method: string): string {
  return `NetworkManager of the initramfs ignores INTERFACE:${method}: it does not know the method`;
}

const ipNetmask = lintWarning(
  'ip-netmask',
  'the netmask is invalid: the host gets another network than you expect',
  'use a prefix length such as 24 or 64, or a netmask such as 255.255.255.0',
);
const ipGateway = lintWarning(
  'ip-gateway',
  'the gateway is outside the network of the address',
  'fix the gateway or the netmask',
);

function checkSubnet([address = '', , gateway = '', netmask = '']: readonly string[]): Issue[] {
  const ip = parseAddress(withoutBrackets(address));
  if (ip === undefined || netmask === '') return [];
  const prefixLength = parseNetmask(withoutBrackets(netmask), ip.family);
  if (prefixLength === undefined) return [{ rule: ipNetmask, path: [] }];
  const router = parseAddress(withoutBrackets(gateway));
  const isOutside =
    router?.family === ip.family &&
    !isLinkLocal(router) &&
    formatSubnet({ address: router, prefixLength }) !== formatSubnet({ address: ip, prefixLength });
  // A host route to the gateway is usual with addresses that have no network.
  return isOutside && prefixLength < addressBits(ip.family) ? [{ rule: ipGateway, path: [] }] : [];
}

const argumentSyntax = lintWarning(
  'argument-value',
  'the initramfs ignores the value',
  'use the format that dracut.cmdline(7) describes',
);

export const argumentValueRules = {
  consoleSpec,
  consoleOptions,
  ipSpec,
  ipNetmask,
  ipGateway,
  argumentSyntax,
};

const BOND_MODES =
  /^(?:[0-6]|balance-rr|active-backup|balance-xor|broadcast|802\.3ad|balance-tlb|balance-alb)$/;

/** Finds values of network arguments that the initramfs ignores. */
const networkChecks: Readonly<Record<string, (value: string) => string | undefined>> = {
  bond: (value) => {
    const [, mode] = /(?:^|[:,])mode=([^,:]*)/.exec(value) ?? [];
    if (mode === undefined || BOND_MODES.test(mode)) return undefined;
    return 'use bond=bond0:eno1,eno2:mode=active-backup, or another mode of the kernel';
  },
  nameserver: (value) => {
    const isUrl = value.includes('://');
    const isServer = isUrl || parseAddress(withoutBrackets(value)) !== undefined;
    return isServer ? undefined : 'use an IP address: nameserver=192.0.2.53';
  },
  ifname: (value) =>
    /^[^:/\s]{1,15}:[\da-f]{2}(?::[\da-f]{2}){5}$/i.test(value)
      ? undefined
      : 'use NAME:MAC: ifname=net0:52:54:00:12:34:56',
  'rd.route': (value) =>
    isRoute(value)
      ? undefined
      : 'use NETWORK/PREFIX:GATEWAY:INTERFACE, with IPv6 in brackets: rd.route=198.51.100.0/24:192.0.2.1:eno1',
  vlan: (value) => (/^[^:]+:[^:]+/.test(value) ? undefined : 'use NAME:INTERFACE: vlan=eno1.5:eno1'),
};

export function checkNetworkArgument(name: string, value: string): Issue[] {
  const hint = Object.hasOwn(networkChecks, name) ? networkChecks[name]?.(value) : undefined;
  return hint === undefined ? [] : [{ rule: argumentSyntax, path: [], hint }];
}

function isStatic(fields: readonly string[]): boolean {
  const [address = '', peer = '', gateway = '', netmask = '', , device = '', method = ''] = fields;
  return (
    fields.length >= 6 &&
    [address, peer, gateway].every((field) => field === '' || isAddress(field)) &&
    (address !== '' || method !== '') &&
    (netmask === '' || /^(?:\d{1,3}|\[\d{1,3}\])$/.test(netmask) || isAddress(netmask)) &&
    (device === '' || isInterface(device)) &&
    (method === '' || isMethod(method))
  );
}

/** IPv6 requires brackets, which the initramfs removes from any field. A prefix length may be inside or behind them. */
function isAddress(field: string): boolean {
  const [, inBrackets, plain = ''] =
    /^(?:\[([^\]/]*)(?:\/\d{1,3})?\]|([^:/[]*))(?:\/\d{1,3})?$/.exec(field) ?? [];
  return parseAddress(inBrackets ?? plain) !== undefined;
}

/**
 * Linux permits names of up to 15 bytes without slashes; a number would be read as a part of an address. NetworkManager also
 * accepts a MAC address with dashes.
 */
function isInterface(field: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,14}$|^[\da-f]{2}(?:-[\da-f]{2}){5}$/i.test(field);
}
