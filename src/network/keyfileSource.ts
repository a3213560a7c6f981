/**
 * Where a line of a keyfile comes from in the document that was converted to it, by this program or by nmstatectl: findings
 * about connections get their places in the document of the user.
 */

import type { FilePlace } from '../core/errors.ts';
import type { Path, Position } from '../core/finding.ts';
import { asMapping, type Mapping, valueAt } from '../formats/mapping.ts';
import { type KeyfileSection, parseKeyfile, type ParsedEntry } from '../formats/keyfile.ts';
import { formatAddress, parseAddress } from './ipAddress.ts';

/** A converted keyfile, and the entry that a finding is about. */
interface ConvertedEntry {
  readonly connection: ReadonlyMap<string, string>;
  readonly wired: ReadonlyMap<string, string>;
  /** Empty without a line. */
  readonly section: string;
  readonly key: string;
  /** The items of its value, which commas, semicolons and slashes separate. */
  readonly values: readonly string[];
}

/** The place of a line of a keyfile in a file of the user; of the whole keyfile without a line. */
export type LocateLine = (line: number | undefined) => FilePlace | Promise<FilePlace>;

/** A document that was converted to keyfiles. */
interface ConvertedDocument {
  readonly value: unknown;
  readonly locate: (path: Path) => Position | undefined;
}

/** @param read the document in the file; only called for a finding */
export function locateConverted(
  format: 'nmstate' | 'networkData',
  file: string,
  read: () => ConvertedDocument | Promise<ConvertedDocument>,
): (keyfile: string) => LocateLine {
  const find = format === 'nmstate' ? findInNmstate : findInNetworkData;
  return (keyfile) => async (line) => {
    const { value, locate } = await read();
    return { file, ...locate(find(value, keyfile, line)) };
  };
}

type FindSource = (document: unknown, keyfile: string, line: number | undefined) => Path;

/** The path of a line of a keyfile in the nmstate document; of its interface if the line has no value of its own. */
export const findInNmstate: FindSource = (document, keyfile, line) => {
  const entry = readEntry(keyfile, line);
  const interfaces = itemsAt(document, ['interfaces']);
  const name = entry.connection.get('interface-name') ?? entry.connection.get('id');
  const at = interfaces.findIndex(
    (item) => item['name'] === name || item['profile-name'] === entry.connection.get('id'),
  );
  const own = interfaces[at];
  // nmstate writes a keyfile for a port that only the list of its controller names.
  if (own === undefined) return portPath(interfaces, String(name)) ?? ['interfaces'];
  return partOfNmstate(document, entry, { own, path: ['interfaces', at], name }) ?? ['interfaces', at];
};

interface Owner {
  readonly own: Mapping;
  readonly path: Path;
  readonly name: unknown;
}

function partOfNmstate(
  document: unknown,
  entry: ConvertedEntry,
  { own, path, name }: Owner,
): Path | undefined {
  const { key, section, values } = entry;
  const family = section === 'ipv4' || section === 'ipv6' ? section : undefined;
  if (family !== undefined && /^address\d/.test(key)) {
    const addresses = itemsAt(own, [family, 'address']);
    const at = addresses.findIndex(({ ip }) => isSameAddress(ip, values[0]));
    return at === -1 ? [...path, family] : [...path, family, 'address', at, 'ip'];
  }
  if (family !== undefined && /^route\d|^gateway$/.test(key)) {
    const routes = itemsAt(document, ['routes', 'config']);
    const [destination, prefix, gateway] = values;
    const at = routes.findIndex(({ destination: written, 'next-hop-interface': target, ...route }) => {
      const [network, length] = String(written).split('/');
      const isHere = target === name || target === own['profile-name'] || target === own['name'];
      return (
        isHere &&
        isSameAddress(network, destination) &&
        (length ?? prefix) === prefix &&
        (route['next-hop-address'] === undefined || isSameAddress(route['next-hop-address'], gateway))
      );
    });
    return at === -1 ? ['routes'] : ['routes', 'config', at, 'next-hop-address'];
  }
  if (family !== undefined && key.startsWith('dns')) {
    const servers = listAt(document, ['dns-resolver', 'config', 'server']);
    const at = key === 'dns' ? servers.findIndex((server) => isSameAddress(server, values[0])) : -1;
    return at === -1 ? ['dns-resolver', 'config'] : ['dns-resolver', 'config', 'server', at];
  }
  if (family !== undefined) return [...path, family];
  if (section === 'vlan') return [...path, 'vlan', key === 'parent' ? 'base-iface' : key];
  if (section === 'bond') {
    const bond = [...path, 'link-aggregation' in own ? 'link-aggregation' : 'bond'];
    return key === 'mode' ? [...bond, 'mode'] : [...bond, 'options', key];
  }
  if (section === 'ethernet') return [...path, key.endsWith('mac-address') ? 'mac-address' : key];
  if (section === 'connection' && key === 'autoconnect') return [...path, 'state'];
  if (section === 'connection' && key === 'master')
    return portPath(itemsAt(document, ['interfaces']), String(name));
  return section === 'bridge' || section === 'veth' ? [...path, section] : undefined;
}

/** The item of a controller's list that names the port. */
function portPath(interfaces: readonly Mapping[], name: string): Path | undefined {
  const lists: readonly Path[] = ['link-aggregation', 'bond', 'bridge'].flatMap((part) => [
    [part, 'port'],
    [part, 'ports'],
  ]);
  for (const [index, controller] of interfaces.entries()) {
    for (const list of lists) {
      const ports = listAt(controller, list);
      const at = ports.findIndex((port) => port === name || asMapping(port)['name'] === name);
      if (at !== -1) return ['interfaces', index, ...list, at];
    }
  }
  return undefined;
}

/** The path of a line of a keyfile in OpenStack network data; of its link if the line has no value of its own. */
export const findInNetworkData: FindSource = (document, keyfile, line) => {
  const { connection, key, section, values, wired } = readEntry(keyfile, line);
  const links = itemsAt(document, ['links']);
  const id = connection.get('id');
  const mac = wired.get('mac-address') ?? wired.get('cloned-mac-address');
  const byId = links.findIndex((link) => String(link['id']) === id);
  const at = byId === -1 ? links.findIndex((link) => isSameText(link['ethernet_mac_address'], mac)) : byId;
  const link = links[at];
  if (link === undefined) return ['links'];
  const own: Path = ['links', at];
  if (section === 'vlan') return [...own, key === 'parent' ? 'vlan_link' : 'vlan_id'];
  if (section === 'bond') return [...own, key === 'mode' ? 'bond_mode' : `bond_${key}`];
  if (section === 'ethernet' && key === 'mtu') return [...own, key];
  if (section === 'ethernet')
    return [...own, link['type'] === 'vlan' ? 'vlan_mac_address' : 'ethernet_mac_address'];
  if (section !== 'ipv4' && section !== 'ipv6') return own;
  const networks = itemsAt(document, ['networks']).flatMap((network, index) =>
    network['link'] === link['id'] ? [{ network, path: ['networks', index] }] : [],
  );
  const [address, , gateway] = values;
  for (const { network, path } of networks) {
    if (/^address\d/.test(key) && isSameAddress(String(network['ip_address']).split('/')[0], address))
      return [...path, 'ip_address'];
    if (/^route\d|^gateway$/.test(key)) {
      if (isSameAddress(network['gateway'], gateway)) return [...path, 'gateway'];
      const routes = itemsAt(network, ['routes']);
      const route = routes.findIndex(
        (one) => isSameAddress(one['gateway'], gateway) && isSameAddress(one['network'], address),
      );
      if (route !== -1) return [...path, 'routes', route, 'gateway'];
    }
  }
  const services = [...networks.map(({ path }) => path), []].map((path) => [...path, 'services']);
  for (const path of key === 'dns' ? services : []) {
    const server = itemsAt(document, path).findIndex((service) => isSameAddress(service['address'], address));
    if (server !== -1) return [...path, server, 'address'];
  }
  return networks[0]?.path ?? own;
};

function readEntry(keyfile: string, line: number | undefined): ConvertedEntry {
  const sections = parseKeyfile(keyfile);
  const valuesIn = (wanted: string): Map<string, string> => {
    const entries = sections.find(({ name }) => name === wanted)?.entries ?? [];
    return new Map(entries.map(({ key, value }) => [key, value]));
  };
  const { section = '', key = '', value = '' } = line === undefined ? {} : entryAt(sections, line);
  return {
    connection: valuesIn('connection'),
    wired: valuesIn('ethernet'),
    section,
    key,
    values: value.split(/[/,;]/),
  };
}

function entryAt(sections: readonly KeyfileSection<ParsedEntry>[], line: number) {
  for (const { entries, name } of sections) {
    const own = entries.find((one) => one.line === line);
    // The options of a route come from its item in the document.
    const entry = entries.find(({ key }) => `${key}_options` === own?.key) ?? own;
    if (entry !== undefined) return { section: name, key: entry.key, value: entry.value };
  }
  return {};
}

/** The items of a list, of which those that are not mappings are empty. */
function itemsAt(value: unknown, path: Path): readonly Mapping[] {
  return listAt(value, path).map(asMapping);
}

function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}

function isSameText(value: unknown, text: string | undefined): boolean {
  return text !== undefined && typeof value === 'string' && value.toLowerCase() === text.toLowerCase();
}

function isSameAddress(value: unknown, text: string | undefined): boolean {
  const [own, other] = [value, text].map((one) => (typeof one === 'string' ? parseAddress(one) : undefined));
  return own !== undefined && other !== undefined && formatAddress(own) === formatAddress(other);
}
