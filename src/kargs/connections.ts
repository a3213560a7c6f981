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

export function isNetworkArgument({ name }: KernelArgument): boolean {
  return networkNames.has(name);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A connection, as far as its arguments are read; `file` is the text of its source. */
interface ArgumentConnection extends Mutable<Connection> {
  readonly ip: Readonly<Record<Family, Mutable<IpConfig>>>;
  /** The last `ip=`, or else the argument that creates the connection. */
  source: KernelArgument;
  hasIp: boolean;
  /** Why NetworkManager drops the connection. */
  rejection?: string | undefined;
}

/** The connections that NetworkManager creates; none without arguments for them. */
export function argumentConnections(list: readonly KernelArgument[]): readonly Connection[] {
  return readArgumentConnections(list).filter(({ rejection }) => rejection === undefined);
}

/** All connections, also those that NetworkManager drops. */
export function readArgumentConnections(
  list: readonly KernelArgument[],
): readonly Readonly<ArgumentConnection>[] {
  const connections = new Map<string, ArgumentConnection>();
  /** @param name of the interface, its MAC address, or empty for any interface */
  const connectionOf = (name: string, source: KernelArgument): ArgumentConnection => {
    const mac = isMacName(name) ? name.replaceAll('-', ':').toUpperCase() : undefined;
    const key = mac ?? name;
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connection: ArgumentConnection = {
      file: source.text,
      id: key === '' ? 'Wired Connection' : key,
      type: 'ethernet',
      interfaceName: mac === undefined && name !== '' ? name : undefined,
      mac,
      controller: undefined,
      vlan: undefined,
      bond: new Map(),
      ip: { 4: { ...automaticIp }, 6: { ...automaticIp } },
      isAutoconnected: true,
      source,
      hasIp: false,
    };
    connections.set(key, connection);
    return connection;
  };
  for (const source of list) {
    const { name, value = '' } = source;
    const [first = '', second = ''] = splitFields(value);
    const controllerName = controllerNames.get(name);
    if (name === 'ip') {
      const { argument } = readIp(value);
      if (argument === undefined) continue;
      const connection = connectionOf(argument.device, source);
      Object.assign(connection, { source, file: source.text, hasIp: true });
      configure(connection, argument);
    } else if (name === 'vlan') {
      const connection = connectionOf(first, source);
      connection.type = name;
      connection.vlan = { id: Number(/\d*$/.exec(first)?.[0]), parent: second };
    } else if (controllerName !== undefined) {
      const controller = connectionOf(first === '' ? controllerName : first, source);
      controller.type = name;
      for (const port of second.split(',')) {
        connectionOf(port === '' ? 'eth0' : port, source).controller = controller.id;
      }
    }
  }
  for (const { source, vlan } of connections.values()) {
    const parent = vlan?.parent === undefined ? undefined : connectionOf(vlan.parent, source);
    if (parent?.hasIp === false) disable(parent.ip);
  }
  for (const source of list) {
    if (source.name !== 'rd.route') continue;
    const { device: name, route } = readRoute(source.value ?? '');
    // Without an interface, the first connection that is no port gets the route.
    const first = [...connections.values()].find(({ controller }) => controller === undefined);
    const connection = name === '' && first !== undefined ? first : connectionOf(name, source);
    if (route === undefined) continue;
    const config = connection.ip[route.destination.address.family];
    config.routes = [...config.routes, route];
  }
  for (const connection of connections.values()) connection.rejection = findRejection(connection);
  for (const { name, value = '' } of list) {
    const server = name === 'nameserver' ? parseAddress(withoutBrackets(value)) : undefined;
    if (server === undefined) continue;
    for (const { ip } of connections.values()) {
      const config = ip[server.family];
      if (!withoutServers.has(config.method)) config.dns = [...config.dns, server];
    }
  }
  return [...connections.values()];
}

function configure({ ip }: ArgumentConnection, { address, dns, gateway, method }: IpArgument): void {
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
function disable(ip: ArgumentConnection['ip']): void {
  for (const config of [ip[4], ip[6]]) if (config.addresses.length === 0) config.method = 'disabled';
}

/** Methods with which a connection has no DNS servers. */
const withoutServers: ReadonlySet<string> = new Set(['disabled', 'link-local']);

/** Why NetworkManager drops a connection (nm_connection_verify), with all of its settings. */
function findRejection({ interfaceName, ip, mac }: Connection): string | undefined {
  const device = interfaceName ?? mac ?? 'the connection for all interfaces';
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
