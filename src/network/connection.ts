/**
 * A connection of NetworkManager, read from its keyfile: what is needed to decide whether a host reaches a URL, and to write
 * the same network as kernel arguments. Keys and values: nm-settings-keyfile(5). Not read: Wi-Fi, VPN, 802.1X, tunnels.
 */

import { ifWellFormed } from '../core/errors.ts';
import { parseKeyfile, type ParsedEntry } from '../formats/keyfile.ts';
import { type Family, type IpAddress, isUnspecified, parseAddress, type Subnet } from './ipAddress.ts';
import { numberedKeys, parseServer, readAddress } from './keyfile/ip.ts';
import { isMacAddress } from './keyfile/names.ts';
import { readList, unescapeValue } from './keyfile/profile.ts';

export interface Connection {
  /** The file name, for messages: `eth0.nmconnection`. */
  readonly file: string;
  readonly id: string;
  readonly uuid: string | undefined;
  /** `ethernet`, `bond`, `vlan`, `bridge`, …; `802-3-ethernet` reads as `ethernet`. */
  readonly type: string;
  readonly interfaceName: string | undefined;
  /** The MAC address that the device must have, in upper case with colons. */
  readonly mac: string | undefined;
  readonly macLine?: number | undefined;
  /** The MAC address that the device gets, in upper case with colons. */
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
  /** The addresses of a port: libnm drops its IP settings (nm_connection_normalize). */
  readonly ignoredAddresses?: readonly ConfiguredAddress[];
  /** Of several connections for an interface, NetworkManager starts the one with the greatest (default: 0). */
  readonly priority?: number | undefined;
  /** Whether NetworkManager starts it without a user. */
  readonly isAutoconnected: boolean;
  /** The line that prevents it. */
  readonly blockedLine?: number | undefined;
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
  /** Those of the main table, or of all tables if rules choose between them; without the route that is the gateway. */
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
  const controllerKey = connection.has('controller') ? 'controller' : 'master';
  const controller = valueOf(connection, controllerKey);
  const ip = { 4: ipConfigOf(sections.get('ipv4'), 4), 6: ipConfigOf(sections.get('ipv6'), 6) };
  const type = (valueOf(connection, 'type') ?? 'ethernet').replace(/^802-3-/, '');
  const blocked = blockingEntry(connection);
  return {
    file,
    id: valueOf(connection, 'id') ?? file.replace(/\.nmconnection$/, ''),
    uuid: valueOf(connection, 'uuid'),
    type,
    interfaceName: valueOf(connection, 'interface-name') ?? valueOf(sections.get(type), 'interface-name'),
    mac: macOf(valueOf(wired, 'mac-address')),
    macLine: wired.get('mac-address')?.line,
    clonedMac: macOf(valueOf(wired, 'cloned-mac-address')),
    clonedMacLine: wired.get('cloned-mac-address')?.line,
    mtu: numberOf(valueOf(wired, 'mtu')) || undefined,
    controller,
    controllerLine: connection.get(controllerKey)?.line,
    vlan: type === 'vlan' ? vlanOf(vlan) : undefined,
    bond,
    ip: controller === undefined ? ip : { 4: disabled, 6: disabled },
    ignoredAddresses: controller === undefined ? [] : [...ip[4].addresses, ...ip[6].addresses],
    priority: Number(valueOf(connection, 'autoconnect-priority') ?? 0),
    isAutoconnected: blocked === undefined,
    blockedLine: blocked?.line,
  };
}

/** `autoconnect=false`, or users of whom one must have a session (`nm_settings_connection_check_visibility`). */
function blockingEntry(connection: Section): ParsedEntry | undefined {
  if (['false', '0'].includes(valueOf(connection, 'autoconnect') ?? '')) return connection.get('autoconnect');
  const users = readList(valueOf(connection, 'permissions') ?? '');
  return users.length > 0 ? connection.get('permissions') : undefined;
}

function valueOf(section: Section | undefined, key: string): string | undefined {
  return section?.get(key)?.value.trim();
}

/** Undefined for words such as `random`. */
function macOf(text = ''): string | undefined {
  if (!isMacAddress(text)) return undefined;
  const bytes = text.split(/[:-]/).map((byte) => byte.padStart(2, '0'));
  return bytes.join(':').toUpperCase();
}

function vlanOf(section: Section): Vlan {
  const id = numberOf(valueOf(section, 'id')) ?? 0;
  return { id, parent: valueOf(section, 'parent'), parentLine: section.get('parent')?.line };
}

/** Without a section, NetworkManager uses DHCP and IPv6 autoconfiguration. */
function ipConfigOf(section: Section | undefined, family: Family): IpConfig {
  if (section === undefined) return automaticIp;
  const addresses: ConfiguredAddress[] = [];
  const routes: Route[] = [];
  let gateway = { text: valueOf(section, 'gateway') ?? '', line: section.get('gateway')?.line };
  // Rules choose between tables by criteria that are not judged here.
  const hasRules = [...section.keys()].some((key) => key.startsWith('routing-rule'));
  const isUsed = (table: string | undefined): boolean => hasRules || isMainTable(table);
  const isOfMainTable = isUsed(valueOf(section, 'route-table'));
  for (const key of numberedKeys(section.keys())) {
    const { line, value = '' } = section.get(key) ?? {};
    const isRoute = key.startsWith('route');
    const read = readAddress(unescapeValue(value), family, isRoute);
    if (typeof read === 'string') continue;
    if (!isRoute) {
      addresses.push({ ...read.subnet, line });
      if (gateway.text === '' && !section.has('gateway')) gateway = { text: read.gateway ?? '', line };
      continue;
    }
    const options = routeOptions(valueOf(section, `${key}_options`));
    const table = options.get('table');
    const isPath = (options.get('type') ?? 'unicast') === 'unicast';
    if (isPath && (table === undefined ? isOfMainTable : isUsed(table)))
      routes.push({ destination: read.subnet, gateway: addressOf(read.gateway ?? '', family), line });
  }
  const written = addressOf(gateway.text, family);
  const route =
    written === undefined && addresses.length > 0 && isOfMainTable
      ? routes.find((one) => isDefaultRoute(one) && one.gateway !== undefined)
      : undefined;
  return {
    method: valueOf(section, 'method') ?? automaticIp.method,
    addresses,
    gateway: written ?? route?.gateway,
    gatewayLine: route === undefined ? gateway.line : route.line,
    dns: readList(valueOf(section, 'dns') ?? '').flatMap((text) => parseServer(text, family) ?? []),
    dnsLine: section.get('dns')?.line,
    routes: routes.filter((one) => one !== route),
    neverDefault: ['true', '1'].includes(valueOf(section, 'never-default') ?? '') || !isOfMainTable,
  };
}

/** The kernel looks up other tables only for rules that name them. 0 means the default. */
function isMainTable(table: string | undefined): boolean {
  return table === undefined || table === '0' || table === '254';
}

/** `table=100,type=blackhole` */
function routeOptions(text = ''): ReadonlyMap<string, string> {
  return new Map(
    text.split(',').map((option) => {
      const [name = '', value = ''] = option.split('=');
      return [name.trim(), value.trim()] as const;
    }),
  );
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

const disabled: IpConfig = { ...automaticIp, method: 'disabled' };

function isDefaultRoute({ destination }: Route): boolean {
  return destination.prefixLength === 0;
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
