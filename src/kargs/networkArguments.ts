/**
 * The network that kernel arguments describe, as nm-initrd-generator of NetworkManager reads them in the initramfs of CoreOS
 * (nm-initrd-generator(8), nmi-cmdline-reader.c): one connection for each interface, which all of its arguments change in their
 * order. The checks of connections are those of keyfiles. Not read: iBFT, InfiniBand, rd.znet.
 */

import type { Path } from '../core/finding.ts';
import { parseUrl, withoutBrackets } from '../formats/url.ts';
import { type Issue, lintError, lintWarning } from '../ignition/rule.ts';
import { automaticIp, type Connection, type IpConfig } from '../network/connection.ts';
import {
  addressBits,
  type Family,
  formatAddress,
  type IpAddress,
  parseAddress,
  parseNetmask,
  type Subnet,
} from '../network/ipAddress.ts';
import { networkRules } from '../network/networkRules.ts';
import { connectedServer, isExceptForGo, isExceptForPython } from '../network/noProxy.ts';
import { findOwnAddresses, findReachProblem, networkServers, type Server } from '../network/reachability.ts';
import { argumentName, argumentValue, type KernelArgument } from './bootSettings.ts';
import { allCoreosArguments, coreosArguments } from './coreosArguments.ts';

export const networkArgumentRules = {
  cancelled: lintWarning(
    'ip-cancelled',
    'another network argument for the same interface cancels this one',
    'use one ip= for each interface',
  ),
  rejected: lintError(
    'ip-rejected',
    'NetworkManager rejects the connection of the network arguments, so the interface has no network',
    'write the gateway and the DNS servers in the IP version of the address, or add an address of the other version',
  ),
  unreachable: lintWarning(
    'ip-unreachable',
    'the network of the kernel arguments does not reach a server that the arguments name',
    'fix the ip= arguments, or use a URL that the host reaches',
  ),
};

/** Arguments that create or change a connection. */
const networkNames: ReadonlySet<string> = new Set([
  'ip',
  'bond',
  'bridge',
  'team',
  'vlan',
  'nameserver',
  'rd.route',
]);

/** Whether an argument configures the network of the initramfs. */
export function isNetworkArgument(text: string): boolean {
  return networkNames.has(argumentName(text));
}

/**
 * Returns the issues of the network of all arguments together.
 * @param added other arguments of the command line, which a boot loader adds
 */
export function checkArgumentNetwork(
  placed: readonly KernelArgument[],
  added: readonly string[] = [],
): readonly Issue[] {
  const { connections, issues } = readNetwork(placed);
  return [...issues, ...checkReach(placed, connections, added)];
}

/** The connections that NetworkManager creates; none without arguments for them. */
export function argumentConnections(texts: readonly string[]): readonly Connection[] {
  return readNetwork(texts.map((text) => ({ text, path: [] }))).connections;
}

/** The arguments with servers, and what the host needs these for. */
const purposes: ReadonlyMap<string, string> = new Map([
  ...allCoreosArguments.flatMap(({ name, fetched }) =>
    fetched === undefined ? [] : [[name, fetched] as const],
  ),
  ['ipa-api-url', 'Ironic'],
  ['ipa-inspection-callback-url', 'inspector'],
  ['ipa-ntp-server', 'NTP server'],
]);

/** The servers that an argument names; of those of the agent, one suffices. */
export function argumentServers(text: string, all: readonly string[]): readonly Server[] {
  const name = argumentName(text);
  const purpose = purposes.get(name);
  const value = argumentValue(text) ?? '';
  if (purpose === undefined || value === '' || value.includes('${')) return [];
  if (name === 'ipa-ntp-server') return [{ purpose, host: value }];
  // The environment that `systemd.setenv=` gives to all services, with names in lower case.
  const variables = new Map(
    all.flatMap((other) => {
      const assignment = argumentName(other) === 'systemd.setenv' ? (argumentValue(other) ?? '') : '';
      const assigned = argumentValue(assignment);
      return assigned === undefined ? [] : [[argumentName(assignment).toLowerCase(), assigned] as const];
    }),
  );
  const isOfAgent = name.startsWith('ipa-');
  return (isOfAgent ? value.split(',') : [value]).flatMap((item) => {
    const url = parseUrl(item); // not `mdns`
    if (url === undefined) return [];
    // Ignition reads no proxies from kernel arguments. curl, which fetches the root filesystem, reads exceptions much like Go.
    const used = name === coreosArguments.configUrl.name ? noVariables : variables;
    return [connectedServer(purpose, url, used, isOfAgent ? isExceptForPython : isExceptForGo)];
  });
}

/** Whether the interface from which the machine booted gets a connection with DHCP. */
export function usesBootInterface(texts: readonly string[]): boolean {
  return texts.some((text) => text.startsWith('BOOTIF=')) && !texts.includes('rd.bootif=0');
}

const noVariables: ReadonlyMap<string, string> = new Map();

function checkReach(
  placed: readonly KernelArgument[],
  connections: readonly Connection[],
  added: readonly string[],
): readonly Issue[] {
  const texts = [...placed.map(({ text }) => text), ...added];
  const needs = placed.map(({ path, text }) => ({ path, servers: argumentServers(text, texts) }));
  const path = placed.find(({ text }) => isNetworkArgument(text))?.path ?? [];
  const servers = [...networkServers(connections), ...needs.flatMap((need) => need.servers)];
  const ofAddresses = findOwnAddresses(connections, servers).map(({ hint, message }) => ({
    rule: networkRules.ownAddress,
    path,
    message,
    hint,
  }));
  if (usesBootInterface(texts)) return ofAddresses;
  return [
    ...ofAddresses,
    ...needs.flatMap(({ path: at, servers: alternatives }) => {
      const problems = alternatives.map(({ host }) => findReachProblem(connections, host));
      const [problem] = problems;
      if (problem === undefined || problems.includes(undefined)) return [];
      const { hint, message } = problem;
      return [{ rule: networkArgumentRules.unreachable, path: at, message, hint }];
    }),
  ];
}

interface ReadNetwork {
  readonly connections: readonly Connection[];
  readonly issues: readonly Issue[];
}

/** A connection while its arguments are read. */
interface Device {
  /** The name of the interface, its MAC address in upper case, or empty for any interface. */
  readonly name: string;
  type: string;
  /** Whether an `ip=` is for it. */
  isConfigured: boolean;
  controller?: string;
  vlan?: Connection['vlan'];
  readonly ip: Readonly<Record<Family, { -readonly [Key in keyof IpConfig]: IpConfig[Key] }>>;
}

/** What an `ip=` asks for, to see whether the connection still has it in the end. */
interface WantedNetwork {
  readonly path: Path;
  readonly device: Device;
  /** Why it does not get it; undefined if it does. */
  readonly missed: () => string | undefined;
}

function readNetwork(placed: readonly KernelArgument[]): ReadNetwork {
  const devices = new Map<string, Device>();
  const deviceOf = (name: string, type?: string): Device => {
    const key = MAC_NAME.test(name) ? name.replaceAll('-', ':').toUpperCase() : name;
    const device = devices.get(key) ?? {
      name: key,
      type: 'ethernet',
      isConfigured: false,
      ip: { 4: { ...automaticIp }, 6: { ...automaticIp } },
    };
    devices.set(key, device);
    if (type !== undefined) device.type = type;
    return device;
  };
  const valuesOf = (name: string): readonly string[] =>
    placed.flatMap(({ text }) => (argumentName(text) === name ? [argumentValue(text) ?? ''] : []));
  const wanted: WantedNetwork[] = [];
  const repeated: Issue[] = [];
  for (const { path, text } of placed) {
    const value = argumentValue(text) ?? '';
    const [first = '', second = ''] = splitFields(value);
    switch (argumentName(text)) {
      case 'ip': {
        const read = parseIp(value);
        if (read === undefined) break;
        const device = deviceOf(read.device);
        configure(device, read);
        wanted.push({ path, device, missed: () => findMissed(device, read) });
        break;
      }
      case 'bond':
      case 'bridge':
      case 'team': {
        const type = argumentName(text);
        const assumed = type === 'bridge' ? 'br0' : `${type}0`;
        const controller = deviceOf(first === '' ? assumed : first, type).name;
        for (const name of second.split(',')) {
          const port = deviceOf(name === '' ? 'eth0' : name);
          if (port.controller !== undefined) repeated.push(repeatedPort(port, controller, path));
          port.controller = controller;
        }
        break;
      }
      case 'vlan':
        deviceOf(first, 'vlan').vlan = { id: Number(/\d*$/.exec(first)?.[0]), parent: second };
        break;
      default:
    }
  }
  for (const parent of [...devices.values()].flatMap(({ vlan }) => vlan?.parent ?? [])) {
    const device = deviceOf(parent);
    if (!device.isConfigured) disable(device);
  }
  for (const value of valuesOf('rd.route')) addRoute(value, deviceOf, devices);
  const servers = valuesOf('nameserver').flatMap((text) => parseAddress(withoutBrackets(text)) ?? []);
  const cancelled = wanted.flatMap(({ device, missed, path }) => {
    const reason = missed();
    return reason === undefined ? [] : [cancelledIssue(device, reason, path)];
  });
  const rejected = [...devices.values()].flatMap((device) => {
    const reason = findRejection(device);
    const last = wanted.findLast((one) => one.device === device);
    return reason === undefined || last === undefined
      ? []
      : [{ rule: networkArgumentRules.rejected, path: last.path, message: reason, device }];
  });
  const accepted = [...devices.values()].filter(
    (device) => !rejected.some((issue) => issue.device === device),
  );
  return {
    issues: [...repeated, ...cancelled, ...rejected.map(({ device: _device, ...issue }) => issue)],
    connections: accepted.map((device) => connectionOf(device, servers)),
  };
}

/** Methods with which a connection has no DNS servers. */
const withoutServers: ReadonlySet<string> = new Set(['disabled', 'link-local']);

/** Why NetworkManager drops a connection (nm_connection_verify), with all of its settings. */
function findRejection({ ip, name }: Device): string | undefined {
  const device = name === '' ? 'the connection for all interfaces' : name;
  for (const family of [4, 6] as const) {
    const { addresses, dns, gateway, method } = ip[family];
    const version = `IPv${family}`;
    const reason =
      (gateway !== undefined && addresses.length === 0 && `a gateway, but no address, for ${version}`) ||
      (withoutServers.has(method) && dns.length > 0 && `a DNS server, but no network, for ${version}`) ||
      (method === 'link-local' && addresses.length > 0 && `an address besides the method link6`);
    if (reason !== false) return `NetworkManager rejects ${device}: it has ${reason}`;
  }
  return undefined;
}

function cancelledIssue({ controller, name }: Device, reason: string, path: Path): Issue {
  const device = name === '' ? '' : `${name.replaceAll(':', '-')}:`;
  const hint =
    controller === undefined
      ? `use ip=${device}dhcp,dhcp6 for both IP versions, or write the address with dhcp in place of none`
      : `use ip=${controller}:dhcp, or another ip= for ${controller}`;
  return { rule: networkArgumentRules.cancelled, path, message: reason, hint };
}

function repeatedPort({ controller: earlier, name }: Device, controller: string, path: Path): Issue {
  const message =
    earlier === controller
      ? `${name} is listed twice as a port of ${controller}`
      : `${name} is a port of ${earlier} already; NetworkManager makes it a port of ${controller} only`;
  return { rule: networkArgumentRules.cancelled, path, message, hint: 'list each port once' };
}

const MAC_NAME = /^[\da-f]{2}(?:[-:][\da-f]{2}){5}$/i;

/** Turns off DHCP and autoconfiguration of each IP version without addresses. */
function disable({ ip }: Device): void {
  for (const config of [ip[4], ip[6]]) if (config.addresses.length === 0) config.method = 'disabled';
}

interface IpArgument {
  /** Empty for any interface. */
  readonly device: string;
  readonly method: IpMethod;
  readonly address: Subnet | undefined;
  readonly gateway: IpAddress | undefined;
  readonly dns: readonly IpAddress[];
}

type IpMethod = 'dhcp' | 'dhcp6' | 'link6' | 'auto' | 'none' | 'ibft';

const methods: Readonly<Record<string, IpMethod>> = {
  '': 'auto',
  any: 'auto',
  auto: 'auto',
  auto6: 'dhcp6',
  dhcp: 'dhcp',
  dhcp6: 'dhcp6',
  fw: 'ibft',
  ibft: 'ibft',
  link6: 'link6',
  none: 'none',
  off: 'none',
  on: 'auto',
  'single-dhcp': 'dhcp',
};

/** The method that a word or a list with commas means; undefined for others. */
export function parseIpMethod(text: string): IpMethod | undefined {
  if (Object.hasOwn(methods, text)) return methods[text];
  const parts = new Set(
    text.split(',').map((word) => (Object.hasOwn(methods, word) ? methods[word] : undefined)),
  );
  if (!text.includes(',') || parts.has(undefined)) return undefined;
  if (parts.has('auto')) parts.delete('dhcp6');
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  return others.length === 1 && parts.has('dhcp') && parts.has('dhcp6') ? 'auto' : undefined;
}

/** Undefined for a value that NetworkManager ignores. */
function parseIp(value: string): IpArgument | undefined {
  const fields = splitFields(value).map(withoutBrackets);
  const [first = '', second = '', gateway = '', netmask = '', , device = '', method = '', ...servers] =
    fields;
  const nothing = { address: undefined, gateway: undefined, dns: [] };
  if (value === '') return undefined;
  if (fields.length === 1) return { ...nothing, device: '', method: parseIpMethod(first) ?? 'auto' };
  const named = second === '' ? undefined : parseIpMethod(second);
  if (named !== undefined) return { ...nothing, device: first, method: named };
  const [text = '', prefix] = first.replace(']', '').split('/');
  const ip = parseAddress(text);
  if (first !== '' && ip === undefined) return undefined;
  const dns = servers.slice(0, 2).map((server) => parseAddress(server));
  return {
    device,
    method: parseIpMethod(method) ?? 'auto',
    address: ip && { address: ip, prefixLength: prefixOf(netmask === '' ? prefix : netmask, ip) },
    gateway: parseAddress(gateway),
    dns: dns[0] === undefined ? [] : dns.flatMap((server) => server ?? []),
  };
}

/** Without a valid netmask, NetworkManager uses the class of an IPv4 address, and 64 for IPv6. */
function prefixOf(text: string | undefined, { family, groups }: IpAddress): number {
  const given = text === undefined ? undefined : parseNetmask(text, family);
  if (given !== undefined) return given;
  if (family === 6) return 64;
  const [first = 0] = groups;
  if (first < 128) return 8;
  return first < 192 ? 16 : 24;
}

function configure(device: Device, { address, dns, gateway, method }: IpArgument): void {
  const { ip } = device;
  device.isConfigured = true;
  if (address !== undefined) {
    const config = ip[address.address.family];
    config.method = 'manual';
    config.addresses = [...config.addresses, address];
  }
  const isStatic = { 4: ip[4].addresses.length > 0, 6: ip[6].addresses.length > 0 };
  if (method === 'none') disable(device);
  if (method === 'dhcp') {
    ip[4].method = 'auto';
    if (!isStatic[6]) ip[6].method = 'auto';
  }
  if (method === 'dhcp6' || method === 'link6') {
    ip[6].method = method === 'dhcp6' ? 'auto' : 'link-local';
    if (!isStatic[4]) ip[4].method = 'disabled';
  }
  if (gateway !== undefined) ip[gateway.family].gateway = gateway;
  for (const server of dns) ip[server.family].dns = [...ip[server.family].dns, server];
}

/** Whether an argument has no effect in the end: each one changes the connection that the earlier ones have made. */
function findMissed(
  { controller, ip, name }: Device,
  { address, gateway, method }: IpArgument,
): string | undefined {
  const device = name === '' ? 'the same interface' : name;
  const later = `a later ip= for ${device}`;
  if (controller !== undefined && (method !== 'none' || address !== undefined)) {
    return `${device} is a port of ${controller}, so NetworkManager gives it no address`;
  }
  if (method === 'dhcp' && ip[4].method !== 'auto') return `${later} turns DHCP for IPv4 off`;
  if (method === 'dhcp6' && ip[6].method !== 'auto')
    return `${later} turns DHCP and autoconfiguration for IPv6 off`;
  if (method === 'link6' && ip[6].method === 'disabled') return `${later} turns IPv6 off`;
  if (
    method === 'auto' &&
    address === undefined &&
    (ip[4].method === 'disabled' || ip[6].method === 'disabled')
  ) {
    return `${later} turns ${ip[4].method === 'disabled' ? 'IPv4' : 'IPv6'} off`;
  }
  if (
    method === 'none' &&
    address === undefined &&
    [ip[4], ip[6]].some((config) => config.method !== 'disabled')
  ) {
    return `${later} turns the network on again`;
  }
  const used = gateway && ip[gateway.family].gateway;
  if (gateway === undefined || used === undefined || formatAddress(gateway) === formatAddress(used))
    return undefined;
  return `${later} replaces the gateway ${formatAddress(gateway)} with ${formatAddress(used)}`;
}

/** `NETWORK:GATEWAY[:DEVICE]`. Without a device, the first connection that is no port gets the route. */
function addRoute(
  value: string,
  deviceOf: (name: string) => Device,
  devices: ReadonlyMap<string, Device>,
): void {
  const [network = '', gateway = '', name = ''] = splitFields(value).map(withoutBrackets);
  const destination = parseSubnet(network);
  if (destination === undefined) return;
  const first = [...devices.values()].find(({ controller }) => controller === undefined);
  const device = name === '' ? (first ?? deviceOf('')) : deviceOf(name);
  const config = device.ip[destination.address.family];
  config.routes = [...config.routes, { destination, gateway: parseAddress(gateway) }];
}

function parseSubnet(text: string): Subnet | undefined {
  const [start = '', prefix] = text.split('/');
  const address = parseAddress(withoutBrackets(start));
  if (address === undefined) return undefined;
  const prefixLength =
    prefix === undefined ? addressBits(address.family) : parseNetmask(prefix, address.family);
  return prefixLength === undefined ? undefined : { address, prefixLength };
}

/** Whether NetworkManager accepts a value of `rd.route=`. */
export function isRoute(value: string): boolean {
  const [network = '', gateway = ''] = splitFields(value).map(withoutBrackets);
  const destination = parseSubnet(network);
  const router = gateway === '' ? undefined : parseAddress(gateway);
  if (destination === undefined) return false;
  return gateway === '' || router?.family === destination.address.family;
}

function connectionOf(
  { controller, ip, name, type, vlan }: Device,
  servers: readonly IpAddress[],
): Connection {
  const isMac = MAC_NAME.test(name);
  const withServers = (family: Family): IpConfig => {
    const added = withoutServers.has(ip[family].method)
      ? []
      : servers.filter((server) => server.family === family);
    return { ...ip[family], dns: [...ip[family].dns, ...added] };
  };
  return {
    file: 'kernel arguments',
    id: name === '' ? 'Wired Connection' : name,
    uuid: undefined,
    type,
    interfaceName: isMac || name === '' ? undefined : name,
    mac: isMac ? name : undefined,
    clonedMac: undefined,
    mtu: undefined,
    controller,
    vlan,
    bond: new Map(),
    ip: { 4: withServers(4), 6: withServers(6) },
    isAutoconnected: true,
  };
}

/** Splits at colons, except inside an IPv6 address in brackets; the brackets are kept. */
export function splitFields(value: string): readonly string[] {
  return value.match(/(?:^|(?<=:))(?:\[[^\]]*\][^:]*|[^:]*)/g) ?? [];
}
