/**
 * What NetworkManager checks in the sections of a keyfile, for Ethernet, bonds, bridges and VLANs: a row for each key. Source:
 * `verify` of the settings in libnm. Of keys that hosts of a live system have no use for, only the form of the values is checked.
 */

import { quoteText } from '../../core/foreignText.ts';
import { bondRows } from './bondRows.ts';
import { isMacAddress, isProfileInterface } from './names.ts';
import type { Profile } from './profile.ts';
import { ignores, type KeyfileRow, rejects, requires } from './row.ts';
import { sectionInfo, sectionName } from './settings.ts';

const TYPE_HINT = 'set it to ethernet, bond, bridge or vlan, for example';
const MAC_HINT = 'write it like 52:54:00:12:34:56';

const CONTROLLER_TYPE = /^(?:bond|bridge|team|ovs-bridge|ovs-port|vrf|hsr)$/;

/** Interfaces that NetworkManager creates with the name of the connection. */
const virtualTypes = ['bond', 'bridge', 'dummy', 'team', 'veth', 'vrf'];

export const rows: readonly KeyfileRow[] = [
  ...['ethernet', 'bridge'].map((section) => ignores(`${section}.mac-address`, isMacValue, noMac, MAC_HINT)),
  ignores(
    'ethernet.cloned-mac-address',
    (value) => isMacValue(value) || ['preserve', 'permanent', 'random', 'stable'].includes(value),
    noMac,
    MAC_HINT,
  ),
  requires(
    'connection.type',
    (profile) => connectionType(profile) === undefined,
    'the type is missing',
    `add type=…: ${TYPE_HINT}`,
  ),
  rejects('connection.type', (type) => typeOf(type) !== null, unknownType, TYPE_HINT),
  rejects(
    'connection.type',
    // A VLAN on an interface that is found by its MAC address needs no section.
    (type, { sections, values }) =>
      typeOf(type) !== 'required' ||
      sections.has(sectionName(type)) ||
      (type === 'vlan' && values.has('ethernet.mac-address')),
    (type) => `the type ${type} requires the section [${type}]`,
    (type) => `add [${type}]`,
  ),
  rejects('connection.id', (id) => id !== '', 'the value is empty', 'remove id, or set a name'),
  rejects(
    'connection.uuid',
    isConnectionUuid,
    (value) => `${quoteText(value)} is not a UUID`,
    'remove the line: NetworkManager then derives a UUID from the file name',
  ),
  rejects(
    'connection.interface-name',
    (name, profile) => isProfileInterface(name) || connectionType(profile)?.startsWith('ovs-') === true,
    (name) => `${quoteText(name)} is not a valid interface name`,
    'use 1 to 15 bytes without spaces, slashes, colons and %',
  ),
  requires(
    'connection.interface-name',
    (profile) => virtualType(profile) !== undefined,
    (_value, profile) => `missing; a ${virtualType(profile)} requires a name`,
    (_value, profile) => `add interface-name=${virtualType(profile)}0`,
  ),
  rejects(
    'connection.port-type',
    (type) => CONTROLLER_TYPE.test(type),
    unknownType,
    'use the type of the controller: bond or bridge, for example',
  ),
  rejects(
    'connection.port-type',
    (_type, { values }) => values.has('connection.controller'),
    'a port requires the name of its controller',
    (_type, { entries }) => `add master=…, or remove ${entries.get('connection.port-type')?.key}`,
  ),
  rejects(
    'connection.controller',
    (_name, { sections, values }) =>
      values.has('connection.port-type') || [...sections].some((section) => section.endsWith('-port')),
    'requires the type of the controller',
    'add slave-type=bond or slave-type=bridge',
  ),
  requires(
    'vlan.parent',
    ({ sections, values }) => sections.has('vlan') && !values.has('ethernet.mac-address'),
    'the key is missing',
    'set parent to the name of an interface, or to the UUID of its connection',
  ),
  rejects(
    'vlan.parent',
    // Other than in interface-name, also a name that NetworkManager does not give an interface.
    (parent) =>
      isConnectionUuid(parent) || (Buffer.byteLength(parent) <= 15 && /^(?!\.{1,2}$)[^/:\s]+$/.test(parent)),
    (parent) => `${quoteText(parent)} is not the name of an interface, nor a UUID`,
    'set parent to an interface such as eth0, or to the UUID of its connection',
  ),
  rejects('vlan.id', (id) => id !== '4095', '4095 is reserved', 'use 1 to 4094'),
  ...bondRows,
];

function noMac(value: string): string {
  return `${quoteText(value)} is not a MAC address`;
}

function unknownType(type: string): string {
  return `unknown type ${quoteText(type)}`;
}

/** The type of the connection, which the only section of a type shows if the key is missing. */
export function connectionType(profile: Profile): string | undefined {
  const bases = [...profile.sections].filter((section) => typeOf(section) !== null);
  return profile.values.get('connection.type') ?? (bases.length === 1 ? bases[0] : undefined);
}

/** Whether a connection of the type must have the section; null for what is no type. */
function typeOf(section: string): 'optional' | 'required' | null {
  return sectionInfo(sectionName(section))?.type ?? null;
}

function virtualType(profile: Profile): string | undefined {
  const type = connectionType(profile);
  return virtualTypes.find((virtual) => virtual === type || profile.sections.has(virtual));
}

/** As RFC 9562 writes it, or one of the older forms that NetworkManager accepts. */
function isConnectionUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) || /^[\da-f]{40}$/i.test(text);
}

/** A MAC address; also six numbers with semicolons, as older releases wrote it. */
function isMacValue(text: string): boolean {
  const numbers = text.replace(/;$/, '').split(';');
  const isNumbers =
    numbers.length === 6 && numbers.every((item) => /^\s*\d{1,3}\s*$/.test(item) && Number(item) < 256);
  return isMacAddress(text) || isNumbers;
}
