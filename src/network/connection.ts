/**
 * A connection of NetworkManager, read from its keyfile or from kernel arguments: what is needed to decide whether a host reaches
 * a URL, and to write the same network as kernel arguments. Keys and values: nm-settings-keyfile(5).
 */

import type { ParsedEntry } from '../formats/keyfile.ts';
import type { Family, IpAddress, Subnet } from './ipAddress.ts';

export interface Connection {
  /** The file name, for messages: `eth0.nmconnection`. */
  readonly file: string;
  readonly id: string;
  readonly uuid?: string | undefined;
  /** `ethernet`, `bond`, `vlan`, `bridge`, …; `802-3-ethernet` reads as `ethernet`. */
  readonly type: string;
  readonly interfaceName: string | undefined;
  /** The MAC address that the device must have, in upper case with colons. */
  readonly mac: string | undefined;
  /** The MAC address that the device gets, in upper case with colons. */
  readonly clonedMac?: string | undefined;
  readonly mtu?: number | undefined;
  /** Name or UUID of the bond or bridge to which the port belongs. */
  readonly controller: string | undefined;
  readonly vlan: Vlan | undefined;
  /** The options of a bond, by their names in the kernel. */
  readonly bond: ReadonlyMap<string, string>;
  readonly ip: Readonly<Record<Family, IpConfig>>;
  /** The addresses of a port: libnm drops its IP settings (nm_connection_normalize). */
  readonly ignoredAddresses?: readonly ConfiguredAddress[];
  /** Of several connections for an interface, NetworkManager starts the one with the greatest (default: 0). */
  readonly priority?: number | undefined;
  /** Whether NetworkManager starts it without a user. */
  readonly isAutoconnected: boolean;
  /**
   * All entries of the keyfile by section and key (`ipv4.dns`), also those that no other field has. Connections of kernel arguments
   * have none.
   */
  readonly entries?: ReadonlyMap<string, ConnectionEntry>;
}

export interface ConnectionEntry extends ParsedEntry {
  /** As users know it: `ethernet` also for `802-3-ethernet`. */
  readonly section: string;
}

interface Vlan {
  readonly id: number;
  readonly parent: string | undefined;
}

export interface ConfiguredAddress extends Subnet {
  readonly line?: number | undefined;
}

/** The routing table that the kernel always looks up; others only for rules that name them. */
export const MAIN_TABLE = 254;

export interface IpConfig {
  /** `auto`, `manual`, `disabled`, `link-local`, `dhcp`, `ignore`, `shared`. */
  readonly method: string;
  readonly addresses: readonly ConfiguredAddress[];
  readonly gateway: IpAddress | undefined;
  readonly gatewayLine?: number | undefined;
  /** Of a gateway that a route has instead of an address. */
  readonly gatewayMetric?: number | undefined;
  readonly dns: readonly IpAddress[];
  /** Those of the main table, or of all tables if rules choose between them; without the route that is the gateway. */
  readonly routes: readonly Route[];
  readonly neverDefault: boolean;
}

interface Route {
  readonly destination: Subnet;
  /** Undefined for a destination on the link. */
  readonly gateway: IpAddress | undefined;
  /** Undefined for the default of the kernel, which nmstate writes. */
  readonly metric?: number | undefined;
  readonly line?: number | undefined;
}

/** DHCP and IPv6 autoconfiguration. */
export const automaticIp: IpConfig = {
  method: 'auto',
  addresses: [],
  gateway: undefined,
  dns: [],
  routes: [],
  neverDefault: false,
};

export function connectionName({ id, interfaceName }: Connection): string {
  return interfaceName ?? id;
}

/** The line of the first of these keys that the keyfile has: `ipv4.dns`. */
export function lineOf({ entries }: Connection, ...keys: readonly string[]): number | undefined {
  return keys.flatMap((key) => entries?.get(key) ?? [])[0]?.line;
}

/** The connection that `reference` means: the UUID, interface name or id of one of them. */
export function findConnection(
  connections: readonly Connection[],
  reference: string,
): Connection | undefined {
  return connections.find(
    ({ id, interfaceName, uuid }) => reference === uuid || reference === interfaceName || reference === id,
  );
}
