/**
 * Whether a host reaches the servers that it needs, judged by its own connections: addresses, gateways, routes, DNS servers,
 * bonds and VLANs. Connections with DHCP or IPv6 autoconfiguration may reach everything. Not judged: routers and firewalls.
 */

import type { Problem } from '../core/finding.ts';
import type { Rule } from '../core/rule.ts';
import { groupBy } from '../core/lists.ts';
import { isUuid } from '../core/objectName.ts';
import { type Connection, connectionName, findConnection, type IpConfig, lineOf } from './connection.ts';
import {
  addressBits,
  type Family,
  formatAddress,
  formatSubnet,
  type IpAddress,
  isInSubnet,
  isLinkLocal,
  parseAddress,
  type Subnet,
} from './ipAddress.ts';
import { isMachineName } from './interfaceName.ts';
import { networkRules } from './networkRules.ts';

export interface ConnectionProblem extends Rule, KeyfilePlace {}

interface KeyfilePlace {
  readonly file: string;
  /** The line of the keyfile; undefined for what is missing. */
  readonly line?: number | undefined;
}

const families = [4, 6] as const;

/** Problems of the connections themselves, in their order. */
export function findConnectionProblems(connections: readonly Connection[]): ConnectionProblem[] {
  const problems = connections.flatMap((connection) =>
    Array.from(problemsOf(connection, connections), (problem) => ({
      ...networkRules['agent-network'],
      ...problem,
      file: connection.file,
    })),
  );
  const [first] = connections;
  if (first === undefined || connections.some(({ isAutoconnected }) => isAutoconnected)) return problems;
  const names = connections.map(connectionName).join(', ');
  const message = `NetworkManager starts no connection of the network by itself: ${names}`;
  const hint = 'remove autoconnect=false and permissions= from [connection]; in nmstate, use "state: up"';
  const { file } = first;
  const line = lineOf(first, 'connection.permissions', 'connection.autoconnect');
  return [...problems, { ...networkRules['agent-network'], message, hint, file, line }];
}

function* problemsOf(
  connection: Connection,
  all: readonly Connection[],
): Iterable<Problem & Partial<Rule & KeyfilePlace>> {
  const { clonedMac, controller, interfaceName, ip, mac, type, vlan } = connection;
  const name = connectionName(connection);
  const earlier = all.slice(0, all.indexOf(connection));
  // A VLAN on an interface without a connection works, if the interface has a name; a UUID must be that of a connection.
  const { parent = '' } = vlan ?? {};
  if (isUuid(parent) && findConnection(all, parent) === undefined) {
    yield {
      message: `the parent of the VLAN ${name} is the connection ${parent}, which is missing`,
      hint: 'add the keyfile of that connection, or set parent= in [vlan] to the name of an interface',
      line: lineOf(connection, 'vlan.parent'),
    };
  }
  const owner = controller === undefined ? undefined : findConnection(all, controller);
  if (controller !== undefined && owner === undefined) {
    yield {
      message: `${name} is a port of ${controller}, which has no connection`,
      hint: `add the keyfile of ${controller}, or remove controller= from [connection]`,
      line: lineOf(connection, 'connection.controller'),
    };
  }
  const ownerName = owner === undefined ? controller : connectionName(owner);
  for (const { address, line } of connection.ignoredAddresses ?? []) {
    yield {
      message: `NetworkManager ignores the address ${formatAddress(address)} of ${name}, a port of ${ownerName}`,
      hint: `move the address to the connection of ${ownerName}, or remove controller= or master= from [connection]`,
      line,
    };
  }
  for (const family of families) {
    const { addresses, gateway, gatewayLine: line, method } = ip[family];
    if (method !== 'manual' || gateway === undefined || addresses.length === 0 || isLinkLocal(gateway))
      continue;
    // Hosting providers give an address without a subnet; NetworkManager adds a route to its gateway.
    const isInside = ({ address, prefixLength }: Subnet): boolean =>
      prefixLength === addressBits(family) || isInSubnet(gateway, { address, prefixLength });
    if (addresses.some(isInside)) continue;
    const subnets = addresses.map(formatSubnet).join(', ');
    yield {
      message: `the gateway ${formatAddress(gateway)} of ${name} is outside its subnet ${subnets}`,
      hint: 'fix the prefix length of the address, or use a gateway inside the subnet',
      line,
    };
  }
  // Link-local addresses are on every link.
  const others = earlier.filter((other) => other.isAutoconnected && !mayBeSameInterface(connection, other));
  for (const { address, line } of connection.isAutoconnected ? addressesOf(connection) : []) {
    const isSame = ({ address: { family, number } }: Subnet): boolean =>
      number === address.number && family === address.family;
    const twin = others.find((other) => addressesOf(other).some(isSame));
    if (twin === undefined || isLinkLocal(address)) continue;
    const message = `${name} and ${connectionName(twin)} have the same address ${formatAddress(address)}`;
    yield { message, hint: 'use an address of its own for each interface', line };
  }
  // Connections that only replace each other have different priorities.
  const ownAddress = ownMac(connection);
  const twin = earlier.find(
    (other) =>
      ownAddress !== undefined &&
      ownMac(other) === ownAddress &&
      (interfaceName === undefined || other.interfaceName !== interfaceName) &&
      (other.priority ?? 0) === (connection.priority ?? 0),
  );
  if (twin !== undefined) {
    yield {
      message: `${name} and ${connectionName(twin)} have the same MAC address ${ownAddress}`,
      hint: 'use the MAC address of its own interface for each connection, or remove one of them',
      line: lineOf(connection, 'ethernet.mac-address', 'ethernet.cloned-mac-address'),
    };
  }
  // nmstate sets a MAC address, and finds the interface by its name, unless `identifier` is `mac-address`.
  const isMadeUp = interfaceName !== undefined && !isMachineName(interfaceName);
  if (type === 'ethernet' && isMadeUp && clonedMac !== undefined && mac === undefined) {
    yield {
      ...networkRules['agent-network-name'],
      message: `NetworkManager gives the MAC address ${clonedMac} to an interface with the name ${interfaceName}; it does not look for the interface that has this address`,
      hint: 'to find the interface by its MAC address, add "identifier: mac-address" in nmstate; in a keyfile, rename cloned-mac-address= to mac-address= and remove interface-name=',
      line: lineOf(connection, 'ethernet.cloned-mac-address'),
    };
  }
}

/**
 * The MAC address of a physical interface: by which it is found, or which it gets. The ports of a bond may get the one of the
 * bond, as nmstate shows them.
 */
function ownMac({ clonedMac, controller, isAutoconnected, mac, type }: Connection): string | undefined {
  if (!isAutoconnected || type !== 'ethernet') return undefined;
  return mac ?? (controller === undefined ? clonedMac : undefined);
}

/** Several connections may be for one interface: NetworkManager activates one of them. */
function mayBeSameInterface(one: Connection, other: Connection): boolean {
  const isNamed = one.interfaceName !== undefined && other.interfaceName !== undefined;
  if (isNamed) return one.interfaceName === other.interfaceName;
  return one.mac === undefined || other.mac === undefined || one.mac === other.mac;
}

function addressesOf({ ip }: Connection) {
  return [...ip[4].addresses, ...ip[6].addresses];
}

export interface Server {
  /** A noun for messages: `Ironic`, `registry`. */
  readonly purpose: string;
  /** Name or address, without brackets. */
  readonly host: string;
}

/** Servers of which the host requires one. */
export type Need = readonly Server[];

interface Obstacle {
  /** A sentence. */
  readonly cause: string;
  readonly hint: string;
  /** The consequence: a name is not resolved, nothing is reached, or only this server is not reached. */
  readonly prevents: 'name' | 'network' | 'server';
  readonly at?: KeyfilePlace | undefined;
}

const MAX_SERVERS = 5;

/** Why the connections do not meet the needs of the host; servers with the same obstacle are in one message. */
export function findReachProblems(
  connections: readonly Connection[],
  needs: readonly Need[],
): (Rule & Partial<KeyfilePlace>)[] {
  const rule = networkRules['agent-network-reach'];
  const found = needs.flatMap((servers) => {
    const obstacles = servers.flatMap((server) => {
      const obstacle = findObstacle(connections, server.host);
      return obstacle === undefined ? [] : [{ ...server, obstacle }];
    });
    return obstacles.length < servers.length ? [] : obstacles;
  });
  const groups = groupBy(found, ({ obstacle: { cause, prevents }, purpose }) =>
    prevents === 'server' ? `${purpose}: ${cause}` : cause,
  );
  return [...groups].map(([message, group]) => {
    const { at, hint, prevents } = group[0]!.obstacle;
    if (prevents !== 'name') return { ...rule, message, hint, ...at };
    const servers = [...new Set(group.map(({ host, purpose }) => `${host} (${purpose})`))];
    const more = servers.length > MAX_SERVERS ? ` and ${servers.length - MAX_SERVERS} more` : '';
    const listed = servers.slice(0, MAX_SERVERS).join(', ');
    return { ...rule, message: `${message}, so the host cannot resolve ${listed}${more}`, hint, ...at };
  });
}

export function networkServers(connections: readonly Connection[]): readonly Server[] {
  return connections
    .filter(({ isAutoconnected }) => isAutoconnected)
    .flatMap(({ ip }) => [ip[4], ip[6]])
    .flatMap(({ dns, gateway }) => [
      ...(gateway === undefined ? [] : [{ purpose: 'its gateway', host: formatAddress(gateway) }]),
      ...dns.map((server) => ({ purpose: 'its DNS server', host: formatAddress(server) })),
    ]);
}

/** Servers with an address that the connections give to the host. */
export function findOwnAddresses(
  connections: readonly Connection[],
  servers: readonly Server[],
): ConnectionProblem[] {
  const owners = new Map<string, { readonly connection: Connection; readonly line: number | undefined }>();
  for (const connection of connections) {
    const addresses = connection.isAutoconnected ? addressesOf(connection) : [];
    for (const { address, line } of addresses) owners.set(formatAddress(address), { connection, line });
  }
  const problems = new Map<string, ConnectionProblem>();
  for (const { host, purpose } of servers) {
    const address = parseAddress(host);
    const text = address && formatAddress(address);
    const { connection, line } = owners.get(text ?? '') ?? {};
    if (connection === undefined) continue;
    const message = `${connectionName(connection)} gives the host the address ${text}, which is that of ${purpose}`;
    const hint = `set another address for the host, or fix that of ${purpose}`;
    problems.set(message, {
      ...networkRules['agent-network-address'],
      message,
      hint,
      file: connection.file,
      line,
    });
  }
  return [...problems.values()];
}

function findObstacle(connections: readonly Connection[], host: string): Obstacle | undefined {
  const active = connections.filter(
    ({ controller, isAutoconnected }) => isAutoconnected && controller === undefined,
  );
  const address = parseAddress(host);
  // Others are DHCP, router advertisements and what is not judged here. With `ignore`, the kernel may configure IPv6 by itself.
  const fixed = new Set(['manual', 'disabled', 'link-local', ...(address === undefined ? ['ignore'] : [])]);
  const isDynamicIn = (family: Family): boolean => active.some(({ ip }) => !fixed.has(ip[family].method));
  if (active.length === 0 || (address === undefined ? families : [address.family]).some(isDynamicIn))
    return undefined;
  const configs = active
    .flatMap((connection) =>
      families.map((family) => ({
        ...connection.ip[family],
        at: { file: connection.file, line: lineOf(connection, `ipv${family}.dns`) },
      })),
    )
    .filter(({ addresses }) => addresses.length > 0);
  if (configs.length === 0 && !families.some(isDynamicIn)) {
    return {
      cause: 'no connection has an IP address or uses DHCP',
      hint: 'add an address to one of the connections, or set its method to auto',
      prevents: 'network',
    };
  }
  if (address === undefined) return findNameObstacle(configs);
  const { family } = address;
  if (!active.some(({ ip }) => ip[family].addresses.length > 0)) {
    return {
      cause: `no connection of the host has an IPv${family} address, so the host does not reach ${formatAddress(address)}`,
      hint: `enable IPv${family} for one of the connections, or use a URL with an IPv${family === 4 ? 6 : 4} address`,
      prevents: 'server',
    };
  }
  return isRouted(configs, address) ? undefined : noRoute(formatAddress(address), 'server');
}

function findNameObstacle(configs: readonly (IpConfig & Pick<Obstacle, 'at'>)[]): Obstacle | undefined {
  const owner = configs.find(({ dns }) => dns.length > 0);
  if (owner === undefined) {
    return {
      cause: 'the connections of the host are static and have no DNS server',
      hint: 'add a DNS server to the network, or use IP addresses in place of names',
      prevents: 'name',
    };
  }
  if (configs.some(({ dns }) => dns.some((server) => isRouted(configs, server)))) return undefined;
  return { ...noRoute(`the DNS server ${formatAddress(owner.dns[0]!)}`, 'name'), at: owner.at };
}

function noRoute(target: string, prevents: Obstacle['prevents']): Obstacle {
  return {
    cause: `no connection of the host has a route to ${target}`,
    hint: 'add a gateway, or a route to that address',
    prevents,
  };
}

function isRouted(configs: readonly IpConfig[], target: IpAddress): boolean {
  return configs.some(
    ({ addresses, gateway, neverDefault, routes }) =>
      addresses.some((subnet) => isInSubnet(target, subnet)) ||
      routes.some(({ destination }) => isInSubnet(target, destination)) ||
      (gateway?.family === target.family && !neverDefault),
  );
}

/** Whether the host depends on its own settings: some address is static and none comes from the network. */
export function isStatic(connections: readonly Connection[]): boolean {
  return connections.some((connection) => connection.isAutoconnected && addressesOf(connection).length > 0);
}
