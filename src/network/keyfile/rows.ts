/**
 * What NetworkManager checks in the sections of a keyfile, for Ethernet, bonds, bridges and VLANs: a row for each key. Source:
 * `verify` of the settings in libnm. Of keys that hosts of a live system have no use for, only the form of the values is checked.
 */

import { quoteText } from '../../core/foreignText.ts';
import { bondRows } from './bondRows.ts';
import { isMacAddress, isProfileInterface } from './names.ts';
import type { Profile } from './profile.ts';
import type { KeyfileRow } from './row.ts';
import { sectionName, settingInfo, settingName } from './settings.ts';

const TYPE_HINT = 'set it to ethernet, bond, bridge or vlan, for example';
const MAC_HINT = 'write it like 52:54:00:12:34:56';

const controllerTypes: ReadonlySet<string> = new Set([
  'bond',
  'bridge',
  'team',
  'ovs-bridge',
  'ovs-port',
  'vrf',
  'hsr',
]);

/** Interfaces that NetworkManager creates with the name of the connection. */
const virtualTypes = ['bond', 'bridge', 'dummy', 'team', 'veth', 'vrf'];

export const rows: readonly KeyfileRow[] = [
  ...['ethernet', 'bridge'].map((section): KeyfileRow => ({
    key: `${section}.mac-address`,
    effect: 'ignores',
    isValid: isMacValue,
    problem: (value) => `${quoteText(value)} is not a MAC address`,
    hint: MAC_HINT,
  })),
  {
    key: 'ethernet.cloned-mac-address',
    effect: 'ignores',
    isValid: (value) => isMacValue(value) || ['preserve', 'permanent', 'random', 'stable'].includes(value),
    problem: (value) => `${quoteText(value)} is not a MAC address`,
    hint: MAC_HINT,
  },
  {
    key: 'connection.type',
    isRequired: (profile) => connectionType(profile) === undefined,
    problem: 'the type is missing',
    hint: `add type=…: ${TYPE_HINT}`,
  },
  {
    key: 'connection.type',
    isValid: (type) => typeOf(type) !== null,
    problem: (type) => `unknown type ${quoteText(type)}`,
    hint: TYPE_HINT,
  },
  {
    key: 'connection.type',
    // A VLAN on an interface that is found by its MAC address needs no section.
    isValid: (type, { sections, values }) =>
      typeOf(type) !== 'required' ||
      sections.has(sectionName(settingName(type))) ||
      (type === 'vlan' && values.has('ethernet.mac-address')),
    problem: (type) => `the type ${type} requires the section [${type}]`,
    hint: (type) => `add [${type}]`,
  },
  {
    key: 'connection.id',
    isValid: (id) => id !== '',
    problem: 'the value is empty',
    hint: 'remove id, or set a name',
  },
  {
    key: 'connection.uuid',
    isValid: isConnectionUuid,
    problem: (value) => `${quoteText(value)} is not a UUID`,
    hint: 'remove the line: NetworkManager then derives a UUID from the file name',
  },
  {
    key: 'connection.interface-name',
    isValid: (name, profile) =>
      isProfileInterface(name) || connectionType(profile)?.startsWith('ovs-') === true,
    problem: (name) => `${quoteText(name)} is not a valid interface name`,
    hint: 'use 1 to 15 bytes without spaces, slashes, colons and %',
  },
  {
    key: 'connection.interface-name',
    isRequired: (profile) => virtualType(profile) !== undefined,
    problem: (_value, profile) => `missing; a ${virtualType(profile)} requires a name`,
    hint: (_value, profile) => `add interface-name=${virtualType(profile)}0`,
  },
  {
    key: 'connection.port-type',
    isValid: (type) => controllerTypes.has(type),
    problem: (type) => `unknown type ${quoteText(type)}`,
    hint: 'use the type of the controller: bond or bridge, for example',
  },
  {
    key: 'connection.port-type',
    isValid: (_type, { values }) => values.has('connection.controller'),
    problem: 'a port requires the name of its controller',
    hint: (_type, { entries }) => `add master=…, or remove ${entries.get('connection.port-type')?.key}`,
  },
  {
    key: 'connection.controller',
    isValid: (_name, { sections, values }) =>
      values.has('connection.port-type') || [...sections].some((section) => section.endsWith('-port')),
    problem: 'requires the type of the controller',
    hint: 'add slave-type=bond or slave-type=bridge',
  },
  {
    key: 'vlan.parent',
    isRequired: ({ sections, values }) => sections.has('vlan') && !values.has('ethernet.mac-address'),
    problem: 'the key is missing',
    hint: 'set parent to the name of an interface, or to the UUID of its connection',
  },
  {
    key: 'vlan.parent',
    // Other than in interface-name, also a name that NetworkManager does not give an interface.
    isValid: (parent) =>
      isConnectionUuid(parent) || (Buffer.byteLength(parent) <= 15 && /^(?!\.{1,2}$)[^/:\s]+$/.test(parent)),
    problem: (parent) => `${quoteText(parent)} is not the name of an interface, nor a UUID`,
    hint: 'set parent to an interface such as eth0, or to the UUID of its connection',
  },
  {
    key: 'vlan.id',
    isValid: (id) => id !== '4095',
    problem: '4095 is reserved',
    hint: 'use 1 to 4094',
  },
  ...bondRows,
];

/** The type of the connection, which the only section of a type shows if the key is missing. */
function connectionType(profile: Profile): string | undefined {
  const bases = [...profile.sections].filter((section) => typeOf(section) !== null);
  return profile.values.get('connection.type') ?? (bases.length === 1 ? bases[0] : undefined);
}

/** Whether a connection of the type must have the section; null for what is no type. */
function typeOf(section: string): 'optional' | 'required' | null {
  return settingInfo(settingName(section))?.type ?? null;
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
