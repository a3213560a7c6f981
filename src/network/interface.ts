/** Reads and checks one interface of an nmstate document, independently of other interfaces. */

import { quoteText } from '../core/foreignText.ts';
import { isMapping, type Mapping } from '../formats/mapping.ts';
import { type Bond, bond, macFollowsPorts, type Port } from './bond.ts';
import { bridge } from './bridge.ts';
import type { ConvertedEntries } from './convertedKeyfile.ts';
import type { Family } from './ipAddress.ts';
import { type IpSettings, ipv4, ipv6, loopbackSettings } from './ipSettings.ts';
import { type DocumentPlace, hasBoth, refuseUnsupportedValue, refuse, step, warn } from './documentPlace.ts';
import * as reader from './readers.ts';

type InterfaceType = (typeof types)[number];

export interface Interface {
  readonly place: DocumentPlace;
  readonly name: string;
  /** `veth` only for a peer that the document does not list. */
  readonly type: InterfaceType;
  readonly isUp: boolean;
  /** The `id` of the profile, and its file name. */
  readonly id: string;
  /** Identified by its MAC address, so its name is unknown. */
  readonly foundByMac: boolean;
  readonly profileName: string | undefined;
  readonly bond: Bond | undefined;
  /** All keys of the document. */
  readonly fields: InterfaceFields;
}

/** An interface without a profile. */
export interface Unmanaged {
  readonly name: string;
  readonly state: 'absent' | 'ignore';
}

interface Vlan {
  /** Name of an interface or a profile in the document. */
  readonly parent: string;
  /** ConvertedEntries of the `[vlan]` section, without the parent. */
  readonly entries: ConvertedEntries;
}

/** Priorities in a VLAN header. */
const headerPriority = reader.integer(0, 7);

const vlanShape = {
  'base-iface': reader.linkName,
  id: reader.integer(0, 4094),
  protocol: reader.vlanProtocol,
  'registration-protocol': reader.oneOf(['gvrp', 'mvrp', 'none']),
  'reorder-headers': reader.strictFlag,
  'loose-binding': reader.strictFlag,
  'ingress-qos-map': qosMap(headerPriority, reader.uint32),
  'egress-qos-map': qosMap(reader.uint32, headerPriority),
};

const readVlanFields = reader.objectWith(vlanShape, ['base-iface', 'id']);

const vlan: reader.Reader<Vlan> = (value, place) => {
  const fields = readVlanFields(value, place);
  if (fields === undefined) return undefined;
  const entry = reader.entryMaker(fields, place);
  return {
    parent: fields['base-iface'],
    entries: {
      id: entry('id'),
      flags: entry('flags', vlanFlags(fields)),
      protocol: entry('protocol'),
      'ingress-priority-map': entry('ingress-qos-map'),
      'egress-priority-map': entry('egress-qos-map'),
    },
  };
};

/** `NMVlanFlags` of NetworkManager. */
function vlanFlags(fields: reader.Shaped<typeof vlanShape>): number {
  const reorderHeaders = (fields['reorder-headers'] ?? true) ? 1 : 0;
  const gvrp = fields['registration-protocol'] === 'gvrp' ? 2 : 0;
  const looseBinding = fields['loose-binding'] === true ? 4 : 0;
  const mvrp = fields['registration-protocol'] === 'mvrp' ? 8 : 0;
  return reorderHeaders | gvrp | looseBinding | mvrp;
}

function qosMap(from: reader.Reader<number>, to: reader.Reader<number>): reader.Reader<string> {
  return reader.mapped(reader.list(reader.objectWith({ from, to }, ['from', 'to'])), (map) =>
    map
      .toSorted((a, b) => a.from - b.from || a.to - b.to)
      .map((item) => `${item.from}:${item.to}`)
      .join(';'),
  );
}

const types = ['ethernet', 'veth', 'vlan', 'bond', 'linux-bridge', 'dummy', 'loopback'] as const;
const states = ['up', 'down', 'absent', 'ignore'] as const;

const mtu = reader.integer(0, 2 ** 32 - 1);
/** Minimum MTU for IPv6 (RFC 8200, section 5). */
export const LEAST_IPV6_MTU = 1280;

const sharedShape = {
  name: reader.linkName,
  type: reader.oneOf(types),
  state: reader.oneOf(states),
  'profile-name': reader.linkName,
  description: reader.text,
  identifier: reader.oneOf(['name', 'mac-address']),
  'mac-address': reader.macAddress,
  mtu,
  ipv4,
  ipv6,
  'wait-ip': reader.oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
  'accept-all-mac-addresses': reader.flag,
  lldp: reader.objectWith({ enabled: reader.flag }, ['enabled']),
  /** Keys that nmstate shows but does not apply. */
  driver: reader.text,
  'min-mtu': reader.strictly(reader.uint64),
  'max-mtu': reader.strictly(reader.uint64),
  'permanent-mac-address': reader.macAddress,
};

/** All keys of all interface types, so that one type describes every interface. */
const anyShape = {
  ...sharedShape,
  ethernet: reader.object({
    'auto-negotiation': reader.flag,
    speed: reader.uint32,
    duplex: reader.oneOf(['full', 'half']),
  }),
  veth: reader.objectWith({ peer: reader.linkName }, ['peer']),
  vlan,
  'link-aggregation': bond,
  bond,
  bridge,
  'copy-mac-from': reader.linkName,
};

export type InterfaceFields = reader.Shaped<typeof anyShape>;

const readersByType: Readonly<Record<InterfaceType, reader.Reader<InterfaceFields>>> = {
  ethernet: reader.object({ ...sharedShape, ethernet: anyShape.ethernet }),
  veth: reader.object({ ...sharedShape, ethernet: anyShape.ethernet, veth: anyShape.veth }),
  vlan: reader.object({ ...sharedShape, vlan }),
  bond: reader.object({ ...sharedShape, 'link-aggregation': bond, bond, 'copy-mac-from': reader.linkName }),
  'linux-bridge': reader.object({ ...sharedShape, bridge, 'copy-mac-from': reader.linkName }),
  dummy: reader.object(sharedShape),
  loopback: reader.object(sharedShape),
};

export const readInterface: reader.Reader<Interface | Unmanaged> = (value, place) => {
  if (!isMapping(value)) return refuse(place, 'expected a mapping');
  if (value['state'] === 'absent') return readAbsent(value, place);
  const type = readType(value, place);
  const fields = type === undefined ? undefined : readersByType[type](value, place);
  if (type === undefined || fields === undefined) return undefined;
  const name = checkName(fields, value, place);
  if (name === undefined) return undefined;
  if (fields.state === 'ignore') {
    if (portsOf(fields) === undefined) return { name, state: 'ignore' };
    return refuseUnsupportedValue(step(place, 'state'), 'an ignored interface with ports');
  }
  checkFields(type, fields, place);
  // nmstate treats veth interfaces as Ethernet interfaces, which may have a peer.
  const own = type === 'loopback' ? { ...loopbackSettings(place), ...fields } : fields;
  return toInterface(name, type === 'veth' ? 'ethernet' : type, own, place);
};

/** Keys that nmstate reads of an interface with state absent. */
const absentShape = {
  name: reader.linkName,
  type: reader.oneOf(types),
  state: reader.oneOf(states),
  identifier: sharedShape.identifier,
  'mac-address': reader.macAddress,
};

const readAbsentFields = reader.object(absentShape);

function readAbsent(value: Mapping, place: DocumentPlace): Unmanaged | undefined {
  const kept = Object.entries(value).filter(([key]) => key in absentShape || key === 'pci-address');
  const fields = readAbsentFields(Object.fromEntries(kept), place);
  const name = fields === undefined ? undefined : checkName(fields, value, place);
  return name === undefined ? undefined : { name, state: 'absent' };
}

/** The default type is Ethernet, as in nmstate offline. */
function readType(value: Mapping, place: DocumentPlace): InterfaceType | undefined {
  if (!Object.hasOwn(value, 'type')) return 'ethernet';
  const { type } = value;
  const known = types.find((candidate) => candidate === type);
  if (known !== undefined || typeof type !== 'string')
    return known ?? reader.oneOf(types)(type, step(place, 'type'));
  return refuseUnsupportedValue(step(place, 'type'), `type ${quoteText(type)}`);
}

function checkName(
  { name, identifier, type }: InterfaceFields,
  value: Mapping,
  place: DocumentPlace,
): string | undefined {
  if (name === undefined)
    return Object.hasOwn(value, 'name') ? undefined : refuse(place, '"name" is missing');
  if ((name === 'lo') !== (type === 'loopback')) {
    if (name !== 'lo') return refuse(step(place, 'name'), 'the loopback interface must have the name lo');
    return refuse(place, 'lo is the loopback interface', 'add "type": "loopback"');
  }
  if (identifier === 'mac-address' || reader.isKernelName(name)) return name;
  const hint = 'use 1 to 15 ASCII characters without spaces, slashes and colons';
  return refuse(step(place, 'name'), 'invalid interface name', hint);
}

function checkFields(type: InterfaceType, fields: InterfaceFields, place: DocumentPlace): void {
  if (fields.identifier === 'mac-address' && fields['mac-address'] === undefined) {
    refuse(step(place, 'identifier'), 'requires "mac-address"');
  }
  if (fields.ipv6?.enabled === true && fields.mtu !== undefined && fields.mtu < LEAST_IPV6_MTU) {
    const hint = 'increase the MTU, or set ipv6.enabled to false';
    refuse(step(place, 'mtu'), `IPv6 requires at least ${LEAST_IPV6_MTU}`, hint);
  }
  if (type === 'vlan' && fields.vlan === undefined) refuse(place, '"vlan" is missing');
  if (type === 'bond') checkBond(fields, place);
  if (type === 'loopback') {
    for (const name of ['ipv4', 'ipv6'] as const) {
      const settings = fields[name];
      if (settings === undefined || (settings.enabled && !settings.isAuto)) continue;
      refuse(step(place, name), 'the loopback interface has static addresses', `remove "${name}"`);
    }
  }
}

function checkBond(fields: InterfaceFields, place: DocumentPlace): void {
  hasBoth(fields, 'link-aggregation', 'bond', place);
  const settings = bondOf(fields);
  const isUp = (fields.state ?? 'up') === 'up';
  if (isUp && settings?.entries['mode'] === undefined)
    refuse(place, 'a bond requires a mode', 'set link-aggregation.mode');
  if (settings !== undefined && macFollowsPorts(settings) && fields['mac-address'] !== undefined) {
    const hint =
      'remove the MAC address; with fail_over_mac active, the bond uses the address of its active port';
    warn(step(place, 'mac-address'), 'the MAC address is ignored, as in nmstate', hint);
  }
}

export function toInterface(
  name: string,
  type: InterfaceType,
  fields: InterfaceFields,
  place: DocumentPlace,
): Interface {
  const isUp = (fields.state ?? 'up') === 'up';
  const foundByMac = fields.identifier === 'mac-address';
  const profileName = fields['profile-name'] ?? (foundByMac && isUp ? name : undefined);
  const id = profileName ?? name;
  return { place, name, type, isUp, id, foundByMac, profileName, bond: bondOf(fields), fields };
}

function bondOf(fields: InterfaceFields): Bond | undefined {
  return fields['link-aggregation'] ?? fields.bond;
}

export function ipSettingsOf({ fields }: Interface, family: Family): IpSettings | undefined {
  return family === 4 ? fields.ipv4 : fields.ipv6;
}

/** Undefined for an interface without ports, or if the document does not list them. */
export function portsOf(fields: InterfaceFields): readonly Port[] | undefined {
  return bondOf(fields)?.ports ?? fields.bridge?.ports;
}
