/**
 * Converts an nmstate document to NetworkManager keyfiles, for machines without nmstate. The keyfiles are byte for byte those
 * of `nmstatectl gc` of nmstate 2.2. Supported are Ethernet with SR-IOV, veth, VLAN, bond, Linux bridge, dummy and loopback
 * interfaces, static addresses, DHCP and autoconfiguration, routes, route rules and DNS. All other keys are refused: Open vSwitch,
 * VRF, tunnels and other types, 802.1X, ethtool, alternative names, and `controller` (use the port list of the controller).
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
import { type DnsByInterface, readDns } from './dnsResolver.ts';
import { type InterfaceLinks, readLinks, sortByActivation } from './stacking.ts';
import { type DocumentPlace, refuse, refuseUnsupportedValue, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';
import { type RouteRule, readRouteRules } from './routeRules.ts';
import { readRoutes, type RoutesByInterface } from './routes.ts';
import type { Interface } from './interface.ts';
import type { Family } from './ipAddress.ts';
import { longestTimeout } from './ipSettings.ts';

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

const sectionNames = 'interfaces routes dns-resolver route-rules hostname description'.split(' ');

/** Documents of other formats are a frequent mistake: hints by the keys that they begin with. */
const otherFormats: ReadonlyMap<string, string> = new Map([
  ['links', 'pass OpenStack network data with --network-data, or as networkData in the inventory'],
  ['networks', 'pass OpenStack network data with --network-data, or as networkData in the inventory'],
  ['network', 'write the network as nmstate; netplan and cloud-init use another format'],
  ['ethernets', 'write the network as nmstate; netplan and cloud-init use another format'],
]);

const readHostname = reader.object({ running: reader.text, config: reader.text });

function readNetwork(document: unknown, place: DocumentPlace): Network {
  const sections: Mapping = {
    interfaces: [],
    routes: {},
    'route-rules': {},
    ...asMapping(document),
  };
  if (!isMapping(document)) refuse(place, 'expected a mapping with the key "interfaces"');
  for (const name of Object.keys(sections)) {
    if (sectionNames.includes(name)) continue;
    refuseUnsupportedValue(step(place, name), quoteText(name), otherFormats.get(name));
  }
  const links = readLinks(sections['interfaces'], step(place, 'interfaces'));
  reader.textOrEmpty(sections['description'] ?? '', step(place, 'description'));
  const at = step(place, 'hostname');
  if (readHostname(sections['hostname'] ?? {}, at)?.config !== undefined) {
    const hint = 'set it in the Ignition config, for example with render --hostname NAME';
    warn(step(at, 'config'), 'keyfiles do not set the host name', hint);
  }
  const routes = readRoutes(sections['routes'], links, step(place, 'routes'));
  return {
    links,
    routes,
    rules: readRouteRules(sections['route-rules'], links, routes, step(place, 'route-rules')),
    dns: readDns(sections['dns-resolver'] ?? {}, links, step(place, 'dns-resolver')),
    copiedMacs: copyMacs(links),
  };
}

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

interface Network {
  readonly links: InterfaceLinks;
  readonly routes: RoutesByInterface;
  readonly rules: readonly RouteRule[];
  readonly dns: DnsByInterface;
  /** MAC addresses that are copied from other interfaces, by the name of the interface that uses the address. */
  readonly copiedMacs: ReadonlyMap<string, ConvertedEntry | undefined>;
}

function convertInterface(link: Interface, network: Network): ConvertedKeyfile {
  const { asController: own, fields, foundByMac, place } = link;
  const { controller, place: listed = place } = network.links.controllers.get(link.name) ?? {};
  // nmstate finds ports by their names in NetworkManager.
  const portEntries = (type: Interface['type']): ConvertedEntries | undefined =>
    foundByMac || controller?.type !== type ? undefined : controller.asController?.portEntries.get(link.name);
  const isController = link.type === 'bond' || link.type === 'linux-bridge';
  const entry = reader.entryMaker(fields, place);
  const written: Mapping = fields;
  const { vlan } = fields;
  // A parent that is identified by its MAC address has no name yet, so the UUID of its profile is used.
  const parent = network.links.parents.get(link.name) ?? '';
  const base = network.links.interfaces.get(parent);
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
    bond: link.type === 'bond' ? (own?.entries ?? {}) : undefined,
    'bond-port': portEntries('bond'),
    bridge: link.type === 'linux-bridge' ? (own?.entries ?? {}) : undefined,
    'bridge-port': portEntries('linux-bridge'),
    ipv4: controller === undefined ? ipEntries(link, 4, network) : undefined,
    ipv6: controller === undefined ? ipEntries(link, 6, network) : undefined,
    ethernet:
      link.type === 'loopback'
        ? {}
        : {
            ...fields.ethernet?.entries,
            mtu: entry('mtu'),
            'accept-all-mac-addresses': entry(
              'accept-all-mac-addresses',
              reader.formatBit(fields['accept-all-mac-addresses']),
            ),
            [foundByMac ? 'mac-address' : 'cloned-mac-address']: macFollowsPorts(own)
              ? undefined
              : (network.copiedMacs.get(link.name) ?? entry('mac-address')),
          },
    vlan: vlan && {
      ...vlan.entries,
      parent: reader.entryAt(vlan.place, base?.foundByMac === true ? uuidOf(base) : parent),
    },
    sriov: fields.ethernet?.virtual,
    veth: fields.veth && { peer: entry('veth', fields.veth.peer) },
    user: fields.description && { 'nmstate.interface.description': entry('description') },
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

/** The UUID depends only on the interface. */
function uuidOf({ type, name }: Interface): string {
  return profileUuid(`${type}://${name}`);
}

function ipEntries(link: Interface, family: Family, { routes, rules, dns }: Network): ConvertedEntries {
  const name = `ipv${family}` as const;
  const settings = link.fields[name];
  const place = settings?.place ?? link.place;
  const awaited = link.fields['wait-ip']?.split('+');
  const shared = {
    'dhcp-timeout': reader.entryAt(place, longestTimeout),
    'may-fail': reader.entryAt(step(link.place, 'wait-ip'), awaited && !awaited.includes(name)),
  };
  if (settings === undefined) return { ...shared, method: reader.entryAt(place, 'disabled') };
  const own = (routes.get(link.name) ?? []).filter((route) => route.family === family);
  const isEmpty = settings.addresses.length === 0 && own.length === 0;
  const fixed = isEmpty ? (family === 4 ? 'disabled' : 'link-local') : 'manual';
  const method = settings.method === 'static' ? fixed : settings.method;
  const numbered = [
    ...settings.addresses.map((address, index) => [`address${index}`, address] as const),
    ...own.map(({ value }, index) => [`route${index}`, value] as const),
    ...own.map(({ options }, index) => [`route${index}_options`, options] as const),
    ...rules
      .filter((rule) => rule.interfaceName === link.name && rule.family === family)
      .map(({ value }, index) => [`routing-rule${index}`, value] as const),
  ];
  return {
    ...settings.entries,
    ...shared,
    method: reader.entryAt(place, method),
    ...Object.fromEntries(numbered),
    ...dns.get(link.name)?.[family],
  };
}
