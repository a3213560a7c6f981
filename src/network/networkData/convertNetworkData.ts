/**
 * NetworkManager keyfiles from OpenStack network data (`network_data.json`), as Nova, Ironic and Metal3 write it and
 * cloud-init and Glean read it: physical links, bonds and VLANs with static addresses, DHCP and autoconfiguration,
 * routes and name servers. Left out: InfiniBand, and the ports of a bond being bonds or VLANs themselves.
 */

import { quoteText } from '../../core/foreignText.ts';
import { groupBy } from '../../core/lists.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { hasErrors, limitFindings } from '../../core/finding.ts';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
import { formatKeyfileString } from '../../formats/keyfile.ts';
import { macFollowsPorts } from '../bond.ts';
import {
  connectionTypes,
  type ConvertedKeyfile,
  type ConvertedEntries,
  type ConvertedEntry,
  formatProfile,
  type KeyfileConversion,
  profileUuid,
} from '../convertedKeyfile.ts';
import { type DocumentPlace, expected, refuse, step, warn } from '../documentPlace.ts';
import { isMachineName } from '../interfaceName.ts';
import { type Family, formatAddress } from '../ipAddress.ts';
import * as reader from '../readers.ts';
import {
  bondsByPort,
  checkLinks,
  type DataLink,
  type DataLinks,
  isInterfaceName,
  readLink,
} from './devices.ts';
import { type DataServer, type Network, readDataNetwork, services } from './networks.ts';

/** Converts a document as parsed from JSON or YAML; null and an empty one have no links. The keyfiles are in their order. */
export function convertNetworkData(document: unknown): KeyfileConversion {
  const place: DocumentPlace = { path: [], findings: [], format: 'network-data' };
  const data = readNetworkData(document ?? {}, place);
  const keyfiles = data === undefined || hasErrors(place.findings) ? [] : renderKeyfiles(data);
  return { keyfiles, findings: limitFindings(place.findings) };
}

const readLinks = reader.list(readLink);
const readParts = reader.object({ links: reader.anything, networks: reader.anything, services });

function readNetworkData(document: unknown, place: DocumentPlace): NetworkData | undefined {
  if (!isMapping(document)) {
    return refuse(place, expected('a mapping with "links", "networks" and "services"', document));
  }
  if (Object.keys(document).length === 0) return { links: new Map(), networks: [], servers: [] };
  if (!Object.hasOwn(document, 'links'))
    return refuse(place, '"links" is missing', otherFormatHint(document));
  const { networks: listed = [], services: servers = [] } = readParts(document, place) ?? {};
  const links = checkLinks(readLinks(document['links'], step(place, 'links')) ?? []);
  // Networks of links that were refused would be reported as dangling.
  if (hasErrors(place.findings)) return undefined;
  const readNetworks = reader.list((value, at) => readDataNetwork(value, at, links));
  const networks = readNetworks(listed, step(place, 'networks')) ?? [];
  const bonds = bondsByPort(links);
  for (const { place: at, linkId } of networks) {
    const bond = bonds.get(linkId);
    if (bond === undefined) continue;
    const hint = `use the id of the bond: ${quoteText(bond.id)}`;
    refuse(step(at, 'link'), 'a port of a bond cannot have a network', hint);
  }
  return { links, networks, servers };
}

/** Documents of other formats are the most frequent mistake. */
function otherFormatHint(document: Mapping): string {
  if (Object.hasOwn(document, 'interfaces'))
    return 'pass an nmstate document with --nmstate, or as nmstate in the inventory';
  if (Object.hasOwn(document, 'ethernets') || Object.hasOwn(document, 'config')) {
    return 'use network_data.json; the network config of cloud-init and netplan is another format';
  }
  return 'add "links": [ … ]';
}

interface NetworkData {
  readonly links: DataLinks;
  readonly networks: readonly Network[];
  /** Name servers of the whole document. */
  readonly servers: readonly DataServer[];
}

/**
 * In the order of the document. Interfaces are found by their MAC addresses; VLANs and ports refer to the connections below and
 * above them by UUID, as the names of interfaces are known on the machine only.
 */
function renderKeyfiles({ links, networks, servers }: NetworkData): ConvertedKeyfile[] {
  const bonds = bondsByPort(links);
  const names = interfaceNames(links);
  const networksByLink = groupBy(networks, ({ linkId }) => linkId);
  const fileNames = new Map<string, number>();
  return Array.from(links.values(), (link) => {
    const { id, kind, mac, mtu, place, vlan } = link;
    const bond = bonds.get(id);
    const parent = links.get(vlan?.parent ?? '');
    // NetworkManager wants one line of valid UTF-8.
    const title = id.replaceAll(/\p{Cc}|\p{Cs}/gu, '_').trim() || '_';
    // A physical interface that is found by its MAC address keeps its name; the others get name and address.
    const isFoundByMac = kind === 'ethernet' && mac !== undefined;
    const followsPorts = macFollowsPorts(link.bond);
    const own = networksByLink.get(id) ?? [];
    const at = (key: string, value: string | number | undefined): ConvertedEntry | undefined =>
      reader.entryAt(step(place, key), value);
    const master = bond && step(bond.place, 'bond_links');
    const sections = {
      connection: {
        id: at('id', formatKeyfileString(title)),
        'interface-name': at(
          link.name === undefined ? 'id' : 'name',
          isFoundByMac ? undefined : names.get(id),
        ),
        master: master && reader.entryAt(master, uuidOf(bond)),
        'slave-type': master && reader.entryAt(master, connectionTypes.bond),
        type: at('type', connectionTypes[kind]),
        uuid: at('id', uuidOf(link)),
      },
      bond: link.bond && bondEntries(link, links),
      ipv4: bond === undefined ? ipEntries(4, place, own, servers) : undefined,
      ipv6: bond === undefined ? ipEntries(6, place, own, servers) : undefined,
      ethernet: {
        [kind === 'ethernet' ? 'mac-address' : 'cloned-mac-address']: at(
          kind === 'vlan' ? 'vlan_mac_address' : 'ethernet_mac_address',
          followsPorts ? undefined : mac,
        ),
        mtu: at('mtu', mtu),
      },
      vlan: vlan && {
        // Headers are reordered, which is the kernel's default.
        flags: reader.entryAt(place, 1),
        id: at('vlan_id', vlan.vlanId),
        parent: at('vlan_link', parent && uuidOf(parent)),
      },
    };
    return formatProfile(
      uniqueFileName(id, fileNames),
      Object.entries(sections).map(([name, entries]) => ({ name, entries, from: place.path })),
    );
  });
}

/**
 * File names never leave their folder and are the same on every file system.
 * @param taken names in lower case, with the greatest number behind each
 */
function uniqueFileName(id: string, taken: Map<string, number>): string {
  const safe = id
    .replaceAll(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^[.-]/, '_')
    .slice(0, 100);
  let name = safe;
  let number = taken.get(safe.toLowerCase()) ?? 1;
  while (taken.has(name.toLowerCase())) name = `${safe}-${(number += 1)}`;
  taken.set(name.toLowerCase(), 1).set(safe.toLowerCase(), number);
  return name;
}

function uuidOf({ id, kind }: DataLink): string {
  return profileUuid(`network-data://${kind}/${id}`);
}

/**
 * Interfaces are named as the document says, else bonds and VLANs by their ids where these are plain names. Other bonds
 * are bond0, …, as with cloud-init; NetworkManager derives the names of other VLANs from the links below them.
 */
function interfaceNames(links: DataLinks): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name } of links.values()) if (name !== undefined) names.set(id, name);
  const taken = new Set(names.values());
  const virtual = Array.from(links.values()).filter(({ id, kind }) => kind !== 'ethernet' && !names.has(id));
  for (const { id } of virtual) {
    if (!isInterfaceName(id) || !/^\w[\w.-]*$/.test(id) || isMachineName(id) || taken.has(id)) continue;
    names.set(id, id);
    taken.add(id);
  }
  let number = 0;
  for (const { id, kind } of virtual) {
    if (kind !== 'bond' || names.has(id)) continue;
    while (taken.has(`bond${number}`)) number += 1;
    names.set(id, `bond${number}`);
    number += 1;
  }
  return names;
}

/** The kernel wants the name of the primary port, which the id of a link need not be. */
function bondEntries({ bond, place }: DataLink, links: DataLinks): ConvertedEntries {
  const { primary, ...others } = bond?.entries ?? {};
  const port = primary && links.get(primary.value);
  if (port === undefined || port.name === primary?.value || isMachineName(port.id))
    return { ...others, primary };
  const message = 'the primary port is not set, as its interface name is not known';
  warn(step(place, 'bond_primary'), message, 'use the name of the interface');
  return others;
}

/**
 * Without a network the IP version is off: a missing section means DHCP and router advertisements.
 * That is also so for links that nothing uses. cloud-init brings them up without addresses; without a profile,
 * NetworkManager would ask for addresses there.
 */
function ipEntries(
  family: Family,
  link: DocumentPlace,
  onLink: readonly Network[],
  common: readonly DataServer[],
): ConvertedEntries {
  const networks = onLink.filter((network) => network.family === family);
  const [first] = networks;
  if (first === undefined) return { method: reader.entryAt(link, 'disabled') };
  const { place } = first;
  const isStatic = networks.every(({ subnet }) => subnet !== undefined);
  const own = onLink.flatMap(({ servers }) => servers);
  // As cloud-init does: the name servers of the document are for links that have none of their own.
  const servers = (own.length > 0 ? own : common).filter((server) => server.family === family);
  const withMetric = networks.find(({ metric }) => metric !== undefined);
  return {
    method: reader.entryAt(place, isStatic ? 'manual' : 'auto'),
    // The machine can boot by the other IP version where nothing answers, but not without its own addresses.
    'may-fail': isStatic ? reader.entryAt(place, false) : undefined,
    // Neutron computes addresses from MAC addresses.
    'addr-gen-mode': family === 6 ? reader.entryAt(place, 'eui64') : undefined,
    'route-metric': withMetric && reader.entryAt(step(withMetric.place, 'metric'), withMetric.metric),
    dns: reader.entryAt(servers[0]?.place ?? place, [...new Set(servers.map(formatAddress))].join(';')),
    'dns-search': reader.entryAt(place, [...new Set(onLink.flatMap(({ searches }) => searches))].join(';')),
    ...numbered(
      'address',
      networks.flatMap(({ place: { path }, subnet }) =>
        subnet === undefined
          ? []
          : {
              value: `${formatAddress(subnet.address)}/${subnet.prefixLength}`,
              from: [...path, 'ip_address'],
            },
      ),
    ),
    ...numbered(
      'route',
      networks
        .flatMap(({ routes }) => routes)
        .map(({ destination, gateway, metric, place: { path: from } }) => {
          const parts = [destination, gateway === undefined ? '' : formatAddress(gateway), metric ?? ''];
          return { value: trimEndOf(parts.join(','), ','), from };
        }),
    ),
  };
}

/** Each value once. */
function numbered(key: string, entries: readonly ConvertedEntry[]): ConvertedEntries {
  const byValue = new Map(entries.toReversed().map((entry) => [entry.value, entry]));
  const kept = entries.filter((entry) => byValue.get(entry.value) === entry);
  return Object.fromEntries(kept.map((entry, index) => [`${key}${index}`, entry]));
}
