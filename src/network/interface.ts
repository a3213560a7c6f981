/** Reads and checks one interface of an nmstate document, independently of other interfaces. */

import { isMapping, type Mapping } from '../formats/mapping.ts';
import { type Bond, bond } from './bond.ts';
import { bridge } from './bridge.ts';
import type { ProfileEntries } from './connectionProfile.ts';
import type { Family } from './ipAddress.ts';
import { type IpSettings, ipv4, ipv6 } from './ipSettings.ts';
import {
  type DocumentPlace,
  flag,
  hasBoth,
  integer,
  isKernelName,
  linkName,
  list,
  macAddress,
  mapped,
  refuseUnsupportedValue,
  object,
  objectWith,
  oneOf,
  type Reader,
  refuse,
  type Shaped,
  step,
  strictFlag,
  strictly,
  text,
  uint32,
  uint64,
  vlanProtocol,
  warn,
} from './readers.ts';

type InterfaceType = 'ethernet' | 'vlan' | 'bond' | 'linux-bridge' | 'dummy';

export interface Interface {
  readonly place: DocumentPlace;
  readonly name: string;
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
  /** Entries of the `[vlan]` section, without the parent. */
  readonly entries: ProfileEntries;
}

/** Priorities in a VLAN header. */
const headerPriority = integer(0, 7);

const vlanShape = {
  'base-iface': linkName,
  id: integer(0, 4094),
  protocol: vlanProtocol,
  'registration-protocol': oneOf(['gvrp', 'mvrp', 'none']),
  'reorder-headers': strictFlag,
  'loose-binding': strictFlag,
  'ingress-qos-map': qosMap(headerPriority, uint32),
  'egress-qos-map': qosMap(uint32, headerPriority),
};

const vlan: Reader<Vlan> = mapped(objectWith(vlanShape, ['base-iface', 'id']), (fields) => ({
  parent: fields['base-iface'],
  entries: {
    id: String(fields.id),
    flags: String(vlanFlags(fields)),
    protocol: fields.protocol,
    'ingress-priority-map': fields['ingress-qos-map'],
    'egress-priority-map': fields['egress-qos-map'],
  },
}));

/** `NMVlanFlags` of NetworkManager. */
function vlanFlags(fields: Shaped<typeof vlanShape>): number {
  const reorderHeaders = (fields['reorder-headers'] ?? true) ? 1 : 0;
  const gvrp = fields['registration-protocol'] === 'gvrp' ? 2 : 0;
  const looseBinding = fields['loose-binding'] === true ? 4 : 0;
  const mvrp = fields['registration-protocol'] === 'mvrp' ? 8 : 0;
  return reorderHeaders | gvrp | looseBinding | mvrp;
}

function qosMap(from: Reader<number>, to: Reader<number>): Reader<string> {
  return mapped(list(objectWith({ from, to }, ['from', 'to'])), (map) =>
    map
      .toSorted((a, b) => a.from - b.from || a.to - b.to)
      .map((item) => `${item.from}:${item.to}`)
      .join(';'),
  );
}

const types = ['ethernet', 'vlan', 'bond', 'linux-bridge', 'dummy'] as const;
const states = ['up', 'down', 'absent', 'ignore'] as const;

const mtu = integer(0, 2 ** 32 - 1);
/** Minimum MTU for IPv6 (RFC 8200, section 5). */
export const leastIpv6Mtu = 1280;

const sharedShape = {
  name: linkName,
  type: oneOf(types),
  state: oneOf(states),
  'profile-name': linkName,
  description: text,
  identifier: oneOf(['name', 'mac-address']),
  'mac-address': macAddress,
  mtu,
  ipv4,
  ipv6,
  'wait-ip': oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
  'accept-all-mac-addresses': flag,
  lldp: objectWith({ enabled: flag }, ['enabled']),
  /** Keys that nmstate shows but does not apply. */
  driver: text,
  'min-mtu': strictly(uint64),
  'max-mtu': strictly(uint64),
  'permanent-mac-address': macAddress,
};

/** All keys of all interface types, so that one type describes every interface. */
const anyShape = {
  ...sharedShape,
  ethernet: object({ 'auto-negotiation': flag, speed: uint32, duplex: oneOf(['full', 'half']) }),
  vlan,
  'link-aggregation': bond,
  bond,
  bridge,
  'copy-mac-from': linkName,
};

export type InterfaceFields = Shaped<typeof anyShape>;

const readers: Readonly<Record<InterfaceType, Reader<InterfaceFields>>> = {
  ethernet: object({ ...sharedShape, ethernet: anyShape.ethernet }),
  vlan: object({ ...sharedShape, vlan }),
  bond: object({ ...sharedShape, 'link-aggregation': bond, bond, 'copy-mac-from': linkName }),
  'linux-bridge': object({ ...sharedShape, bridge, 'copy-mac-from': linkName }),
  dummy: object(sharedShape),
};

export const readInterface: Reader<Interface | Unmanaged> = (value, place) => {
  if (!isMapping(value)) return refuse(place, 'expected a mapping');
  if (value['state'] === 'absent') return readAbsent(value, place);
  const type = readType(value, place);
  const fields = type === undefined ? undefined : readers[type](value, place);
  if (type === undefined || fields === undefined) return undefined;
  const name = checkName(fields, value, place);
  if (name === undefined) return undefined;
  if (fields.state === 'ignore') {
    if (portsOf(fields) === undefined) return { name, state: 'ignore' };
    return refuseUnsupportedValue(step(place, 'state'), 'an ignored interface with ports');
  }
  checkFields(type, fields, place);
  return toInterface(name, type, fields, place);
};

/** Keys that nmstate reads of an interface with state absent. */
const absentShape = {
  name: linkName,
  type: oneOf(types),
  state: oneOf(states),
  identifier: sharedShape.identifier,
  'mac-address': macAddress,
};

const readAbsentFields = object(absentShape);

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
    return known ?? oneOf(types)(type, step(place, 'type'));
  return refuseUnsupportedValue(step(place, 'type'), `type ${JSON.stringify(type.slice(0, 60))}`);
}

function checkName(
  { name, identifier }: InterfaceFields,
  value: Mapping,
  place: DocumentPlace,
): string | undefined {
  if (name === undefined)
    return Object.hasOwn(value, 'name') ? undefined : refuse(place, '"name" is missing');
  if (name === 'lo') return refuseUnsupportedValue(step(place, 'name'), 'the loopback interface');
  if (identifier === 'mac-address' || isKernelName(name)) return name;
  const hint = 'use 1 to 15 ASCII characters without spaces, slashes and colons';
  return refuse(step(place, 'name'), 'invalid interface name for Linux', hint);
}

function checkFields(type: InterfaceType, fields: InterfaceFields, place: DocumentPlace): void {
  if (fields.identifier === 'mac-address' && fields['mac-address'] === undefined) {
    refuse(step(place, 'identifier'), 'requires "mac-address"');
  }
  if (fields.ipv6?.enabled === true && fields.mtu !== undefined && fields.mtu < leastIpv6Mtu) {
    const hint = 'increase the MTU, or set ipv6.enabled to false';
    refuse(step(place, 'mtu'), `IPv6 requires at least ${leastIpv6Mtu}`, hint);
  }
  if (type === 'vlan' && fields.vlan === undefined) refuse(place, '"vlan" is missing');
  if (type === 'bond') checkBond(fields, place);
}

function checkBond(fields: InterfaceFields, place: DocumentPlace): void {
  hasBoth(fields, 'link-aggregation', 'bond', place);
  const settings = bondOf(fields);
  const isUp = (fields.state ?? 'up') === 'up';
  if (isUp && settings?.entries['mode'] === undefined)
    refuse(place, 'a bond requires a mode', 'set link-aggregation.mode');
  if (settings?.macFollowsPorts === true && fields['mac-address'] !== undefined) {
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
export function portsOf(fields: InterfaceFields): readonly string[] | undefined {
  return bondOf(fields)?.ports ?? fields.bridge?.ports;
}
