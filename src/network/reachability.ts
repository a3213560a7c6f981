/**
 * Whether a host reaches the servers that it needs, judged by its own connections: addresses, gateways, routes, DNS servers,
 * bonds and VLANs. Connections with DHCP or IPv6 autoconfiguration may reach everything. Not judged: routers and firewalls.
 */

import type { Problem } from '../core/finding.ts';
import type { Rule } from '../core/rule.ts';
import { groupBy } from '../core/lists.ts';
import { isUuid } from '../core/objectName.ts';
import { type Connection, connectionName, findConnection, type IpConfig } from './connection.ts';
import {
  addressBits,
  type Family,
  formatAddress,
  formatSubnet,
  type IpAddress,
  isInSubnet,
  isLinkLocal,
  parseAddress,
} from './ipAddress.ts';
import { networkRules } from './networkRules.ts';

/** What is inconsistent in a connection. */
export interface ConnectionProblem extends Rule, KeyfilePlace {}

interface KeyfilePlace {
  /** The keyfile of the connection. */
  readonly file: string;
  /** The line of the keyfile; undefined for what is missing. */
  readonly line?: number | undefined;
}

/** The texts of a problem, and its line. */
type LinedProblem = Problem & Pick<KeyfilePlace, 'line'>;

const families = [4, 6] as const;

/** Problems of the connections themselves, in their order. */
export function findConnectionProblems(connections: readonly Connection[]): ConnectionProblem[] {
  const { inconsistent, unmatched } = networkRules;
  const ofConnections = connections.flatMap((connection) => {
    const { file } = connection;
    const found = [
      missingParent(connection, connections),
      missingController(connection, connections),
      ...portAddresses(connection, connections),
      ...families.map((family) => outsideGateway(connection, family)),
      ...sharedAddresses(connection, connections),
      sharedMac(connection, connections),
    ];
    const problems: ConnectionProblem[] = found.flatMap((problem) =>
      problem === undefined ? [] : [{ ...inconsistent, ...problem, file }],
    );
    const name = madeUpName(connection);
    return name === undefined ? problems : [...problems, { ...unmatched, ...name, file }];
  });
  const [first] = connections;
  if (first === undefined || connections.some(({ isAutoconnected }) => isAutoconnected)) return ofConnections;
  const names = connections.map(connectionName).join(', ');
  const message = `NetworkManager starts no connection of the network by itself: ${names}`;
  const hint = 'remove autoconnect=false and permissions= from [connection]; in nmstate, use "state: up"';
  return [...ofConnections, { ...inconsistent, message, hint, file: first.file, line: first.blockedLine }];
}

/**
 * Names of Ethernet interfaces by the kernel, systemd-udevd and biosdevname: `eth0`, `enp1s0`, `em1`, `p1p1`, `usb0`.
 * Sources: systemd.net-naming-scheme(7), biosdevname(1).
 */
const MACHINE_NAME = /^(?:eth\d|en[a-z]\S|em\d|p\d+p\d|ib\w|usb\d|sl\w|wl\w|ww\w)/;

/** nmstate sets a MAC address, and finds the interface by its name, unless `identifier` is `mac-address`. */
function madeUpName({
  clonedMac,
  clonedMacLine,
  interfaceName,
  mac,
  type,
}: Connection): LinedProblem | undefined {
  const isNamed = interfaceName !== undefined && !MACHINE_NAME.test(interfaceName);
  if (type !== 'ethernet' || !isNamed || clonedMac === undefined || mac !== undefined) return undefined;
  return {
    message: `NetworkManager gives the MAC address ${clonedMac} to an interface with the name ${interfaceName}; it does not look for the interface that has this address`,
    hint: 'to find the interface by its MAC address, add "identifier: mac-address" in nmstate; in a keyfile, rename cloned-mac-address= to mac-address= and remove interface-name=',
    line: clonedMacLine,
  };
}

/** A VLAN on an interface without a connection works, if the interface has a name; a UUID must be that of a connection. */
function missingParent(connection: Connection, all: readonly Connection[]): LinedProblem | undefined {
  const { vlan } = connection;
  if (vlan === undefined) return undefined;
  const name = connectionName(connection);
  const { parent, parentLine } = vlan;
  // NetworkManager ignores a VLAN without a parent.
  if (parent === undefined) return undefined;
  if (!isUuid(parent) || findConnection(all, parent) !== undefined) return undefined;
  return {
    message: `the parent of the VLAN ${name} is the connection ${parent}, which is missing`,
    hint: 'add the keyfile of that connection, or set parent= in [vlan] to the name of an interface',
    line: parentLine,
  };
}

function missingController(connection: Connection, all: readonly Connection[]): LinedProblem | undefined {
  const { controller, controllerLine } = connection;
  if (controller === undefined || findConnection(all, controller) !== undefined) return undefined;
  return {
    message: `${connectionName(connection)} is a port of ${controller}, which has no connection`,
    hint: `add the keyfile of ${controller}, or remove controller= from [connection]`,
    line: controllerLine,
  };
}

function portAddresses(connection: Connection, all: readonly Connection[]): LinedProblem[] {
  const { controller = '', ignoredAddresses = [] } = connection;
  const owner = findConnection(all, controller);
  const name = owner === undefined ? controller : connectionName(owner);
  return ignoredAddresses.map(({ address, line }) => ({
    message: `NetworkManager ignores the address ${formatAddress(address)} of ${connectionName(connection)}, a port of ${name}`,
    hint: `move the address to the connection of ${name}, or remove controller= or master= from [connection]`,
    line,
  }));
}

function outsideGateway(connection: Connection, family: Family): LinedProblem | undefined {
  const { addresses, gateway, gatewayLine, method } = connection.ip[family];
  if (method !== 'manual' || gateway === undefined || addresses.length === 0) return undefined;
  // Hosting providers give an address without a subnet; NetworkManager adds a route to its gateway.
  const isAlone = addresses.some(({ prefixLength }) => prefixLength === addressBits(family));
  if (isAlone || isLinkLocal(gateway)) return undefined;
  if (addresses.some((subnet) => isInSubnet(gateway, subnet))) return undefined;
  const subnets = addresses.map(formatSubnet).join(', ');
  return {
    message: `the gateway ${formatAddress(gateway)} of ${connectionName(connection)} is outside its subnet ${subnets}`,
    hint: 'fix the prefix length of the address, or use a gateway inside the subnet',
    line: gatewayLine,
  };
}

/** Addresses that an earlier connection of another interface has; link-local addresses are on every link. */
function sharedAddresses(connection: Connection, all: readonly Connection[]): LinedProblem[] {
  if (!connection.isAutoconnected) return [];
  const others = all
    .slice(0, all.indexOf(connection))
    .filter((other) => other.isAutoconnected && !mayBeSameInterface(connection, other));
  return families
    .flatMap((family) => connection.ip[family].addresses)
    .flatMap(({ address, line }) => {
      const text = formatAddress(address);
      const owner = isLinkLocal(address) ? undefined : others.find((other) => hasAddress(other, text));
      if (owner === undefined) return [];
      const message = `${connectionName(connection)} and ${connectionName(owner)} have the same address ${text}`;
      return [{ message, hint: 'use an address of its own for each interface', line }];
    });
}

/** The MAC address of an earlier connection. The ones that only replace each other have different priorities. */
function sharedMac(connection: Connection, all: readonly Connection[]): LinedProblem | undefined {
  const { clonedMacLine, interfaceName, macLine, priority = 0 } = connection;
  const mac = ownMac(connection);
  const owner = all
    .slice(0, mac === undefined ? 0 : all.indexOf(connection))
    .filter((other) => interfaceName === undefined || other.interfaceName !== interfaceName)
    .find((other) => ownMac(other) === mac && (other.priority ?? 0) === priority);
  return (
    owner && {
      message: `${connectionName(connection)} and ${connectionName(owner)} have the same MAC address ${mac}`,
      hint: 'use the MAC address of its own interface for each connection, or remove one of them',
      line: macLine ?? clonedMacLine,
    }
  );
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

function hasAddress({ ip }: Connection, text: string): boolean {
  return families.some((family) =>
    ip[family].addresses.some(({ address }) => formatAddress(address) === text),
  );
}

export interface Server {
  /** A noun for messages: `Ironic`, `registry`. */
  readonly purpose: string;
  /** Name or address, without brackets. */
  readonly host: string;
}

/** Servers of which the host requires one. */
export type Need = readonly Server[];

/** An obstacle between the host and a server. */
interface Obstacle {
  /** A sentence. */
  readonly cause: string;
  readonly hint: string;
  /** The consequence: a name is not resolved, nothing is reached, or only this server is not reached. */
  readonly prevents: 'name' | 'network' | 'server';
  /** The line of a keyfile that it is about. */
  readonly at?: KeyfilePlace | undefined;
}

/**
 * Why the connections do not reach a host.
 * @param host name or address, without brackets
 * @returns undefined if they may reach it
 */
export function findReachProblem(connections: readonly Connection[], host: string): Problem | undefined {
  const obstacle = findObstacle(connections, host);
  if (obstacle === undefined) return undefined;
  const { cause, hint, prevents } = obstacle;
  return { message: prevents === 'name' ? `${cause}, so the host cannot resolve ${host}` : cause, hint };
}

/** Servers in one message. */
const MAX_SERVERS = 5;

/** Why the connections do not meet the needs of the host; servers with the same obstacle are in one message. */
export function findReachProblems(
  connections: readonly Connection[],
  needs: readonly Need[],
): (Problem & Partial<KeyfilePlace>)[] {
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
    if (prevents !== 'name') return { message, hint, ...at };
    const servers = [...new Set(group.map(({ host, purpose }) => `${host} (${purpose})`))];
    const more = servers.length > MAX_SERVERS ? ` and ${servers.length - MAX_SERVERS} more` : '';
    const listed = servers.slice(0, MAX_SERVERS).join(', ');
    return { message: `${message}, so the host cannot resolve ${listed}${more}`, hint, ...at };
  });
}

/** The gateways and DNS servers of connections. */
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
    const { addresses } = connection.ip[4];
    const all = connection.isAutoconnected ? [...addresses, ...connection.ip[6].addresses] : [];
    for (const { address, line } of all) owners.set(formatAddress(address), { connection, line });
  }
  if (owners.size === 0) return [];
  const found = servers.flatMap(({ host, purpose }) => {
    const address = parseAddress(host);
    const text = address === undefined ? '' : formatAddress(address);
    const owner = owners.get(text);
    if (owner === undefined) return [];
    const { connection, line } = owner;
    const message = `${connectionName(connection)} gives the host the address ${text}, which is that of ${purpose}`;
    const hint = `set another address for the host, or fix that of ${purpose}`;
    return [{ ...networkRules.ownAddress, message, hint, file: connection.file, line }];
  });
  return [...groupBy(found, ({ message }) => message).values()].flatMap(([first]) => first ?? []);
}

function findObstacle(connections: readonly Connection[], host: string): Obstacle | undefined {
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
  const configs = active
    .flatMap(({ file, ip }) => [
      { ...ip[4], file },
      { ...ip[6], file },
    ])
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

/** DHCP, router advertisements, or a method that this program does not judge. */
function isDynamic({ method }: IpConfig): boolean {
  return !['manual', 'disabled', 'ignore', 'link-local'].includes(method);
}

function findNameObstacle(configs: readonly (IpConfig & Pick<Connection, 'file'>)[]): Obstacle | undefined {
  const servers = configs.flatMap(({ dns }) => dns);
  const owner = configs.find(({ dns }) => dns.length > 0);
  if (owner === undefined) {
    return {
      cause: 'the connections of the host are static and have no DNS server',
      hint: 'add a DNS server to the network, or use IP addresses in place of names',
      prevents: 'name',
    };
  }
  return servers.some((server) => isRouted(configs, server))
    ? undefined
    : {
        ...noRoute(`the DNS server ${formatAddress(servers[0]!)}`, 'name'),
        at: { file: owner.file, line: owner.dnsLine },
      };
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
  const ips = connections
    .filter(({ isAutoconnected }) => isAutoconnected)
    .flatMap(({ ip }) => [ip[4], ip[6]]);
  return ips.some(({ addresses }) => addresses.length > 0);
}
