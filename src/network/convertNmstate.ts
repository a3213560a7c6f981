/**
 * Converts an nmstate document to NetworkManager keyfiles, for machines without nmstate. The keyfiles are byte for byte those
 * of `nmstatectl gc` of nmstate 2.2. Supported are Ethernet, veth, VLAN, bond, Linux bridge, dummy and loopback interfaces,
 * static addresses, DHCP and autoconfiguration, routes and DNS. All other keys are refused: Open vSwitch, VRF, tunnels and other types, route
 * rules, 802.1X, ethtool, SR-IOV, alternative names, and `controller` (use the port list of the controller).
 */

import { quoteText } from '../core/foreignText.ts';
import { asMapping, isMapping, type Mapping } from '../formats/mapping.ts';
import { hasErrors, limitFindings } from '../core/finding.ts';
import { macFollowsPorts } from './bond.ts';
import {
  connectionTypes,
  type ConvertedKeyfile,
  type ConvertedEntries,
  type ConvertedEntry,
  formatProfile,
  type KeyfileConversion,
  profileUuid,
} from './convertedKeyfile.ts';
import { type InterfaceLinks, readLinks, sortByActivation } from './stacking.ts';
import { type DocumentPlace, refuse, refuseUnsupportedValue, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';
import { type NmstateRoute, readRoutes, type RoutesByInterface } from './routes.ts';
import { type Interface, ipSettingsOf } from './interface.ts';
import { type Family, formatAddress, parseAddress } from './ipAddress.ts';
import { type IpSettings, longestTimeout } from './ipSettings.ts';

/** Converts a document that is parsed from YAML or JSON; null is an empty document without interfaces. */
export function convertNmstate(document: unknown): KeyfileConversion {
  const place: DocumentPlace = { path: [], findings: [] };
  const network = readNetwork(document === null ? {} : document, place);
  const interfaces = hasErrors(place.findings) ? [] : sortByActivation(network.links);
  return {
    keyfiles: interfaces.map((link) => convertInterface(link, network)),
    findings: limitFindings(place.findings),
  };
}

const sectionNames: ReadonlySet<string> = new Set(
  'interfaces routes dns-resolver route-rules hostname description'.split(' '),
);

/** Documents of other formats are a frequent mistake: hints by the keys that they begin with. */
const otherFormats: ReadonlyMap<string, string> = new Map([
  ['links', 'pass OpenStack network data with --network-data, or as networkData in the inventory'],
  ['networks', 'pass OpenStack network data with --network-data, or as networkData in the inventory'],
  ['network', 'write the network as nmstate; netplan and cloud-init use another format'],
  ['ethernets', 'write the network as nmstate; netplan and cloud-init use another format'],
]);

function readNetwork(document: unknown, place: DocumentPlace): Network {
  const sections: Mapping = { interfaces: [], routes: {}, 'dns-resolver': {}, ...asMapping(document) };
  if (!isMapping(document)) refuse(place, 'expected a mapping with the key "interfaces"');
  for (const name of Object.keys(sections)) {
    if (sectionNames.has(name)) continue;
    refuseUnsupportedValue(step(place, name), quoteText(name), otherFormats.get(name));
  }
  const links = readLinks(sections['interfaces'], step(place, 'interfaces'));
  checkOthers(sections, place);
  return {
    links,
    routes: readRoutes(sections['routes'], links, step(place, 'routes')),
    dns: readDns(sections['dns-resolver'], links, step(place, 'dns-resolver')),
    copiedMacs: copyMacs(links),
  };
}

const readHostname = reader.object({ running: reader.text, config: reader.text });

/** Checks sections that are not written to keyfiles. */
function checkOthers(sections: Mapping, place: DocumentPlace): void {
  if (sections['description'] !== undefined)
    reader.textOrEmpty(sections['description'], step(place, 'description'));
  if (sections['route-rules'] !== undefined) emptyRules(sections['route-rules'], step(place, 'route-rules'));
  if (sections['hostname'] === undefined) return;
  const at = step(place, 'hostname');
  if (readHostname(sections['hostname'], at)?.config === undefined) return;
  warn(
    step(at, 'config'),
    'keyfiles do not set the host name',
    'set it in the Ignition config, for example with render --hostname NAME',
  );
}

/** Rules to remove have no effect on keyfiles. */
const emptyRules: reader.Reader<unknown> = (value, place) => {
  const rules = isMapping(value) ? (value['config'] ?? []) : undefined;
  const isEmpty =
    Array.isArray(rules) && rules.every((rule) => isMapping(rule) && rule['state'] === 'absent');
  return isEmpty
    ? reader.object({ config: reader.shownList })(value, place)
    : refuseUnsupportedValue(place, '"route-rules"');
};

function copyMacs(links: InterfaceLinks): Map<string, ConvertedEntry | undefined> {
  const macs = new Map<string, ConvertedEntry | undefined>();
  for (const { name, place, fields } of links.listed) {
    const source = fields['copy-mac-from'];
    if (source === undefined) continue;
    const from = links.find(source)?.fields;
    const mac = from?.['permanent-mac-address'] ?? from?.['mac-address'];
    if (mac === undefined) {
      const at = step(place, 'copy-mac-from');
      refuse(at, `the MAC address of ${source} is unknown`, `set mac-address of ${source}`);
    } else macs.set(name, reader.entryAt(step(place, 'copy-mac-from'), mac));
  }
  return macs;
}

/** The contents of a document. */
interface Network {
  readonly links: InterfaceLinks;
  readonly routes: RoutesByInterface;
  readonly dns: DnsByInterface;
  /** MAC addresses that are copied from other interfaces, by the name of the interface that uses the address. */
  readonly copiedMacs: ReadonlyMap<string, ConvertedEntry | undefined>;
}

function convertInterface(link: Interface, network: Network): ConvertedKeyfile {
  const { bond, fields, foundByMac, place } = link;
  const { controller, place: listed = place } = network.links.controllers.get(link.name) ?? {};
  // nmstate finds ports by their names in NetworkManager.
  const named = foundByMac ? undefined : controller;
  const isController = link.type === 'bond' || link.type === 'linux-bridge';
  const entry = reader.entryMaker(fields, place);
  const written: Mapping = fields;
  const connection = {
    autoconnect: entry('state', link.isUp),
    'autoconnect-slaves': entry('type', isController ? 1 : -1),
    id: entry('name', link.id),
    'interface-name': foundByMac ? undefined : entry('name', link.name),
    lldp: entry('lldp', reader.formatBit(fields.lldp?.enabled)),
    master: reader.entryAt(listed, controller?.name),
    'slave-type': reader.entryAt(listed, controller && connectionTypes[controller.type]),
    type: entry('type', fields.veth === undefined ? connectionTypes[link.type] : connectionTypes.veth),
    uuid: entry('name', uuidOf(link)),
  };
  const sections = {
    connection,
    bond: link.type === 'bond' ? (bond?.entries ?? {}) : undefined,
    'bond-port': named?.bond?.portEntries.get(link.name),
    bridge: link.type === 'linux-bridge' ? (fields.bridge?.entries ?? {}) : undefined,
    'bridge-port': named?.fields.bridge?.portEntries.get(link.name),
    ipv4: controller === undefined ? ipEntries(link, 4, network) : undefined,
    ipv6: controller === undefined ? ipEntries(link, 6, network) : undefined,
    ethernet: wiredEntries(link, network.copiedMacs.get(link.name)),
    veth: fields.veth && { peer: entry('veth', fields.veth.peer) },
    vlan: vlanEntries(link, network.links),
    user: fields.description && { [DESCRIPTION_KEY]: entry('description') },
  };
  return formatProfile(
    link.id,
    Object.entries(sections).map(([name, entries]) => ({
      name,
      entries: entries || undefined,
      from: written[name] === undefined ? place.path : [...place.path, name],
    })),
  );
}

const DESCRIPTION_KEY = 'nmstate.interface.description';

/** The UUID depends only on the interface. */
function uuidOf({ type, name }: Interface): string {
  return profileUuid(`${type}://${name}`);
}

function ipEntries(link: Interface, family: Family, { routes, dns }: Network): ConvertedEntries {
  const name = `ipv${family}` as const;
  const settings = link.fields[name];
  const awaited = link.fields['wait-ip']?.split('+');
  const place = settings?.place ?? link.place;
  const shared = {
    'dhcp-timeout': reader.entryAt(place, longestTimeout),
    'may-fail': reader.entryAt(step(link.place, 'wait-ip'), awaited && !awaited.includes(name)),
  };
  if (settings === undefined) return { ...shared, method: reader.entryAt(place, 'disabled') };
  const own = (routes.get(link.name) ?? []).filter((route) => route.family === family);
  const numbered = [
    ...settings.addresses.map((address, index) => [`address${index}`, address] as const),
    ...own.map(({ value }, index) => [`route${index}`, value] as const),
    ...own.map(({ options }, index) => [`route${index}_options`, options] as const),
  ];
  return {
    ...settings.entries,
    ...shared,
    method: reader.entryAt(place, methodName(settings, own)),
    ...Object.fromEntries(numbered),
    ...dns.get(link.name)?.[family],
  };
}

function methodName({ method, family, addresses }: IpSettings, routes: readonly NmstateRoute[]): string {
  if (method !== 'static') return method;
  if (addresses.length > 0 || routes.length > 0) return 'manual';
  return family === 4 ? 'disabled' : 'link-local';
}

/** Speed and duplex apply only without autonegotiation. */
function wiredEntries(
  { bond, fields, foundByMac, place, type }: Interface,
  copiedMac: ConvertedEntry | undefined,
): ConvertedEntries {
  if (type === 'loopback') return {};
  const entry = reader.entryMaker(fields, place);
  const wired = reader.entryMaker(fields.ethernet ?? {}, step(place, 'ethernet'));
  const isFixed = fields.ethernet?.['auto-negotiation'] === false;
  const followsPorts = bond !== undefined && macFollowsPorts(bond);
  return {
    mtu: entry('mtu'),
    'accept-all-mac-addresses': entry(
      'accept-all-mac-addresses',
      reader.formatBit(fields['accept-all-mac-addresses']),
    ),
    'auto-negotiate': wired('auto-negotiation'),
    ...(isFixed && { speed: wired('speed'), duplex: wired('duplex') }),
    [foundByMac ? 'mac-address' : 'cloned-mac-address']: followsPorts
      ? undefined
      : (copiedMac ?? entry('mac-address')),
  };
}

/** A parent that is identified by its MAC address has no name yet, so the UUID of its profile is used. */
function vlanEntries(
  { name, fields: { vlan }, place }: Interface,
  { parents, interfaces }: InterfaceLinks,
): ConvertedEntries | undefined {
  if (vlan === undefined) return undefined;
  const parent = parents.get(name) ?? vlan.parent;
  const profile = interfaces.get(parent);
  const written = profile?.foundByMac === true ? uuidOf(profile) : parent;
  return { ...vlan.entries, parent: reader.entryAt(step(place, 'vlan', 'base-iface'), written) };
}

// The `dns-resolver` of a document. NetworkManager stores name servers per interface, so nmstate selects an interface.

/** The entries of both IP versions of an interface. */
type DnsByInterface = ReadonlyMap<string, { readonly 4?: ConvertedEntries; readonly 6?: ConvertedEntries }>;

interface Server {
  readonly place: DocumentPlace;
  readonly family: Family;
  readonly address: string;
  /** The zone in `fe80::1%eth0`. */
  readonly zone: string | undefined;
}

const readDnsFields = reader.object({
  config: reader.object({
    server: reader.list(readServer),
    search: reader.list(reader.listItem),
    options: reader.list(readOption),
  }),
  running: (value) => value,
});

/** resolv.conf(5). */
const plainOptions: ReadonlySet<string> = new Set(
  (
    'debug edns0 inet6 ip6-bytestring ip6-dotint no-aaaa no-check-names no-ip6-dotint no-reload no-tld-query rotate ' +
    'single-request single-request-reopen trust-ad use-vc'
  ).split(' '),
);

function readOption(value: unknown, place: DocumentPlace): string | undefined {
  const option = reader.listItem(value, place);
  if (option === undefined || plainOptions.has(option)) return option;
  return /^(?:ndots|timeout|attempts):[0-9]+$/.test(option)
    ? option
    : refuse(place, 'nmstate does not support this resolver option');
}

function readServer(value: unknown, place: DocumentPlace): Server | undefined {
  const [ip = '', zone, ...more] = typeof value === 'string' ? value.split('%') : [];
  const parsed = parseAddress(ip);
  const isZoned = zone !== undefined;
  if (parsed === undefined || more.length > 0 || (isZoned && (parsed.family === 4 || zone === ''))) {
    return refuse(place, 'expected the IP address of a name server');
  }
  return { place, family: parsed.family, address: formatAddress(parsed), zone };
}

const HIGH_PRIORITY = 40;
const LOW_PRIORITY = 50;

/** Reads the `dns-resolver` of a document. */
function readDns(value: unknown, links: InterfaceLinks, place: DocumentPlace): DnsByInterface {
  const config = readDnsFields(value, place)?.config ?? {};
  const { server: servers = [], search: searches = [], options = [] } = config;
  const at = step(place, 'config');
  const entry = reader.entryMaker(config, at);
  const settings = {
    'dns-search': entry('search', searches.join(';')),
    'dns-options': entry('options', options.join(';')),
    'dns-priority': reader.entryAt(at, HIGH_PRIORITY),
  };
  if (servers.length > 0) return placeServers(servers, settings, links, step(at, 'server'));
  if (searches.length === 0 && options.length === 0) return new Map();
  // Search domains without servers are set on an interface that gets its servers automatically, if there is one.
  const candidates = links.listed.flatMap((link) =>
    ([6, 4] as const).filter((family) => supportsServers(link, family)).map((family) => ({ link, family })),
  );
  const target =
    candidates.find(({ link, family }) => ipSettingsOf(link, family)?.isAuto === true) ?? candidates[0];
  if (target !== undefined) return new Map([[target.link.name, { [target.family]: settings }]]);
  const hint = 'set ipv4.enabled or ipv6.enabled of an interface to true, with an address or DHCP';
  refuse(at, 'no interface supports the search domains', hint);
  return new Map();
}

function placeServers(
  servers: readonly Server[],
  shared: ConvertedEntries,
  links: InterfaceLinks,
  place: DocumentPlace,
): DnsByInterface {
  // All zones must be the same interface, which must be usable.
  const zoned = servers.filter(({ zone }) => zone !== undefined);
  for (const { place: at, zone = '' } of zoned) {
    const target = links.interfaces.get(zone);
    if (target === undefined || !supportsServers(target, 6)) {
      refuse(at, `${zone} is not an interface of this document that is up and has IPv6`);
    } else if (zone !== zoned[0]?.zone) {
      refuse(at, 'nmstate supports link-local name servers on one interface only');
    }
  }
  if (isMixed(servers)) {
    refuse(place, 'the servers of both IP versions are mixed', 'sort the servers by IP version');
  }
  const chosen = new Map<string, { 4?: ConvertedEntries; 6?: ConvertedEntries }>();
  const first = servers[0]?.family;
  for (const family of [4, 6] as const) {
    const own = servers.filter((server) => server.family === family);
    if (own.length === 0) continue;
    const zone = own.find((server) => server.zone !== undefined)?.zone;
    const target = zone === undefined ? findTarget(links, family) : links.interfaces.get(zone);
    if (target === undefined) {
      const hint = `set ipv${family}.enabled of an interface to true, with an address or DHCP`;
      refuse(place, `no interface supports IPv${family} name servers`, hint);
      continue;
    }
    const settings = {
      ...(family === first ? shared : { 'dns-priority': reader.entryAt(place, LOW_PRIORITY) }),
      dns: reader.entryAt(own[0]?.place ?? place, own.map(({ address }) => address).join(';')),
    };
    chosen.set(target.name, { ...chosen.get(target.name), [family]: settings });
  }
  return chosen;
}

/** nmstate keeps the order of the servers only if they are grouped by IP version. */
function isMixed(servers: readonly Server[]): boolean {
  return servers.filter(({ family }, index) => family !== servers[index - 1]?.family).length > 2;
}

/** The first interface with static addresses, else the first with any address. */
function findTarget({ listed }: InterfaceLinks, family: Family): Interface | undefined {
  return (
    listed.find((candidate) => {
      const settings = ipSettingsOf(candidate, family);
      if (settings === undefined || !settings.enabled) return false;
      return settings.isAuto ? !settings.autoDns : settings.addresses.length > 0;
    }) ?? listed.find((candidate) => supportsServers(candidate, family))
  );
}

function supportsServers(candidate: Interface, family: Family): boolean {
  const settings = ipSettingsOf(candidate, family);
  return candidate.isUp && settings?.enabled === true && (settings.isAuto || settings.listsAddresses);
}
