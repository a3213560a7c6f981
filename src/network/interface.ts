/** Reads and checks one interface of an nmstate document, independently of other interfaces. */

import { quoteText } from '../core/foreignText.ts';
import { isMapping } from '../formats/mapping.ts';
import { bond, type Controller, macFollowsPorts } from './bond.ts';
import { bridge } from './bridge.ts';
import { isKernelName } from './interfaceName.ts';
import type { Family } from './ipAddress.ts';
import { type IpSettings, ipv4, ipv6, loopbackSettings } from './ipSettings.ts';
import {
  type DocumentPlace,
  expected,
  hasBoth,
  refuseUnsupportedValue,
  refuse,
  step,
  warn,
} from './documentPlace.ts';
import { ethernet, vlan } from './linkSections.ts';
import * as reader from './readers.ts';

type InterfaceType = keyof typeof kinds;

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
  readonly asController: Controller | undefined;
  readonly fields: InterfaceFields;
}

/** An interface without a profile. */
export interface Unmanaged {
  readonly name: string;
  readonly state: 'absent' | 'ignore';
}

const states = ['up', 'down', 'absent', 'ignore'] as const;

const mtu = reader.integer(0, 2 ** 32 - 1);
/** Minimum MTU for IPv6 (RFC 8200, section 5). */
const LEAST_IPV6_MTU = 1280;

const sharedShape = {
  name: reader.linkName,
  type: reader.text,
  state: reader.present(reader.oneOf(states)),
  'profile-name': reader.linkName,
  description: reader.text,
  identifier: reader.oneOf(['name', 'mac-address']),
  'mac-address': reader.macAddress,
  mtu,
  ipv4,
  ipv6,
  'wait-ip': reader.oneOf(['any', 'ipv4', 'ipv6', 'ipv4+ipv6']),
  'accept-all-mac-addresses': reader.flag,
  /** nmstate only shows the neighbors. */
  lldp: reader.object({ enabled: reader.flag, neighbors: reader.anything }, ['enabled']),
  /** Keys that nmstate shows but does not apply. */
  driver: reader.text,
  'min-mtu': reader.strictly(reader.uint64),
  'max-mtu': reader.strictly(reader.uint64),
  'permanent-mac-address': reader.macAddress,
};

const ownShape = {
  ethernet,
  veth: reader.object({ peer: reader.linkName }, ['peer']),
  vlan,
  'link-aggregation': bond,
  bond,
  bridge,
  'copy-mac-from': reader.linkName,
};

/** The kinds of interfaces, and the keys that only some of them have. */
const kinds = {
  ethernet: ['ethernet'],
  veth: ['ethernet', 'veth'],
  vlan: ['vlan'],
  bond: ['link-aggregation', 'bond', 'copy-mac-from'],
  'linux-bridge': ['bridge', 'copy-mac-from'],
  dummy: [],
  loopback: [],
} as const satisfies Readonly<Record<string, readonly (keyof typeof ownShape)[]>>;

/** All keys of all kinds, so that one type describes every interface. */
export type InterfaceFields = reader.Shaped<typeof sharedShape & typeof ownShape>;

const readersByKind = new Map<string, reader.Reader<InterfaceFields & { readonly name: string }>>(
  Object.entries(kinds).map(([kind, keys]) => {
    const own = Object.fromEntries(keys.map((key) => [key, ownShape[key]]));
    return [kind, reader.object({ ...sharedShape, ...own }, ['name'])];
  }),
);

export const readInterface: reader.Reader<Interface | Unmanaged> = (value, place) => {
  if (!isMapping(value)) return refuse(place, 'expected a mapping');
  if (value['state'] === 'absent') {
    // nmstate reads no more of it, of whatever type.
    const kept = Object.fromEntries(Object.entries(value).filter(([key]) => key in absentShape));
    const absent = readAbsentFields(kept, place);
    return absent && { name: absent.name, state: 'absent' };
  }
  // The default is that of nmstate offline.
  const written = value['type'] ?? 'ethernet';
  if (typeof written !== 'string') return refuse(step(place, 'type'), expected('a string', written));
  if (!isKind(written)) return refuseUnsupportedValue(step(place, 'type'), `type ${quoteText(written)}`);
  const fields = readersByKind.get(written)?.(value, place);
  if (fields === undefined) return undefined;
  const { identifier, name, state } = fields;
  if ((name === 'lo') !== (written === 'loopback')) {
    if (name !== 'lo') return refuse(step(place, 'name'), 'the loopback interface must have the name lo');
    return refuse(place, 'lo is the loopback interface', 'add "type": "loopback"');
  }
  if (identifier !== 'mac-address' && !isKernelName(name)) {
    const hint = 'use 1 to 15 ASCII characters without spaces, slashes and colons';
    return refuse(step(place, 'name'), 'invalid interface name', hint);
  }
  if (state === 'ignore') {
    if (controllerOf(fields)?.ports === undefined) return { name, state: 'ignore' };
    return refuseUnsupportedValue(step(place, 'state'), 'an ignored interface with ports');
  }
  checkFields(written, fields, place);
  // nmstate treats veth interfaces as Ethernet interfaces, which may have a peer.
  const own = written === 'loopback' ? { ...loopbackSettings(place), ...fields } : fields;
  return toInterface(name, written === 'veth' ? 'ethernet' : written, own, place);
};

const absentShape = {
  name: reader.linkName,
  type: reader.text,
  state: reader.oneOf(states),
  identifier: sharedShape.identifier,
};
const readAbsentFields = reader.object(absentShape, ['name']);

function isKind(type: string): type is InterfaceType {
  return Object.hasOwn(kinds, type);
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
  if (type === 'bond') {
    hasBoth(fields, 'link-aggregation', 'bond', place);
    const settings = controllerOf(fields);
    if ((fields.state ?? 'up') === 'up' && settings?.entries['mode'] === undefined)
      refuse(place, 'a bond requires a mode', 'set link-aggregation.mode');
    if (macFollowsPorts(settings) && fields['mac-address'] !== undefined) {
      const hint =
        'remove the MAC address; with fail_over_mac active, the bond uses the address of its active port';
      warn(step(place, 'mac-address'), 'the MAC address is ignored, as in nmstate', hint);
    }
  }
  if (type === 'loopback') {
    for (const name of ['ipv4', 'ipv6'] as const) {
      const settings = fields[name];
      if (settings === undefined || (settings.enabled && !settings.isAuto)) continue;
      refuse(step(place, name), 'the loopback interface has static addresses', `remove "${name}"`);
    }
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
  const asController = controllerOf(fields);
  return { place, name, type, isUp, id, foundByMac, profileName, asController, fields };
}

function controllerOf(fields: InterfaceFields): Controller | undefined {
  return fields['link-aggregation'] ?? fields.bond ?? fields.bridge;
}

export function ipSettingsOf(link: Interface | undefined, family: Family): IpSettings | undefined {
  return family === 4 ? link?.fields.ipv4 : link?.fields.ipv6;
}
