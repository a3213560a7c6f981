/**
 * What NetworkManager's keyfiles and systemd-networkd's files mean for each link, in the same words, so that they can be
 * compared. Names of interfaces and UUIDs are left out: links are named by what finds them.
 */

import { type KeyfileSection, parseKeyfile } from '../../src/formats/keyfile.ts';
import type { Keyfile } from '../../src/network/convertedKeyfile.ts';
import { formatAddress, maskAddress, parseAddress } from '../../src/network/ipAddress.ts';

/** From `nic 52:54:…`, `bond of …` and `VLAN 100 on …` to values by the names of fields; fields without a value are left out. */
export type Meaning = ReadonlyMap<string, Readonly<Record<string, string>>>;

type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>;

function sectionsOf(sections: readonly KeyfileSection[]): Sections {
  return new Map(
    sections.map(({ name, entries }) => [name, new Map(entries.map(({ key, value }) => [key, value]))]),
  );
}

export function meaningOfKeyfiles(keyfiles: readonly Pick<Keyfile, 'text'>[]): Meaning {
  const profiles = keyfiles.map(({ text }) => sectionsOf(parseKeyfile(text)));
  const byUuid = new Map(profiles.map((profile) => [entry(profile, 'connection', 'uuid'), profile]));
  const nameOf = (profile: Sections): string => {
    const uuid = entry(profile, 'connection', 'uuid');
    const vlanId = entry(profile, 'vlan', 'id');
    if (vlanId !== undefined) {
      const parent = byUuid.get(entry(profile, 'vlan', 'parent'));
      return `VLAN ${vlanId} on ${parent === undefined ? 'nothing' : nameOf(parent)}`;
    }
    if (!profile.has('bond')) {
      return `nic ${(entry(profile, 'ethernet', 'mac-address') ?? entry(profile, 'connection', 'interface-name') ?? '').toLowerCase()}`;
    }
    const ports = profiles.filter((port) => entry(port, 'connection', 'master') === uuid).map(nameOf);
    return `bond of ${ports.toSorted().join(' and ')}`;
  };
  return new Map(profiles.map((profile) => [nameOf(profile), fieldsOfProfile(profile)]));
}

function entry(profile: Sections, section: string, key: string): string | undefined {
  return profile.get(section)?.get(key);
}

function fieldsOfProfile(profile: Sections): Record<string, string> {
  const isPort = entry(profile, 'connection', 'master') !== undefined;
  return withValues({
    mtu: entry(profile, 'ethernet', 'mtu'),
    mac: entry(profile, 'ethernet', 'cloned-mac-address')?.toLowerCase(),
    ...bondFields(profile.get('bond') ?? new Map()),
    ...(isPort ? {} : { ...ipFields(profile, 4), ...ipFields(profile, 6) }),
  });
}

function bondFields(entries: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(Array.from(entries, ([key, value]) => [`bond ${key}`, value]));
}

function withValues(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined || value === '' ? [] : [[key, value]],
    ),
  );
}

/** A section that is missing means `auto`. */
function ipFields(profile: Sections, family: 4 | 6): Record<string, string | undefined> {
  const entries = profile.get(`ipv${family}`) ?? new Map<string, string>();
  const numbered = (prefix: RegExp): string[] =>
    Array.from(entries)
      .filter(([key]) => prefix.test(key))
      .map(([, value]) => value);
  const gateway = entries.get('gateway');
  const routes = numbered(/^route\d+$/);
  if (gateway !== undefined) routes.push(`${family === 4 ? '0.0.0.0' : '::'}/0,${gateway}`);
  const method = entries.get('method') ?? 'auto';
  return {
    [`method${family}`]: profile.has(`ipv${family}`) ? method : 'auto, as there is no section',
    [`addresses${family}`]: sorted(numbered(/^address\d+$/).map((text) => addressText(text))),
    [`routes${family}`]: sorted(routes.map((text) => routeText(text))),
    [`dns${family}`]: (entries.get('dns') ?? '')
      .split(';')
      .filter((text) => text !== '')
      .map((text) => addressText(text))
      .join(' '),
    [`search${family}`]: (entries.get('dns-search') ?? '').split(';').join(' ').trim(),
    [`metric${family}`]: entries.get('route-metric'),
    [`mayFail${family}`]: method === 'disabled' ? undefined : (entries.get('may-fail') ?? 'true'),
  };
}

function sorted(texts: readonly string[]): string {
  return texts.toSorted().join(' ');
}

/** `192.0.2.1/24` with the address in its canonical form. */
function addressText(text: string): string {
  const [address = '', prefix] = text.split('/');
  const parsed = parseAddress(address);
  return `${parsed === undefined ? address : formatAddress(parsed)}${prefix === undefined ? '' : `/${prefix}`}`;
}

function routeText(text: string): string {
  const [destination = '', gateway = '', metric = ''] = text.split(',');
  const [address = '', prefix = ''] = destination.split('/');
  const parsed = parseAddress(address);
  const network = parsed === undefined ? address : formatAddress(maskAddress(parsed, Number(prefix)));
  return [`${network}/${prefix}`, addressText(gateway), metric].join(',').replace(/,+$/, '');
}

/** `interfaces`: names by MAC address. Compared are the fields that Glean writes. */
export function meaningOfNetworkd(
  files: Readonly<Record<string, string>>,
  interfaces: Readonly<Record<string, string>>,
): Meaning {
  const macs = new Map(Object.entries(interfaces).map(([mac, name]) => [name, mac]));
  const names = Object.keys(files)
    .filter((name) => name.endsWith('.network'))
    .map((name) => name.slice(0, -'.network'.length));
  const textOf = (name: string, kind: string): string => files[`${name}.${kind}`] ?? '';
  const linkName = (name: string): string => {
    const [, parent, id] = /^(.*)-vlan(\d+)$/.exec(name) ?? [];
    if (parent !== undefined) return `VLAN ${id} on ${linkName(parent)}`;
    const mac = macs.get(name);
    if (mac !== undefined) return `nic ${mac}`;
    const ports = names.filter((port) => valuesOf(textOf(port, 'network'), 'Bond').includes(name));
    return `bond of ${ports
      .map((port) => linkName(port))
      .toSorted()
      .join(' and ')}`;
  };
  return new Map(
    names.map((name) => [
      linkName(name),
      networkdFields(textOf(name, 'network'), macs.has(name) ? '' : textOf(name, 'netdev')),
    ]),
  );
}

function valuesOf(text: string, key: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
}

function ofFamily(texts: readonly string[], family: 4 | 6): string[] {
  return texts.filter((text) => text.includes(':') === (family === 6));
}

function networkdFields(network: string, netdev: string): Record<string, string> {
  if (valuesOf(network, 'Bond').length > 0) return {};
  const dhcp = valuesOf(network, 'DHCP').join(' ');
  const automatic = {
    4: /ipv4|yes/.test(dhcp),
    6: /ipv6|yes/.test(dhcp) || valuesOf(network, 'IPv6AcceptRA').includes('yes'),
  };
  const routeParts = network.split('[Route]').slice(1);
  const routes = routeParts.map((part) =>
    routeText([...valuesOf(part, 'Destination'), ...valuesOf(part, 'Gateway')].join(',')),
  );
  return withValues({
    mac: valuesOf(netdev, 'MACAddress')[0]?.toLowerCase(),
    'bond mode': valuesOf(netdev, 'Mode')[0],
    'bond miimon': valuesOf(netdev, 'MIIMonitorSec')[0],
    'bond xmit_hash_policy': valuesOf(netdev, 'TransmitHashPolicy')[0],
    'bond lacp_rate': valuesOf(netdev, 'LACPTransmitRate')[0],
    ...Object.assign(
      {},
      ...([4, 6] as const).map((family) => {
        const addresses = ofFamily(valuesOf(network, 'Address'), family);
        const isManual = addresses.length > 0;
        return {
          [`method${family}`]: automatic[family] ? 'auto' : isManual ? 'manual' : 'disabled',
          [`addresses${family}`]: sorted(addresses.map((text) => addressText(text))),
          [`routes${family}`]: sorted(ofFamily(routes, family)),
          [`dns${family}`]: ofFamily(valuesOf(network, 'DNS'), family)
            .map((text) => addressText(text))
            .join(' '),
        };
      }),
    ),
  });
}

export interface Difference {
  readonly title: string;
  readonly link: string;
  /** `link` where one side has no such link. */
  readonly field: string;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
}

export function differencesOf(title: string, ours: Meaning, theirs: Meaning): Difference[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((link) => {
    const [mine, other] = [ours.get(link), theirs.get(link)];
    if (mine === undefined || other === undefined) {
      const [ours_, theirs_] = [mine, other].map((fields) => (fields === undefined ? 'missing' : 'there'));
      return [{ title, link, field: 'link', ours: ours_, theirs: theirs_ }];
    }
    return [...new Set([...Object.keys(mine), ...Object.keys(other)])]
      .filter((field) => mine[field] !== other[field])
      .map((field) => ({ title, link, field, ours: mine[field], theirs: other[field] }));
  });
}
