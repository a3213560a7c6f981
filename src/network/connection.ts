/**
 * A connection of NetworkManager, read from its keyfile: what is needed to decide whether a host reaches a URL, and to write
 * the same network as kernel arguments. Keys and values: nm-settings-keyfile(5). Not read: Wi-Fi, VPN, 802.1X, tunnels.
 */

import { ifWellFormed } from '../core/errors.ts';
import { parseKeyfile } from '../formats/keyfile.ts';
import {
  addressBits,
  type Family,
  type IpAddress,
  isUnspecified,
  parseAddress,
  type Subnet,
} from './ipAddress.ts';

export interface Connection {
  /** The file name, for messages: `eth0.nmconnection`. */
  readonly file: string;
  readonly id: string;
  readonly uuid: string | undefined;
  /** `ethernet`, `bond`, `vlan`, `bridge`, …; `802-3-ethernet` reads as `ethernet`. */
  readonly type: string;
  readonly interfaceName: string | undefined;
  /** The MAC address that the device must have, in upper case. */
  readonly mac: string | undefined;
  /** The MAC address that the device gets. */
  readonly clonedMac: string | undefined;
  readonly mtu: number | undefined;
  /** Name or UUID of the bond or bridge to which the port belongs. */
  readonly controller: string | undefined;
  readonly vlan: { readonly id: number; readonly parent: string | undefined } | undefined;
  /** The options of a bond, by their names in the kernel. */
  readonly bond: ReadonlyMap<string, string>;
  readonly ip: Readonly<Record<Family, IpConfig>>;
  readonly isAutoconnected: boolean;
}

/** The settings of one IP family. */
export interface IpConfig {
  /** `auto`, `manual`, `disabled`, `link-local`, `dhcp`, `ignore`, `shared`. */
  readonly method: string;
  readonly addresses: readonly Subnet[];
  readonly gateway: IpAddress | undefined;
  readonly dns: readonly IpAddress[];
  readonly routes: readonly Route[];
  /** The connection never gets the default route. */
  readonly neverDefault: boolean;
}

interface Route {
  readonly destination: Subnet;
  /** Undefined for a destination on the link. */
  readonly gateway: IpAddress | undefined;
}

/** The connections of keyfiles; files that are not keyfiles are left out. */
export function parseConnections(
  files: readonly { readonly name: string; readonly data: Uint8Array }[],
): Connection[] {
  return files.flatMap(
    ({ data, name }) => ifWellFormed(() => parseConnection(name, Buffer.from(data).toString())) ?? [],
  );
}

/** Values of one section by key; of equal keys the last one counts. */
type Section = ReadonlyMap<string, string>;

const noSection: Section = new Map();

/** @throws FormatError for text that is not a keyfile */
export function parseConnection(file: string, text: string): Connection {
  const sections = new Map<string, Section>();
  for (const { name, entries } of parseKeyfile(text)) {
    sections.set(name, new Map(entries.map(({ key, value }) => [key, value.trim()])));
  }
  const connection = sections.get('connection') ?? noSection;
  const wired = sections.get('ethernet') ?? sections.get('802-3-ethernet') ?? noSection;
  const vlan = sections.get('vlan') ?? noSection;
  const bond = new Map(sections.get('bond'));
  bond.delete('interface-name');
  const type = (connection.get('type') ?? 'ethernet').replace(/^802-3-/, '');
  return {
    file,
    id: connection.get('id') ?? file.replace(/\.nmconnection$/, ''),
    uuid: connection.get('uuid'),
    type,
    interfaceName: connection.get('interface-name') ?? sections.get(type)?.get('interface-name'),
    mac: wired.get('mac-address')?.toUpperCase(),
    clonedMac: /^[\da-f]{2}(?::[\da-f]{2}){5}$/i.exec(wired.get('cloned-mac-address') ?? '')?.[0],
    mtu: numberOf(wired.get('mtu')) || undefined,
    controller: connection.get('controller') ?? connection.get('master'),
    vlan: type === 'vlan' ? { id: numberOf(vlan.get('id')) ?? 0, parent: vlan.get('parent') } : undefined,
    bond,
    ip: { 4: ipConfigOf(sections.get('ipv4'), 4), 6: ipConfigOf(sections.get('ipv6'), 6) },
    isAutoconnected: connection.get('autoconnect') !== 'false' && connection.get('autoconnect') !== '0',
  };
}

/** Without a section, NetworkManager uses DHCP and IPv6 autoconfiguration. */
function ipConfigOf(section: Section | undefined, family: Family): IpConfig {
  if (section === undefined) return automatic;
  const addresses: string[][] = [];
  const routes: Route[] = [];
  for (const [key, value] of section) {
    if (/^address(?:es)?\d*$/.test(key)) addresses.push(value.split(/[,;]/));
    else if (/^routes?\d*$/.test(key)) routes.push(...routesOf(value, family));
  }
  const gateway =
    section.get('gateway') ?? addresses.map(([, found = '']) => found).find((found) => found !== '');
  return {
    method: section.get('method') ?? automatic.method,
    addresses: addresses.flatMap(([text = '']) => subnetOf(text, family) ?? []),
    gateway: addressOf(gateway ?? '', family) ?? routes.find(isDefaultRoute)?.gateway,
    dns: (section.get('dns') ?? '').split(/[;,\s]+/).flatMap((text) => addressOf(text, family) ?? []),
    routes: routes.filter((route) => !isDefaultRoute(route)),
    neverDefault: section.get('never-default') === 'true' || section.get('never-default') === '1',
  };
}

const automatic: IpConfig = {
  method: 'auto',
  addresses: [],
  gateway: undefined,
  dns: [],
  routes: [],
  neverDefault: false,
};

/** `DESTINATION/PREFIX[,GATEWAY[,METRIC]]` */
function routesOf(value: string, family: Family): Route[] {
  const [destination = '', gateway = ''] = value.split(/[,;]/);
  const subnet = subnetOf(destination, family);
  return subnet === undefined ? [] : [{ destination: subnet, gateway: addressOf(gateway, family) }];
}

function isDefaultRoute({ destination }: Route): boolean {
  return destination.prefixLength === 0;
}

/** Without a prefix, the subnet is the address alone. */
function subnetOf(text: string, family: Family): Subnet | undefined {
  const [address = '', prefix] = text.split('/');
  const parsed = parseAddress(address.trim());
  const prefixLength = prefix === undefined ? addressBits(family) : numberOf(prefix);
  if (parsed?.family !== family || prefixLength === undefined) return undefined;
  return prefixLength > addressBits(family) ? undefined : { address: parsed, prefixLength };
}

/** Undefined also for `0.0.0.0` and `::`, which mean that there is no gateway. */
function addressOf(text: string, family: Family): IpAddress | undefined {
  const parsed = parseAddress(text.trim());
  return parsed?.family === family && !isUnspecified(parsed) ? parsed : undefined;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The name under which messages refer to the connection. */
export function connectionName({ id, interfaceName }: Connection): string {
  return interfaceName ?? id;
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
