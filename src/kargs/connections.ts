/**
 * The network that kernel arguments describe, as nm-initrd-generator of NetworkManager reads them in the initramfs of CoreOS
 * (nm-initrd-generator(8), nmi-cmdline-reader.c): one connection for each interface, which all of its arguments change in their
 * order. Not read: iBFT, InfiniBand, rd.znet.
 */

import { withoutBrackets } from '../formats/url.ts';
import { automaticIp, type Connection, type IpConfig } from '../network/connection.ts';
import { type Family, parseAddress } from '../network/ipAddress.ts';
import type { KernelArgument } from './argument.ts';
import { type IpArgument, isMacName, readRoute, readIp, splitFields } from './ip.ts';

/** What a bond, bridge or team without a name is called. */
const controllerNames: ReadonlyMap<string, string> = new Map([
  ['bond', 'bond0'],
  ['bridge', 'br0'],
  ['team', 'team0'],
]);

const networkNames: ReadonlySet<string> = new Set([
  'ip',
  'vlan',
  'nameserver',
  'rd.route',
  ...controllerNames.keys(),
]);

/** Whether an argument configures the network of the initramfs. */
export function isNetworkArgument({ name }: KernelArgument): boolean {
  return networkNames.has(name);
}

/** An interface, as far as its arguments are read. */
export interface Device {
  /** The name of the interface, its MAC address in upper case, or empty for any interface. */
  readonly name: string;
  type: string;
  /** The last `ip=`, or else the argument that creates the connection. */
  source: KernelArgument;
  hasIp: boolean;
  /** The bond, bridge or team of which it is a port: the last one that lists it. */
  controller: string | undefined;
  vlan: Connection['vlan'];
  readonly ip: Readonly<Record<Family, { -readonly [Key in keyof IpConfig]: IpConfig[Key] }>>;
  /** Why NetworkManager drops the connection. */
  rejection?: string | undefined;
}

/** The connections that NetworkManager creates; none without arguments for them. */
export function argumentConnections(list: readonly KernelArgument[]): readonly Connection[] {
  return acceptedConnections(readDevices(list));
}

/** The accepted ones. `file` of a connection is the text of its argument. */
export function acceptedConnections(devices: readonly Device[]): readonly Connection[] {
  return devices.flatMap(({ controller, ip, name, rejection, source, type, vlan }) => {
    if (rejection !== undefined) return [];
    const isMac = isMacName(name);
    return {
      file: source.text,
      id: name === '' ? 'Wired Connection' : name,
      type,
      interfaceName: isMac || name === '' ? undefined : name,
      mac: isMac ? name : undefined,
      controller,
      vlan,
      bond: new Map(),
      ip,
      isAutoconnected: true,
    };
  });
}

export function readDevices(list: readonly KernelArgument[]): readonly Device[] {
  const devices = new Map<string, Device>();
  const deviceOf = (name: string, source: KernelArgument): Device => {
    const key = isMacName(name) ? name.replaceAll('-', ':').toUpperCase() : name;
    const known = devices.get(key);
    if (known !== undefined) return known;
    const ip = { 4: { ...automaticIp }, 6: { ...automaticIp } };
    const rest = { hasIp: false, controller: undefined, vlan: undefined };
    const device: Device = { name: key, type: 'ethernet', source, ip, ...rest };
    devices.set(key, device);
    return device;
  };
  for (const source of list) {
    const { name, value = '' } = source;
    const [first = '', second = ''] = splitFields(value);
    const controllerName = controllerNames.get(name);
    if (name === 'ip') {
      const { argument } = readIp(value);
      if (argument === undefined) continue;
      const device = deviceOf(argument.device, source);
      device.source = source;
      device.hasIp = true;
      configure(device, argument);
    } else if (name === 'vlan') {
      const device = deviceOf(first, source);
      device.type = name;
      device.vlan = { id: Number(/\d*$/.exec(first)?.[0]), parent: second };
    } else if (controllerName !== undefined) {
      const controller = deviceOf(first === '' ? controllerName : first, source);
      controller.type = name;
      for (const port of second.split(',')) {
        deviceOf(port === '' ? 'eth0' : port, source).controller = controller.name;
      }
    }
  }
  for (const { source, vlan } of devices.values()) {
    const parent = vlan?.parent === undefined ? undefined : deviceOf(vlan.parent, source);
    if (parent?.hasIp === false) disable(parent.ip);
  }
  for (const source of list) {
    if (source.name !== 'rd.route') continue;
    const { device: name, route } = readRoute(source.value ?? '');
    // Without an interface, the first connection that is no port gets the route.
    const first = [...devices.values()].find(({ controller }) => controller === undefined);
    const device = name === '' && first !== undefined ? first : deviceOf(name, source);
    if (route === undefined) continue;
    const config = device.ip[route.destination.address.family];
    config.routes = [...config.routes, route];
  }
  for (const device of devices.values()) device.rejection = findRejection(device);
  for (const { name, value = '' } of list) {
    const server = name === 'nameserver' ? parseAddress(withoutBrackets(value)) : undefined;
    if (server === undefined) continue;
    for (const { ip } of devices.values()) {
      const config = ip[server.family];
      if (!withoutServers.has(config.method)) config.dns = [...config.dns, server];
    }
  }
  return [...devices.values()];
}

function configure({ ip }: Device, { address, dns, gateway, method }: IpArgument): void {
  if (address !== undefined) {
    const config = ip[address.address.family];
    config.method = 'manual';
    config.addresses = [...config.addresses, address];
  }
  if (method === 'none') disable(ip);
  if (method === 'dhcp') {
    ip[4].method = 'auto';
    if (ip[6].addresses.length === 0) ip[6].method = 'auto';
  }
  if (method === 'dhcp6' || method === 'link6') {
    ip[6].method = method === 'dhcp6' ? 'auto' : 'link-local';
    if (ip[4].addresses.length === 0) ip[4].method = 'disabled';
  }
  if (gateway !== undefined) ip[gateway.family].gateway = gateway;
  for (const server of dns) ip[server.family].dns = [...ip[server.family].dns, server];
}

/** Turns off DHCP and autoconfiguration of each IP version without addresses. */
function disable(ip: Device['ip']): void {
  for (const config of [ip[4], ip[6]]) if (config.addresses.length === 0) config.method = 'disabled';
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
