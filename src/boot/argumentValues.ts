/** Checks the values of the kernel arguments `console=` and `ip=`. */

import { errorRule, type Issue } from '../ignition/rule.ts';

const consoleSpec = errorRule(
  'console-spec',
  'the kernel does not support this console',
  'use a device and, for a serial port, its options: tty0, ttyS0,115200n8, ttyAMA0, hvc0',
);
const consoleOptions = errorRule(
  'console-options',
  'invalid console options: expected baud rate, parity, bits and flow control',
  'write the options without separators: 115200, 115200n8 or 115200n8r',
);

const lineOptions = /^\d{2,8}(?:[noe](?:[5-8]r?)?)?$/;

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
  const device =
    /^(?:tty[A-Za-z]+|hvc|hvsi|lp|xvc|netcon|brl)\d+(?:,(.*))?$/s.exec(value) ?? earlyUart(value);
  if (device === null) return [{ rule: consoleSpec, path: [] }];
  const options = device[1];
  return options === undefined || lineOptions.test(options) ? [] : [{ rule: consoleOptions, path: [] }];
}

function earlyUart(value: string): RegExpExecArray | null {
  return /^(?:uart|uart8250|pl011),(?:(?:io|mmio|mmio16|mmio32|mmio32be),)?0x[0-9a-fA-F]{1,16}(?:,(.*))?$/s.exec(
    value,
  );
}

const ipSpec = errorRule(
  'ip-spec',
  'dracut does not support this ip= value',
  'use dhcp, dhcp6 or auto6, INTERFACE:dhcp, or ADDRESS::GATEWAY:NETMASK:HOSTNAME:INTERFACE:none',
);

const methods = new Set(
  `dhcp dhcp4 dhcp6 dhcp,dhcp6 dhcp6,dhcp single-dhcp auto auto4 auto6 either6 link-local link4 link6
  on any shared ibft static none off`.split(/\s+/),
);

/**
 * Checks the syntax of an `ip=` value (dracut.cmdline(7)): `METHOD`, `INTERFACE:METHOD[:MTU[:MAC]]` or
 * `ADDRESS:PEER:GATEWAY:NETMASK:HOSTNAME:INTERFACE[:METHOD[:…]]`.
 */
export function checkIp(value: string): Issue[] {
  const fields = splitFields(value);
  const [first = '', second = ''] = fields;
  if (fields.length === 1 && methods.has(first)) return [];
  if (fields.length > 1 && isInterface(first) && methods.has(second)) return [];
  return isStatic(fields) ? [] : [{ rule: ipSpec, path: [] }];
}

/** Splits at colons, except inside an IPv6 address in brackets; the brackets are kept. */
function splitFields(value: string): readonly string[] {
  return value.match(/(?:^|(?<=:))(?:\[[^\]]*\][^:]*|[^:]*)/g) ?? [];
}

function isStatic(fields: readonly string[]): boolean {
  const [address = '', peer = '', gateway = '', netmask = '', , device = '', method = ''] = fields;
  return (
    fields.length >= 6 &&
    [address, peer, gateway].every((field) => field === '' || isAddress(field)) &&
    (address !== '' || method !== '') &&
    (netmask === '' || /^\d{1,3}$/.test(netmask) || isAddress(netmask)) &&
    (device === '' || isInterface(device)) &&
    (method === '' || methods.has(method))
  );
}

function isAddress(field: string): boolean {
  const bare = field.replace(/\/\d{1,3}$/, '');
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(bare)
    ? octetsFit(bare)
    : /^\[[0-9a-fA-F:.]+(?:\/\d{1,3})?\]$/.test(bare);
}

function octetsFit(address: string): boolean {
  return address.split('.').every((octet) => Number(octet) <= 255);
}

/**
 * Linux permits names of up to 15 bytes without slashes; a number would be read as a part of an address. NetworkManager also
 * accepts a MAC address with dashes.
 */
function isInterface(field: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,14}$|^[\da-f]{2}(?:-[\da-f]{2}){5}$/i.test(field);
}
