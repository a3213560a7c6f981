/** The `links` of network data: physical interfaces, bonds and VLANs, and how they are stacked. */

import { quoteText } from '../../core/foreignText.ts';
import { type Bond, checkOptions, mode as bondMode, optionRows, type Port } from '../bond.ts';
import type { ConvertedEntry } from '../convertedKeyfile.ts';
import { type DocumentPlace, expected, refuse, step, warn } from '../documentPlace.ts';
import { entryAt, integer, isKernelName, list, type Reader, type Rows } from '../readers.ts';
import { anyId, anyMacAddress, type DataFields, has, optional, required, warnUnused } from './fields.ts';

export interface DataLink {
  readonly place: DocumentPlace;
  readonly id: string;
  readonly kind: 'ethernet' | 'bond' | 'vlan';
  /** What the interface is found by where it is physical, else what it gets. Upper case. */
  readonly mac: string | undefined;
  /** The name that the document gives the interface, beside its id. */
  readonly name: string | undefined;
  readonly mtu: number | undefined;
  /** Its ports are ids of links. */
  readonly bond: Bond | undefined;
  readonly vlan: VlanLink | undefined;
}

interface VlanLink {
  /** Id of a link. */
  readonly parent: string;
  readonly vlanId: number;
}

/**
 * What Nova calls the kinds of virtual interfaces (`nova/network/model.py`), and two kinds of public clouds that
 * cloud-init knows. To the machine each of them is a network card.
 */
const physicalTypes: ReadonlySet<unknown> = new Set(
  (
    'phy ethernet bridge ovs vif tap dvs hw_veb hyperv vhostuser vrouter hostdev_physical hostdev macvtap midonet ivs ' +
    'iovisor agilio_ovs distributed 802.1qbg 802.1qbh other unbound binding_failed bgpovs cascading'
  ).split(' '),
);

const linkKeys: ReadonlySet<string> = new Set(
  'id type name mtu ethernet_mac_address vif_id network_id'.split(' '),
);
const vlanKeys: ReadonlySet<string> = new Set(['vlan_id', 'vlan_link', 'vlan_mac_address']);

const mtu = integer(0, 65_535);
const vlanId = integer(1, 4094);

/** Reads one link; what links say about each other is checked by `checkLinks`. */
export function readLink(fields: DataFields): DataLink | undefined {
  const { place } = fields;
  const id = required(fields, 'id', '"eth0"', anyId);
  const kind = readKind(fields);
  if (kind === undefined) return undefined;
  warnUnused(
    fields,
    (key) =>
      linkKeys.has(key) ||
      (kind === 'bond' && key.startsWith('bond_')) ||
      (kind === 'vlan' && vlanKeys.has(key)),
  );
  const name = optional(fields, 'name', interfaceName);
  const macKey = kind === 'vlan' ? 'vlan_mac_address' : 'ethernet_mac_address';
  const mac = optional(fields, macKey, anyMacAddress);
  if (kind === 'ethernet' && mac === undefined && name === undefined) {
    required(fields, macKey, MAC_EXAMPLE, () => undefined); // an address that was refused is not a missing one
  }
  const size = optional(fields, 'mtu', mtu);
  const bondLink = kind === 'bond' ? readBond(fields) : undefined;
  const vlanLink = kind === 'vlan' ? readVlan(fields) : undefined;
  if (id === undefined) return undefined;
  const ownMtu = size === 0 ? undefined : size; // 0: that of the kernel
  return { place, id, kind, mac, name, mtu: ownMtu, bond: bondLink, vlan: vlanLink };
}

function readKind({ value, place }: DataFields): DataLink['kind'] | undefined {
  if (!Object.hasOwn(value, 'type')) return refuse(place, '"type" is missing', 'add "type": "phy"');
  const type = value['type'];
  if (type === 'bond' || type === 'vlan') return type;
  // Nova knows no kind for some ports and writes null.
  if (type === null || physicalTypes.has(type)) return 'ethernet';
  const at = step(place, 'type');
  if (typeof type !== 'string') return refuse(at, expected('a string', type), 'use "phy", "bond" or "vlan"');
  warn(at, `the type ${quoteText(type)} is unknown and treated as "phy"`, 'use "phy", "bond" or "vlan"');
  return 'ethernet';
}

const MAC_EXAMPLE =
  '"52:54:00:12:34:56" (the MAC address of the network card, as the name of the interface is not known at boot)';

const interfaceName: Reader<string> = (value, place) => {
  if (typeof value === 'string' && isInterfaceName(value)) return value;
  const hint = 'use 1 to 15 ASCII characters without blanks, slashes and colons, or remove "name"';
  return refuse(place, 'invalid interface name', hint);
};

/** Some names have a meaning of their own in the kernel. */
export function isInterfaceName(name: string): boolean {
  return isKernelName(name) && !['lo', 'all', 'default', 'bonding_masters'].includes(name);
}

function readVlan(fields: DataFields): VlanLink | undefined {
  const parent = required(fields, 'vlan_link', 'the id of a "phy" or "bond" link', anyId);
  const id = required(fields, 'vlan_id', '100', vlanId);
  return parent === undefined || id === undefined ? undefined : { parent, vlanId: id };
}

const readPorts = list((value, place): Port | undefined => {
  const name = anyId(value, place);
  return name === undefined ? undefined : { name, place };
});

/** Ironic's schema has the number of another standard for LACP. */
const readMode: Reader<string> = (value, place) => bondMode(value === '802.1ad' ? '802.3ad' : value, place);

/** Options are those of nmstate, with `bond_` in front of them. */
function readBond(fields: DataFields): Bond | undefined {
  const ports = required(fields, 'bond_links', '["eth0", "eth1"]', readPorts);
  const mode = required(fields, 'bond_mode', '"active-backup"', readMode);
  const entries: Record<string, ConvertedEntry | undefined> = {
    mode: entryAt(step(fields.place, 'bond_mode'), mode),
  };
  for (const key of Object.keys(fields.value)) {
    if (!key.startsWith('bond_') || key === 'bond_links' || key === 'bond_mode' || !has(fields, key))
      continue;
    const name = key.slice('bond_'.length).replaceAll('-', '_');
    const at = step(fields.place, key);
    const row = Object.hasOwn(options, name) ? options[name] : undefined;
    const [read, written] = typeof row === 'function' ? [row, name] : Array.isArray(row) ? row : [];
    if (read === undefined) {
      warn(at, `the bond option ${quoteText(key)} is not supported`, `remove ${quoteText(key)}`);
    } else entries[written] = entryAt(at, read(fields.value[key], at));
  }
  checkOptions(entries, fields.place);
  return ports === undefined || mode === undefined ? undefined : { ports, entries, portEntries: new Map() };
}

const options: Rows = optionRows;

/** DataLinks by their ids, in the document's order. */
export type DataLinks = ReadonlyMap<string, DataLink>;

/** Checks what links say about each other. The second of two links with one id is left out. */
export function checkLinks(listed: readonly DataLink[]): DataLinks {
  const links = new Map<string, DataLink>();
  for (const link of listed) {
    if (links.has(link.id)) refuseSame(step(link.place, 'id'), `the id ${quoteText(link.id)}`);
    else links.set(link.id, link);
  }
  checkUnique(links, 'ethernet_mac_address', ({ kind, mac }) => (kind === 'ethernet' ? mac : undefined));
  checkUnique(links, 'name', ({ name }) => name);
  checkUnique(links, 'vlan_id', ({ vlan }) => vlan && JSON.stringify([vlan.vlanId, vlan.parent]));
  const taken = new Set<string>();
  for (const { bond: settings } of links.values()) {
    for (const { name: port, place: at } of settings?.ports ?? []) {
      const kind = links.get(port)?.kind;
      if (kind === undefined) refuseDangling(at, port, links);
      else if (kind !== 'ethernet') {
        const hint = 'list physical links only; put a VLAN on top of the bond';
        refuse(at, `${quoteText(port)} is a ${kind}`, hint);
      } else if (taken.has(port)) {
        refuse(at, `${quoteText(port)} is already a port of a bond`, 'list each link in one bond, once');
      }
      taken.add(port);
    }
  }
  for (const { place, vlan } of links.values()) {
    if (vlan !== undefined && !links.has(vlan.parent))
      refuseDangling(step(place, 'vlan_link'), vlan.parent, links);
  }
  return links;
}

function refuseSame(place: DocumentPlace, what: string): void {
  refuse(place, `another link has ${what} already`, `change ${what}, or remove this link`);
}

function checkUnique(links: DataLinks, key: string, valueOf: (link: DataLink) => string | undefined): void {
  const seen = new Set<string>();
  for (const link of links.values()) {
    const value = valueOf(link);
    if (value === undefined) continue;
    const what = key === 'vlan_id' ? `VLAN ${link.vlan?.vlanId} on the same link` : `the ${key} ${value}`;
    if (seen.has(value)) refuseSame(step(link.place, key), what);
    seen.add(value);
  }
}

/** Bonds by the ids of their ports. */
export function bondsByPort(links: DataLinks): Map<string, DataLink> {
  const bonds = new Map<string, DataLink>();
  for (const link of links.values()) for (const port of link.bond?.ports ?? []) bonds.set(port.name, link);
  return bonds;
}

/** Says which links there are. */
export function refuseDangling(place: DocumentPlace, id: string, links: DataLinks): undefined {
  const ids = Array.from(links.keys(), (known) => quoteText(known));
  const shown = ids.length > 8 ? [...ids.slice(0, 8), '…'] : ids;
  return refuse(
    place,
    `no link has the id ${quoteText(id)}`,
    ids.length === 0 ? 'add the link to "links"' : `use the id of a link: ${shown.join(', ')}`,
  );
}
