/** The `links` of network data: physical interfaces, bonds and VLANs, and how they are stacked. */

import { quoteText } from '../../core/foreignText.ts';
import { groupBy } from '../../core/lists.ts';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
import { checkOptions, type Controller, mode as bondMode, optionRows, portList } from '../bond.ts';
import { type DocumentPlace, expected, isLeftOut, refuse, step, warn } from '../documentPlace.ts';
import { isKernelName } from '../interfaceName.ts';
import * as reader from '../readers.ts';

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
  readonly bond: Controller | undefined;
  /** The parent is the id of a link. */
  readonly vlan: { readonly parent: string; readonly vlanId: number } | undefined;
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

/** The id of a link or network: any text. */
export const anyId: reader.Reader<string> = (value, place) =>
  typeof value === 'string' ? value : refuse(place, expected('a string', value), 'put the value in quotes');

const interfaceName: reader.Reader<string> = (value, place) => {
  if (typeof value === 'string' && isInterfaceName(value)) return value;
  const hint = 'use 1 to 15 ASCII characters without blanks, slashes and colons, or remove "name"';
  return refuse(place, 'invalid interface name', hint);
};

/** Some names have a meaning of their own in the kernel. */
export function isInterfaceName(name: string): boolean {
  return isKernelName(name) && !['lo', 'all', 'default', 'bonding_masters'].includes(name);
}

/** Upper case, with colons; Ironic takes dashes too. */
const anyMacAddress: reader.Reader<string> = (value, place) =>
  reader.macAddress(typeof value === 'string' ? value.replaceAll('-', ':') : value, place);

/** Ironic's schema has the number of another standard for LACP. */
const mode: reader.Reader<string> = (value, place) =>
  bondMode(value === '802.1ad' ? '802.3ad' : value, place);

const shape = {
  id: anyId,
  type: reader.anything,
  name: interfaceName,
  mtu: reader.integer(0, 65_535),
  ethernet_mac_address: anyMacAddress,
  vif_id: reader.anything,
  network_id: reader.anything,
};
const bondShape = { ...shape, bond_links: portList(anyId), bond_mode: mode };
const vlanShape = {
  ...shape,
  vlan_id: reader.integer(1, 4094),
  vlan_link: anyId,
  vlan_mac_address: anyMacAddress,
};

const examples = {
  id: '"eth0"',
  bond_links: '["eth0", "eth1"]',
  bond_mode: '"active-backup"',
  vlan_id: '100',
  vlan_link: 'the id of a "phy" or "bond" link',
  ethernet_mac_address:
    '"52:54:00:12:34:56" (the MAC address of the network card, as the name of the interface is not known at boot)',
};

type Fields = reader.Shaped<typeof bondShape & typeof vlanShape> & { readonly id: string };

const readFields: Readonly<Record<DataLink['kind'] | 'unnamed', reader.Reader<Fields>>> = {
  ethernet: reader.object(shape, ['id'], examples),
  unnamed: reader.object(shape, ['id', 'ethernet_mac_address'], examples),
  bond: reader.object(bondShape, ['id', 'bond_links', 'bond_mode'], examples),
  vlan: reader.object(vlanShape, ['id', 'vlan_link', 'vlan_id'], examples),
};

/** Options are those of nmstate, with `bond_` in front of them, also with dashes. */
const readOptions = reader.section(
  Object.fromEntries(
    Object.entries<reader.EntryRow>(optionRows).flatMap(([name, row]) => {
      const [read, key] = typeof row === 'function' ? [row, name] : row;
      return [name, name.replaceAll('_', '-')].map((spelling) => [`bond_${spelling}`, [read, key]]);
    }),
  ),
);

/** Reads one link; what links say about each other is checked by `checkLinks`. */
export const readLink: reader.Reader<DataLink> = (value, place) => {
  if (!isMapping(value)) return refuse(place, expected('a mapping', value));
  const kind = readKind(value, place);
  if (kind === undefined) return undefined;
  const isOption = (key: string): boolean => kind === 'bond' && /^bond_(?!links$|mode$)/.test(key);
  const own = Object.entries(value).filter(([key]) => !isOption(key));
  const options = Object.entries(value).filter(([key]) => isOption(key));
  const isUnnamed = kind === 'ethernet' && isLeftOut(value['name'], place);
  const fields = readFields[isUnnamed ? 'unnamed' : kind](Object.fromEntries(own), place);
  const entries = {
    ...readOptions(Object.fromEntries(options), place),
    mode: reader.entryAt(step(place, 'bond_mode'), fields?.bond_mode),
  };
  if (kind === 'bond') checkOptions(entries, place);
  if (fields === undefined) return undefined;
  const { bond_links: listed, id, mtu, name, vlan_id: vlanId, vlan_link: parent } = fields;
  return {
    place,
    id,
    kind,
    mac: kind === 'vlan' ? fields.vlan_mac_address : fields.ethernet_mac_address,
    name,
    mtu: mtu || undefined, // 0: that of the kernel
    bond: kind === 'bond' ? { ports: listed, entries, portEntries: new Map() } : undefined,
    vlan: vlanId === undefined || parent === undefined ? undefined : { parent, vlanId },
  };
};

function readKind({ type }: Mapping, place: DocumentPlace): DataLink['kind'] | undefined {
  if (type === undefined) return refuse(place, '"type" is missing', 'add "type": "phy"');
  if (type === 'bond' || type === 'vlan') return type;
  // Nova knows no kind for some ports and writes null.
  if (type === null || physicalTypes.has(type)) return 'ethernet';
  const at = step(place, 'type');
  if (typeof type !== 'string') return refuse(at, expected('a string', type), 'use "phy", "bond" or "vlan"');
  warn(at, `the type ${quoteText(type)} is unknown and treated as "phy"`, 'use "phy", "bond" or "vlan"');
  return 'ethernet';
}

export type DataLinks = ReadonlyMap<string, DataLink>;

/** Checks what links say about each other. The second of two links with one id is left out. */
export function checkLinks(listed: readonly DataLink[]): DataLinks {
  const links = new Map<string, DataLink>();
  for (const link of listed) {
    if (links.has(link.id)) refuseSame(step(link.place, 'id'), `the id ${quoteText(link.id)}`);
    else links.set(link.id, link);
  }
  const known = [...links.values()];
  checkUnique(
    known,
    'ethernet_mac_address',
    ({ kind, mac }) => kind === 'ethernet' && mac && `the ethernet_mac_address ${mac}`,
  );
  checkUnique(known, 'name', ({ name }) => name && `the name ${name}`);
  for (const vlans of groupBy(known, ({ vlan }) => vlan?.parent).values()) {
    checkUnique(vlans, 'vlan_id', ({ vlan }) => vlan && `VLAN ${vlan.vlanId} on the same link`);
  }
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

/** @param nameValue what only one of the links may have, as a noun for messages */
function checkUnique(
  links: readonly DataLink[],
  key: string,
  nameValue: (link: DataLink) => string | false | undefined,
): void {
  const seen = new Set<string>();
  for (const link of links) {
    const what = nameValue(link);
    if (what === undefined || what === false) continue;
    if (seen.has(what)) refuseSame(step(link.place, key), what);
    seen.add(what);
  }
}

export function bondsByPort(links: DataLinks): Map<string, DataLink> {
  const bonds = new Map<string, DataLink>();
  for (const link of links.values()) for (const port of link.bond?.ports ?? []) bonds.set(port.name, link);
  return bonds;
}

/** Says which links there are. */
export function refuseDangling(place: DocumentPlace, id: string, links: DataLinks): undefined {
  const ids = [...links.keys()];
  const shown = ids.slice(0, 8).map((known) => quoteText(known));
  if (ids.length > 8) shown.push('…');
  return refuse(
    place,
    `no link has the id ${quoteText(id)}`,
    ids.length === 0 ? 'add the link to "links"' : `use the id of a link: ${shown.join(', ')}`,
  );
}
