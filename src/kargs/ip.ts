/**
 * The values of `ip=` and `rd.route=` (dracut.cmdline(7)) as nm-initrd-generator of NetworkManager reads them in the initramfs of
 * CoreOS (nm-initrd-generator(8), nmi-cmdline-reader.c). It ignores some mistakes, and reads others as another value.
 */

import { withBrackets } from '../formats/url.ts';
import { lintError, type Rule } from '../core/rule.ts';
import {
  addressBits,
  formatAddress,
  type IpAddress,
  parseAddress,
  parseNetmask,
  type Subnet,
} from '../network/ipAddress.ts';

const ipSpec = lintError(
  'ip-spec',
  'the initramfs does not support this ip= value',
  'use dhcp, dhcp6 or auto6, INTERFACE:dhcp, or ADDRESS::GATEWAY:NETMASK:HOSTNAME:INTERFACE:none',
);

export const ipRules = { ipSpec };

export interface IpArgument {
  /** A name or a MAC address; empty for any interface. */
  readonly device: string;
  readonly method: IpMethod;
  readonly address?: Subnet | undefined;
  readonly gateway?: IpAddress | undefined;
  readonly dns: readonly IpAddress[];
}

type IpMethod = 'dhcp' | 'dhcp6' | 'link6' | 'auto' | 'none' | 'ibft';

const methods: ReadonlyMap<string, IpMethod> = new Map([
  ['', 'auto'],
  ['any', 'auto'],
  ['auto', 'auto'],
  ['auto6', 'dhcp6'],
  ['dhcp', 'dhcp'],
  ['dhcp6', 'dhcp6'],
  ['fw', 'ibft'],
  ['ibft', 'ibft'],
  ['link6', 'link6'],
  ['none', 'none'],
  ['off', 'none'],
  ['on', 'auto'],
  ['single-dhcp', 'dhcp'],
]);

/** Words of dracut.cmdline(7) that NetworkManager does not know, and reads as `auto`, except behind the name of an interface. */
const dracutMethods = new Set(['dhcp4', 'auto4', 'either6', 'link-local', 'link4', 'shared', 'static']);

/** The method that a word or a list with commas means; undefined for others. */
function parseMethod(text: string): IpMethod | undefined {
  const parts = new Set(text.split(',').map((word) => methods.get(word)));
  if (parts.has('auto')) parts.delete('dhcp6');
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  return others.length === 1 && parts.has('dhcp') && parts.has('dhcp6') ? 'auto' : undefined;
}

/** An `ip=` value: what NetworkManager makes of it (undefined if it ignores the value), and the mistakes in it. */
export interface ReadIp {
  readonly argument?: IpArgument;
  readonly issues: readonly Rule[];
}

/**
 * `METHOD`, `INTERFACE:METHOD[:MTU[:MAC]]` or
 * `ADDRESS:PEER:GATEWAY:NETMASK:HOSTNAME:INTERFACE[:METHOD[:MTU[:MAC] | :DNS[:DNS[:NTP]]]]`.
 */
export function readIp(value: string): ReadIp {
  const fields = splitFields(value);
  const [first = '', second = '', gateway = '', netmask = '', , device = '', method = '', ...rest] = fields;
  const unsupported = [ipSpec];
  if (value === '') return { issues: unsupported };
  if (fields.length === 1) {
    const issues = isMethod(first) ? [] : unsupported;
    return { argument: { device: '', method: parseMethod(first) ?? 'auto', dns: [] }, issues };
  }
  const named = second === '' ? undefined : parseMethod(second);
  if (named !== undefined) {
    return {
      argument: { device: first, method: named, dns: [] },
      issues: isInterface(first) ? [] : unsupported,
    };
  }
  if (isInterface(first) && dracutMethods.has(second)) {
    const message = `NetworkManager of the initramfs ignores INTERFACE:${second}: it does not know the method`;
    return { issues: [{ ...ipSpec, message }] };
  }
  const [, start = '', prefix] = /^([^/]*)(?:\/(.*))?$/s.exec(first) ?? [];
  const ip = parseAddress(start);
  if (first !== '' && ip === undefined) return { issues: unsupported };
  const masked = ip && parseNetmask(netmask, ip.family);
  const prefixLength = masked ?? (ip && parseNetmask(prefix ?? '', ip.family));
  const isWritten =
    fields.length >= 6 &&
    (first !== '' || method !== '') &&
    /^\d{1,3}$/.test(prefix ?? '0') &&
    [second, gateway].every((text) => text === '' || parseAddress(text) !== undefined) &&
    (/^\d{0,3}$/.test(netmask) || parseAddress(netmask) !== undefined) &&
    (device === '' || isInterface(device)) &&
    (method === '' || isMethod(method));
  const isOtherNetwork = ip !== undefined && netmask !== '' && masked === undefined;
  const servers = rest.slice(0, 2).map(parseAddress);
  return {
    argument: {
      device,
      method: parseMethod(method) ?? 'auto',
      address: ip && { address: ip, prefixLength: prefixLength ?? usualPrefix(ip) },
      gateway: parseAddress(gateway),
      dns: servers[0] === undefined ? [] : servers.flatMap((server) => server ?? []),
    },
    issues: isWritten && !isOtherNetwork ? [] : unsupported,
  };
}

function isMethod(text: string): boolean {
  return text !== '' && (parseMethod(text) !== undefined || dracutMethods.has(text));
}

/** Without a valid netmask, NetworkManager uses the class of an IPv4 address, and 64 for IPv6. */
function usualPrefix({ family, number }: IpAddress): number {
  if (family === 6) return 64;
  const first = number >> 24n;
  if (first < 128n) return 8;
  return first < 192n ? 16 : 24;
}

/** Interfaces have names of up to 15 bytes without slashes. A number is read as a part of an address. */
function isInterface(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(text) || isMacName(text);
}

/** Whether a name is a MAC address, which finds an interface; `ip=` requires dashes in it. */
export function isMacName(name: string): boolean {
  return /^[\da-f]{2}(?:[-:][\da-f]{2}){5}$/i.test(name);
}

export interface RouteArgument {
  /** Empty if the argument names none. */
  readonly device: string;
  /** Undefined if NetworkManager ignores it. The connection of the interface exists even then. */
  readonly route?: {
    readonly destination: Subnet;
    /** Undefined for a destination on the link. */
    readonly gateway: IpAddress | undefined;
  };
}

/** Reads an `rd.route=` value: `NETWORK[/PREFIX]:GATEWAY[:INTERFACE]`. */
export function readRoute(value: string): RouteArgument {
  const [network = '', router = '', device = ''] = splitFields(value);
  const [start = '', prefix] = network.split('/');
  const address = parseAddress(start);
  if (address === undefined) return { device };
  const { family } = address;
  const prefixLength = prefix === undefined ? addressBits(family) : parseNetmask(prefix, family);
  const gateway = parseAddress(router);
  if (prefixLength === undefined || (router !== '' && gateway?.family !== family)) return { device };
  return { device, route: { destination: { address, prefixLength }, gateway } };
}

/** The value of an `ip=` for an address; `end` is `INTERFACE:METHOD` and what follows. */
export function formatIp(
  { address, prefixLength }: Subnet,
  gateway: IpAddress | undefined,
  end: string,
): string {
  return `${formatField(address)}::${formatField(gateway)}:${prefixLength}::${end}`;
}

export function formatRoute(
  { destination, gateway }: NonNullable<RouteArgument['route']>,
  device: string,
): string {
  const network = `${formatAddress(destination.address)}/${destination.prefixLength}`;
  return `${withBrackets(network)}:${formatField(gateway)}:${device}`;
}

function formatField(address: IpAddress | undefined): string {
  return address === undefined ? '' : withBrackets(formatAddress(address));
}

/**
 * The fields of a value. Colons separate them, except in brackets, which IPv6 addresses require. NetworkManager removes the brackets,
 * and what follows them up to the next colon.
 */
export function splitFields(value: string): readonly string[] {
  const fields = value.match(/(?:^|(?<=:))(?:\[[^\]]*\][^:]*|[^:]*)/g) ?? [];
  return fields.map((field) => field.replace(/^\[([^\]]*)\].*$/s, '$1'));
}
