/**
 * A connection of NetworkManager, read from its keyfile: what is needed to decide whether a host reaches a URL, and to write
 * the same network as kernel arguments. Keys and values: nm-settings-keyfile(5). Not read: Wi-Fi, VPN, 802.1X, tunnels.
 */

import { append } from '../core/lists.ts';
import { ifWellFormed } from '../core/errors.ts';
import { parseKeyfile, type ParsedEntry } from '../formats/keyfile.ts';
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
  /** This and other lines are those of the keyfile, from 1. Connections of kernel arguments have none. */
  readonly clonedMacLine?: number | undefined;
  readonly mtu: number | undefined;
  /** Name or UUID of the bond or bridge to which the port belongs. */
  readonly controller: string | undefined;
  readonly controllerLine?: number | undefined;
  readonly vlan: Vlan | undefined;
  /** The options of a bond, by their names in the kernel. */
  readonly bond: ReadonlyMap<string, string>;
  readonly ip: Readonly<Record<Family, IpConfig>>;
  readonly isAutoconnected: boolean;
}

interface Vlan {
  readonly id: number;
  readonly parent: string | undefined;
  readonly parentLine?: number | undefined;
}

/** An address with the line of the keyfile. */
interface ConfiguredAddress extends Subnet {
  readonly line?: number | undefined;
}

/** The settings of one IP family. */
export interface IpConfig {
  /** `auto`, `manual`, `disabled`, `link-local`, `dhcp`, `ignore`, `shared`. */
  readonly method: string;
  readonly addresses: readonly ConfiguredAddress[];
  readonly gateway: IpAddress | undefined;
  readonly gatewayLine?: number | undefined;
  readonly dns: readonly IpAddress[];
  readonly dnsLine?: number | undefined;
  readonly routes: readonly Route[];
  /** The connection never gets the default route. */
  readonly neverDefault: boolean;
}

interface Route {
  readonly destination: Subnet;
  /** Undefined for a destination on the link. */
  readonly gateway: IpAddress | undefined;
  readonly line?: number | undefined;
}

/** The connections of keyfiles; files that are not keyfiles are left out. */
export function parseConnections(
  files: readonly { readonly name: string; readonly data: Uint8Array }[],
): Connection[] {
  return files.flatMap(
    ({ data, name }) => ifWellFormed(() => parseConnection(name, Buffer.from(data).toString())) ?? [],
  );
}

/** The entries of one section by key; of equal keys the last one counts. */
type Section = ReadonlyMap<string, ParsedEntry>;

const noSection: Section = new Map();

/** @throws FormatError for text that is not a keyfile */
export function parseConnection(file: string, text: string): Connection {
  const sections = new Map<string, Section>();
  for (const { name, entries } of parseKeyfile(text)) {
    sections.set(name, new Map(entries.map((entry) => [entry.key, entry])));
  }
  const connection = sections.get('connection') ?? noSection;
  const wired = sections.get('ethernet') ?? sections.get('802-3-ethernet') ?? noSection;
  const vlan = sections.get('vlan') ?? noSection;
  const bond = new Map(
    Array.from(sections.get('bond') ?? noSection, ([key, { value }]) => [key, value.trim()]),
  );
  bond.delete('interface-name');
  const type = (valueOf(connection, 'type') ?? 'ethernet').replace(/^802-3-/, '');
  const controllerKey = connection.has('controller') ? 'controller' : 'master';
  return {
    file,
    id: valueOf(connection, 'id') ?? file.replace(/\.nmconnection$/, ''),
    uuid: valueOf(connection, 'uuid'),
    type,
    interfaceName: valueOf(connection, 'interface-name') ?? valueOf(sections.get(type), 'interface-name'),
    mac: valueOf(wired, 'mac-address')?.toUpperCase(),
    clonedMac: /^[\da-f]{2}(?::[\da-f]{2}){5}$/i.exec(valueOf(wired, 'cloned-mac-address') ?? '')?.[0],
    clonedMacLine: wired.get('cloned-mac-address')?.line,
    mtu: numberOf(valueOf(wired, 'mtu')) || undefined,
    controller: valueOf(connection, controllerKey),
    controllerLine: connection.get(controllerKey)?.line,
    vlan: type === 'vlan' ? vlanOf(vlan) : undefined,
    bond,
    ip: { 4: ipConfigOf(sections.get('ipv4'), 4), 6: ipConfigOf(sections.get('ipv6'), 6) },
    isAutoconnected: !['false', '0'].includes(valueOf(connection, 'autoconnect') ?? ''),
  };
}

function valueOf(section: Section | undefined, key: string): string | undefined {
  return section?.get(key)?.value.trim();
}

function vlanOf(section: Section): Vlan {
  const id = numberOf(valueOf(section, 'id')) ?? 0;
  return { id, parent: valueOf(section, 'parent'), parentLine: section.get('parent')?.line };
}

/** Without a section, NetworkManager uses DHCP and IPv6 autoconfiguration. */
function ipConfigOf(section: Section | undefined, family: Family): IpConfig {
  if (section === undefined) return automatic;
  const addresses: ConfiguredAddress[] = [];
  const routes: Route[] = [];
  let gateway = withLine(section.get('gateway')?.value ?? '', section.get('gateway')?.line);
  for (const { key, value, line } of section.values()) {
    if (/^address(?:es)?\d*$/.test(key)) {
      const [address = '', own = ''] = value.trim().split(/[,;]/);
      const subnet = subnetOf(address, family);
      if (subnet !== undefined) addresses.push({ ...subnet, line });
      if (gateway.text === '' && !section.has('gateway')) gateway = withLine(own, line);
    } else if (/^routes?\d*$/.test(key)) append(routes, routesOf(value.trim(), family, line));
  }
  const written = addressOf(gateway.text, family);
  const route = written === undefined ? routes.find(isDefaultRoute) : undefined;
  return {
    method: valueOf(section, 'method') ?? automatic.method,
    addresses,
    gateway: written ?? route?.gateway,
    gatewayLine: route === undefined ? gateway.line : route.line,
    dns: (valueOf(section, 'dns') ?? '').split(/[;,\s]+/).flatMap((text) => addressOf(text, family) ?? []),
    dnsLine: section.get('dns')?.line,
    routes: routes.filter((one) => !isDefaultRoute(one)),
    neverDefault: ['true', '1'].includes(valueOf(section, 'never-default') ?? ''),
  };
}

function withLine(text: string, line: number | undefined) {
  return { text: text.trim(), line };
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
function routesOf(value: string, family: Family, line: number): Route[] {
  const [destination = '', gateway = ''] = value.split(/[,;]/);
  const subnet = subnetOf(destination, family);
  return subnet === undefined ? [] : [{ destination: subnet, gateway: addressOf(gateway, family), line }];
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
