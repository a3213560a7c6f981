/**
 * Whether a host reaches the URLs that it needs, judged by its own connections: addresses, gateways, routes, DNS servers,
 * bonds and VLANs. Connections with DHCP or IPv6 autoconfiguration may reach everything. Not judged: routers and firewalls.
 */

import type { Problem } from '../core/finding.ts';
import { isUuid } from '../core/objectName.ts';
import { type Connection, connectionName, findConnection, type IpConfig } from './connection.ts';
import {
  type Family,
  formatAddress,
  formatSubnet,
  type IpAddress,
  isLinkLocal,
  parseAddress,
  type Subnet,
} from './ipAddress.ts';

/** What is inconsistent in a connection. */
interface ConnectionProblem extends Problem {
  /** The keyfile of the connection. */
  readonly file: string;
}

const families = [4, 6] as const;

/** Problems of the connections themselves, in their order. */
export function findConnectionProblems(connections: readonly Connection[]): ConnectionProblem[] {
  return connections.flatMap((connection) =>
    [
      missingParent(connection, connections),
      missingController(connection, connections),
      ...families.map((family) => outsideGateway(connection, family)),
    ].flatMap((problem) => (problem === undefined ? [] : [{ ...problem, file: connection.file }])),
  );
}

/** A VLAN on an interface without a connection works, if the interface has a name; a UUID must be that of a connection. */
function missingParent(connection: Connection, all: readonly Connection[]): Problem | undefined {
  const { vlan } = connection;
  if (vlan === undefined) return undefined;
  const name = connectionName(connection);
  const { parent } = vlan;
  // NetworkManager ignores a VLAN without a parent.
  if (parent === undefined) return undefined;
  if (!isUuid(parent) || findConnection(all, parent) !== undefined) return undefined;
  return {
    message: `the parent of the VLAN ${name} is the connection ${parent}, which is missing`,
    hint: 'add the keyfile of that connection, or set parent= in [vlan] to the name of an interface',
  };
}

function missingController(connection: Connection, all: readonly Connection[]): Problem | undefined {
  const { controller } = connection;
  if (controller === undefined || findConnection(all, controller) !== undefined) return undefined;
  return {
    message: `${connectionName(connection)} is a port of ${controller}, which has no connection`,
    hint: `add the keyfile of ${controller}, or remove controller= from [connection]`,
  };
}

function outsideGateway(connection: Connection, family: Family): Problem | undefined {
  const { addresses, gateway, method } = connection.ip[family];
  if (method !== 'manual' || gateway === undefined || addresses.length === 0) return undefined;
  if (isLinkLocal(gateway) || addresses.some((subnet) => isInside(gateway, subnet))) return undefined;
  const subnets = addresses.map(formatSubnet).join(', ');
  return {
    message: `the gateway ${formatAddress(gateway)} of ${connectionName(connection)} is outside its subnet ${subnets}`,
    hint: 'fix the prefix length of the address, or use a gateway inside the subnet',
  };
}

/**
 * Why the connections do not reach a host.
 * @param host name or address, without brackets
 * @returns undefined if they may reach it
 */
export function findReachProblem(connections: readonly Connection[], host: string): Problem | undefined {
  const active = connections.filter(
    ({ controller, isAutoconnected }) => isAutoconnected && controller === undefined,
  );
  const address = parseAddress(host);
  // With `ignore`, the kernel may configure IPv6 by itself.
  const isDynamicIn = (family: Family): boolean =>
    active.some(
      ({ ip }) => isDynamic(ip[family]) || (address !== undefined && ip[family].method === 'ignore'),
    );
  if (active.length === 0 || (address === undefined ? families : [address.family]).some(isDynamicIn))
    return undefined;
  const configs = active.flatMap(({ ip }) => [ip[4], ip[6]]).filter(({ addresses }) => addresses.length > 0);
  if (configs.length === 0 && !families.some(isDynamicIn)) {
    return {
      message: 'no connection has an IP address or uses DHCP',
      hint: 'add an address to one of the connections, or set its method to auto',
    };
  }
  if (address === undefined) return findNameProblem(configs, host);
  const { family } = address;
  if (!active.some(({ ip }) => ip[family].addresses.length > 0)) {
    return {
      message: `no connection of the host has an IPv${family} address, so the host does not reach ${formatAddress(address)}`,
      hint: `enable IPv${family} for one of the connections, or use a URL with an IPv${family === 4 ? 6 : 4} address`,
    };
  }
  return isRouted(configs, address) ? undefined : noRoute(formatAddress(address));
}

/** DHCP, router advertisements, or a method that this program does not judge. */
function isDynamic({ method }: IpConfig): boolean {
  return !['manual', 'disabled', 'ignore', 'link-local'].includes(method);
}

function findNameProblem(configs: readonly IpConfig[], host: string): Problem | undefined {
  const servers = configs.flatMap(({ dns }) => dns);
  if (servers.length === 0) {
    return {
      message: `the connections of the host are static and have no DNS server, so the host cannot resolve ${host}`,
      hint: 'add a DNS server to the network, or use an IP address in the URL',
    };
  }
  return servers.some((server) => isRouted(configs, server))
    ? undefined
    : noRoute(`the DNS server ${formatAddress(servers[0]!)}`);
}

function noRoute(target: string): Problem {
  return {
    message: `no connection of the host has a route to ${target}`,
    hint: 'add a gateway, or a route to that address',
  };
}

function isRouted(configs: readonly IpConfig[], target: IpAddress): boolean {
  return configs.some(
    ({ addresses, gateway, neverDefault, routes }) =>
      addresses.some((subnet) => isInside(target, subnet)) ||
      routes.some(({ destination }) => isInside(target, destination)) ||
      (gateway?.family === target.family && !neverDefault),
  );
}

function isInside(address: IpAddress, subnet: Subnet): boolean {
  const { prefixLength } = subnet;
  return (
    address.family === subnet.address.family &&
    formatSubnet({ address, prefixLength }) === formatSubnet(subnet)
  );
}

/** Whether the host depends on its own settings: some address is static and none comes from the network. */
export function isStatic(connections: readonly Connection[]): boolean {
  const ips = connections
    .filter(({ isAutoconnected }) => isAutoconnected)
    .flatMap(({ ip }) => [ip[4], ip[6]]);
  return ips.some(({ addresses }) => addresses.length > 0);
}
