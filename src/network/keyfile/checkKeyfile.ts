/**
 * Whether NetworkManager loads a keyfile, and what of it has no effect: the verdict of `nm_keyfile_read` and
 * `nm_connection_normalize` of libnm. Settings of Ethernet, bonds, bridges, VLANs, veth, dummy and loopback interfaces are
 * checked; of Wi-Fi, VPN, tunnels, Open vSwitch and others only the form of the values.
 */

import { FormatError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { type KeyfileSection, parseKeyfile, type ParsedEntry } from '../../formats/keyfile.ts';
import { checkBondOptions, readBondOptions } from './bondOptions.ts';
import { checkIpSection } from './ip.ts';
import { isProfileInterface, isMacAddress } from './names.ts';
import {
  ignore,
  type KeyfileProblem,
  settingList,
  settingNumber,
  settingFlag,
  type Profile,
  readList,
  readProfile,
  reject,
  type ProfileSetting,
  settingText,
  unescapeValue,
} from './profile.ts';
import { isKnownKey, sectionName, sectionNames, settingInfo, settingName } from './settings.ts';

export type { KeyfileProblem };

/** The problems of a keyfile, in no particular order. */
export function checkKeyfile(text: string): readonly KeyfileProblem[] {
  let sections: readonly KeyfileSection<ParsedEntry>[];
  try {
    sections = parseKeyfile(text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = 'write lines of the form KEY=VALUE below [SECTION]', message } = error;
    return [{ severity: 'error', message, hint, line: undefined }];
  }
  if (!sections.some(({ name }) => name === 'connection')) {
    const hint = 'pass a file like those in /etc/NetworkManager/system-connections';
    return [{ severity: 'error', message: 'the keyfile has no section [connection]', hint, line: undefined }];
  }
  const profile = readProfile(sections);
  reportUnknown(sections, profile);
  const type = checkConnection(profile);
  if (type === 'loopback' || profile.settings.has('loopback')) checkLoopback(profile);
  const { settings } = profile;
  for (const [name, check] of Object.entries(settingChecks)) {
    const setting = settings.get(name);
    if (setting !== undefined) check(setting, profile);
  }
  checkIpSection(4, profile);
  checkIpSection(6, profile);
  for (const [place, accepted] of Object.entries(words)) {
    const [setting = '', key = ''] = place.split(/\.(?=[^.]*$)/);
    const value = settingText(profile, setting, key) ?? settingNumber(profile, setting, key);
    if (value === undefined || accepted.includes(value)) continue;
    reject(
      profile,
      [setting, key],
      `unknown value ${quoteText(String(value))}`,
      `use one of ${accepted.join(', ')}`,
    );
  }
  return profile.problems;
}

const NOT_SETTINGS = /^(?:vpn-secrets|\.nmmeta|ethernet-s390-options|wireguard-peer\..*)$/;

/** Sections and keys that NetworkManager does not read. */
function reportUnknown(sections: readonly KeyfileSection<ParsedEntry>[], { problems }: Profile): void {
  for (const { entries, name } of sections) {
    const setting = settingName(name);
    if (NOT_SETTINGS.test(name)) continue;
    if (settingInfo(setting) === undefined) {
      const [nearest] = nearestNames(name, sectionNames());
      const hint = nearest === undefined ? `remove [${name}]` : `use [${nearest}]`;
      const message = `NetworkManager ignores the unknown section [${name}]`;
      problems.push({ severity: 'warning', message, hint, line: undefined, setting });
      continue;
    }
    for (const { key, line } of entries) {
      if (isKnownKey(setting, key)) continue;
      const message = `NetworkManager ignores the unknown key ${key} in [${name}]`;
      problems.push({ severity: 'warning', message, hint: hintKey(setting, key), line, setting, key });
    }
  }
}

/** Sections whose keys are easily written into another section. */
const commonSettings = [
  'connection',
  '802-3-ethernet',
  'ipv4',
  'ipv6',
  'vlan',
  'bridge',
  'bond-port',
  'bridge-port',
];

function hintKey(setting: string, key: string): string {
  const [nearest] = nearestNames(key, Object.keys(settingInfo(setting)?.properties ?? {}));
  const owner = commonSettings.find((other) => isKnownKey(other, key));
  if (owner !== undefined) return `move it to [${sectionName(owner)}]`;
  return nearest === undefined ? `remove ${key}` : `use ${nearest}`;
}

/** Returns the type of the connection, if it is valid. */
function checkConnection(profile: Profile): string | undefined {
  const type = readType(profile);
  const name =
    settingText(profile, 'connection', 'interface-name') ??
    settingText(profile, type ?? '', 'interface-name');
  const id = settingText(profile, 'connection', 'id');
  const uuid = settingText(profile, 'connection', 'uuid');
  const refuse = (key: string, problem: string, hint: string): void => {
    reject(profile, ['connection', key], problem, hint);
  };
  if (id === '') refuse('id', 'the value is empty', 'remove id, or set a name');
  if (uuid !== undefined && !isConnectionUuid(uuid)) {
    refuse(
      'uuid',
      `${quoteText(uuid)} is not a UUID`,
      'remove the line: NetworkManager then derives a UUID from the file name',
    );
  }
  if (name !== undefined && !isProfileInterface(name) && !(type ?? '').startsWith('ovs-')) {
    const problem = `${quoteText(name)} is not a valid interface name`;
    refuse('interface-name', problem, 'use 1 to 15 bytes without spaces, slashes, colons and %');
  }
  const named = virtualTypes.find((virtual) => virtual === type || profile.settings.has(virtual));
  if (name === undefined && named !== undefined) {
    refuse('interface-name', `missing; a ${named} requires a name`, `add interface-name=${named}0`);
  }
  const url = settingText(profile, 'connection', 'mud-url');
  if (url !== undefined && url !== 'none' && !/^https:\/\/[^/]/i.test(url)) {
    refuse('mud-url', `${quoteText(url)} is not an https URL`, 'remove mud-url');
  }
  const flags = settingNumber(profile, 'connection', 'mptcp-flags') ?? 0;
  const { disabled, fullmesh, known, signal } = mptcpFlags;
  const isBoth = (flags & signal) !== 0 && (flags & fullmesh) !== 0;
  if (flags !== disabled && (flags > known || (flags & disabled) !== 0 || isBoth)) {
    refuse('mptcp-flags', `the flags ${flags} exclude each other`, 'remove mptcp-flags');
  }
  checkPort(profile);
  if (settingList(profile, 'connection', 'permissions').some((item) => !/^user:[^:]+:?$/.test(item))) {
    refuse('permissions', 'the value is invalid', 'remove permissions');
  }
  return type;
}

/** `NMMptcpFlags` */
const mptcpFlags = { disabled: 0x1, signal: 0x10, fullmesh: 0x80, known: 0xff };

/** Interfaces that NetworkManager creates with the name of the connection. */
const virtualTypes = ['bond', 'bridge', 'dummy', 'team', 'veth', 'vrf'];

/** The type of the connection; reports a missing or unknown one. */
function readType(profile: Profile): string | undefined {
  const entry = profile.settings.get('connection')?.entries.get('type');
  const written = entry && unescapeValue(entry.value);
  const hint = 'set it to ethernet, bond, bridge or vlan, for example';
  if (written === undefined) {
    const bases = [...profile.settings.keys()].filter((setting) => typeOf(setting) !== null);
    if (bases.length === 1) return bases[0];
    reject(profile, ['connection', 'type'], 'the type is missing', `add type=…: ${hint}`);
    return undefined;
  }
  const type = settingName(written);
  if (typeOf(type) === null) {
    reject(profile, ['connection', 'type'], `unknown type ${quoteText(written)}`, hint);
    return undefined;
  }
  const hasSection = profile.settings.has(type);
  // A VLAN on an interface that is found by its MAC address needs no section.
  const mac = profile.settings.get('802-3-ethernet')?.entries.get('mac-address')?.value;
  const isMacVlan = type === 'vlan' && mac !== undefined && isMacValue(unescapeValue(mac), mac);
  if (typeOf(type) === 'required' && !hasSection && !isMacVlan) {
    const problem = `the type ${written} requires the section [${sectionName(type)}]`;
    reject(profile, ['connection', 'type'], problem, `add [${sectionName(type)}]`);
  }
  return type;
}

function typeOf(setting: string): 'optional' | 'required' | null {
  return settingInfo(setting)?.type ?? null;
}

/** As RFC 9562 writes it, or one of the older forms that NetworkManager accepts. */
function isConnectionUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) || /^[\da-f]{40}$/i.test(text);
}

/** Types of controllers, and the section of their ports. */
const portSettings: Readonly<Record<string, string | undefined>> = {
  bond: 'bond-port',
  bridge: 'bridge-port',
  team: 'team-port',
  'ovs-bridge': 'ovs-port',
  'ovs-port': 'ovs-interface',
  vrf: undefined,
  hsr: undefined,
};

function checkPort(profile: Profile): void {
  const controllerKey =
    profile.settings.get('connection')?.values.has('controller') === true ? 'controller' : 'master';
  const controller = settingText(profile, 'connection', controllerKey);
  const typeKey =
    profile.settings.get('connection')?.values.has('port-type') === true ? 'port-type' : 'slave-type';
  const type = settingText(profile, 'connection', typeKey);
  const refuse = (key: string, problem: string, hint: string): void => {
    reject(profile, ['connection', key], problem, hint);
  };
  const sections = ['bond-port', 'bridge-port', 'team-port', 'ovs-port', 'ovs-interface'].filter((name) =>
    profile.settings.has(name),
  );
  if (type !== undefined && !Object.hasOwn(portSettings, type)) {
    refuse(
      typeKey,
      `unknown type ${quoteText(type)}`,
      'use the type of the controller: bond or bridge, for example',
    );
  } else if (type !== undefined && controller === undefined) {
    refuse(typeKey, 'a port requires the name of its controller', `add master=…, or remove ${typeKey}`);
  } else if (type === undefined && controller !== undefined && sections.length !== 1) {
    refuse(controllerKey, 'requires the type of the controller', 'add slave-type=bond or slave-type=bridge');
  }
  for (const section of ['bond-port', 'bridge-port']) {
    if (!sections.includes(section) || type === undefined || portSettings[type] === section) continue;
    refuse(typeKey, `a port of the type ${type} cannot have the section [${section}]`, `remove [${section}]`);
  }
}

const settingChecks: Readonly<Record<string, (setting: ProfileSetting, profile: Profile) => void>> = {
  '802-3-ethernet': checkEthernet,
  bond: (setting, profile) => {
    checkBondOptions(readBondOptions(setting, profile), (option, problem, hint, effect) => {
      if (effect === 'drop') ignore(profile, setting, option, problem, hint);
      else reject(profile, ['bond', option], problem, hint);
    });
  },
  bridge: checkBridge,
  'bridge-port': checkBridgeVlans,
  ethtool: checkEthtool,
  user: checkUser,
  veth: (_setting, profile) => {
    const peer = settingText(profile, 'veth', 'peer');
    if (peer !== undefined && isProfileInterface(peer)) return;
    const problem =
      peer === undefined ? 'the key is missing' : `${quoteText(peer)} is not a valid interface name`;
    reject(profile, ['veth', 'peer'], problem, 'set peer to the name of the other end');
  },
  vlan: checkVlan,
};

/** A MAC address; also six numbers with semicolons, as older releases wrote it. */
function isMacValue(text: string, raw: string): boolean {
  const numbers = readList(raw).map((item) => item.trim());
  const isNumbers =
    numbers.length === 6 && numbers.every((item) => /^\d{1,3}$/.test(item) && Number(item) < 256);
  return isMacAddress(text) || isNumbers;
}

function checkMac(
  setting: ProfileSetting,
  key: string,
  profile: Profile,
  words: readonly string[] = [],
): void {
  const raw = setting.entries.get(key)?.value;
  if (raw === undefined) return;
  const text = unescapeValue(raw);
  if (isMacValue(text, raw) || words.includes(text)) return;
  setting.values.delete(key);
  ignore(profile, setting, key, `${quoteText(raw)} is not a MAC address`, 'write it like 52:54:00:12:34:56');
}

function checkEthernet(setting: ProfileSetting, profile: Profile): void {
  checkMac(setting, 'mac-address', profile);
  checkMac(setting, 'cloned-mac-address', profile, ['preserve', 'permanent', 'random', 'stable']);
  const refuse = (key: string, problem: string, hint: string): void => {
    reject(profile, ['802-3-ethernet', key], problem, hint);
  };
  for (const key of ['mac-address-blacklist', 'mac-address-denylist']) {
    if (settingList(profile, setting.name, key).every((mac) => isMacAddress(mac))) continue;
    refuse(key, 'a value is not a MAC address', 'write MAC addresses like 52:54:00:12:34:56');
  }
  const channels = settingList(profile, setting.name, 's390-subchannels').length;
  // A list with an invalid escape sequence is read as a missing one.
  const isRead = channels > 0 || setting.entries.get('s390-subchannels')?.value === '';
  if (setting.values.has('s390-subchannels') && isRead && channels !== 2 && channels !== 3) {
    refuse('s390-subchannels', `${channels} subchannels instead of 2 or 3`, 'use 0.0.0600;0.0.0601;0.0.0602');
  }
  const masks = settingText(profile, setting.name, 'generate-mac-address-mask')?.split(' ') ?? [];
  if (masks.some((mask) => mask !== '' && !isMacAddress(mask))) {
    refuse(
      'generate-mac-address-mask',
      'a value is not a MAC address',
      'write MAC addresses with spaces between them',
    );
  }
  const wake = settingNumber(profile, setting.name, 'wake-on-lan') ?? 1;
  const exclusive = 0x1 | 0x8000;
  if ((wake & exclusive) !== 0 && (wake & (wake - 1)) !== 0) {
    refuse('wake-on-lan', 'the flags default and ignore exclude all others', 'remove wake-on-lan');
  }
  const password = settingText(profile, setting.name, 'wake-on-lan-password');
  if (password !== undefined && ((wake & 0x40) === 0 || !isMacAddress(password))) {
    refuse(
      'wake-on-lan-password',
      'requires magic packets, and the form of a MAC address',
      'remove the password',
    );
  }
}

function checkVlan(_setting: ProfileSetting, profile: Profile): void {
  const parent = settingText(profile, 'vlan', 'parent');
  if (parent === undefined && settingText(profile, '802-3-ethernet', 'mac-address') === undefined) {
    const hint = 'set parent to the name of an interface, or to the UUID of its connection';
    reject(profile, ['vlan', 'parent'], 'the key is missing', hint);
  } else if (parent !== undefined && !isConnectionUuid(parent) && !isKernelName(parent)) {
    reject(
      profile,
      ['vlan', 'parent'],
      `${quoteText(parent)} is not the name of an interface, nor a UUID`,
      'set parent to an interface such as eth0, or to the UUID of its connection',
    );
  }
  if (settingNumber(profile, 'vlan', 'id') === 4095)
    reject(profile, ['vlan', 'id'], '4095 is reserved', 'use 1 to 4094');
}

/** Unlike {@link isProfileInterface}, also the names that NetworkManager does not give an interface. */
function isKernelName(name: string): boolean {
  return Buffer.byteLength(name) <= 15 && /^[^/:\s]+$/.test(name) && name !== '.' && name !== '..';
}

function checkBridge(setting: ProfileSetting, profile: Profile): void {
  checkMac(setting, 'mac-address', profile);
  const hasStp = settingFlag(profile, 'bridge', 'stp') ?? true;
  for (const [key, least] of [
    ['forward-delay', 2],
    ['hello-time', 1],
    ['max-age', 6],
  ] as const) {
    const value = settingNumber(profile, 'bridge', key);
    if (value === undefined || value >= least || (value === 0 && !hasStp)) continue;
    reject(profile, ['bridge', key], `${value} is less than ${least}`, `use at least ${least}`);
  }
  if (((settingNumber(profile, 'bridge', 'group-forward-mask') ?? 0) & 7) !== 0) {
    reject(profile, ['bridge', 'group-forward-mask'], 'bits 0 to 2 cannot be set', 'use a multiple of 8');
  }
  const hashMax = settingNumber(profile, 'bridge', 'multicast-hash-max') ?? 4096;
  if ((hashMax & (hashMax - 1)) !== 0) {
    reject(profile, ['bridge', 'multicast-hash-max'], `${hashMax} is not a power of 2`, 'use a power of 2');
  }
  const group = settingText(profile, 'bridge', 'group-address');
  if (group !== undefined && !(isMacAddress(group) && isLinkLocalGroup(group))) {
    const problem = `${quoteText(group)} is not a link-local group address`;
    reject(
      profile,
      ['bridge', 'group-address'],
      problem,
      'use 01:80:C2:00:00:0X with X from 0, except 1, 2 and 3',
    );
  }
  checkBridgeVlans(setting, profile);
}

function isLinkLocalGroup(text: string): boolean {
  const numbers = text.split(/[:-]/).map((byte) => Number.parseInt(byte, 16));
  const [last = 0] = numbers.slice(-1);
  return numbers.slice(0, 5).join() === '1,128,194,0,0' && last < 16 && ![1, 2, 3].includes(last);
}

/** `1-10,20 pvid untagged` */
function checkBridgeVlans(setting: ProfileSetting, profile: Profile): void {
  const text = unescapeValue(setting.entries.get('vlans')?.value ?? '');
  const taken = new Set<number>();
  let hasPvid = false;
  for (const item of text.split(',')) {
    const [, from = '', to = from, flags = ''] =
      /^\s*(\d+)(?:-(\d+))?((?:\s+(?:pvid|untagged))*)\s*$/.exec(item) ?? [];
    const first = Number(from);
    const last = Number(to);
    const isPvid = flags.includes('pvid');
    if (text.trim() === '' || item.trim() === '') continue;
    if (from === '' || first < 1 || last > 4094 || last < first || (isPvid && last > first)) {
      ignore(
        profile,
        setting,
        'vlans',
        `${quoteText(item)} is not a VLAN`,
        'use 1 to 4094, for example: 10 pvid untagged,20-30',
      );
      continue;
    }
    for (let id = first; id <= last; id += 1) {
      if (taken.has(id))
        reject(profile, [setting.name, 'vlans'], `the VLAN ${id} is listed twice`, `list ${id} once`);
      taken.add(id);
    }
    if (isPvid && hasPvid)
      reject(profile, [setting.name, 'vlans'], 'two VLANs are pvid', `remove pvid from ${quoteText(item)}`);
    hasPvid ||= isPvid;
  }
}

function checkEthtool(setting: ProfileSetting, profile: Profile): void {
  const pause = (key: string): boolean | undefined => settingFlag(profile, 'ethtool', key);
  for (const key of ['coalesce-adaptive-rx', 'coalesce-adaptive-tx']) {
    if (![0, 1].includes(settingNumber(profile, 'ethtool', key) ?? 0))
      reject(profile, ['ethtool', key], 'not 0 or 1', 'use 0 or 1');
  }
  if (pause('pause-autoneg') === true && (setting.values.has('pause-rx') || setting.values.has('pause-tx'))) {
    reject(profile, ['ethtool', 'pause-autoneg'], 'excludes pause-rx and pause-tx', 'remove pause-autoneg');
  }
}

function checkLoopback(profile: Profile): void {
  for (const name of ['ipv4', 'ipv6']) {
    const method = settingText(profile, name, 'method') ?? 'auto';
    if (method === 'auto' || method === 'manual') continue;
    reject(
      profile,
      [name, 'method'],
      `the loopback interface does not support ${method}`,
      'use manual or auto',
    );
  }
  const linkLocal = settingNumber(profile, 'ipv4', 'link-local') ?? 0;
  if (linkLocal > 2) {
    reject(
      profile,
      ['ipv4', 'link-local'],
      'the loopback interface has no link-local address',
      'remove link-local',
    );
  }
  for (const key of ['master', 'controller', 'slave-type', 'port-type']) {
    if (settingText(profile, 'connection', key) === undefined) continue;
    reject(profile, ['connection', key], 'the loopback interface cannot be a port', `remove ${key}`);
  }
}

function checkUser({ entries }: ProfileSetting, profile: Profile): void {
  for (const key of entries.keys()) {
    if (/^[\w+/=-]+(?:\.[\w+/=-]+)+$/.test(key) && key.length <= 255) continue;
    reject(
      profile,
      ['user', key],
      'the key has no namespace, or invalid characters',
      'use a key like com.example.key',
    );
  }
}

/** Values of which NetworkManager accepts only these. */
const words: Readonly<Record<string, readonly (number | string)[]>> = {
  '802-3-ethernet.duplex': ['half', 'full'],
  '802-3-ethernet.port': ['tp', 'aui', 'bnc', 'mii'],
  '802-3-ethernet.s390-nettype': ['qeth', 'lcs', 'ctc'],
  'bridge.multicast-router': ['auto', 'enabled', 'disabled'],
  'bridge.vlan-protocol': ['802.1Q', '802.1ad'],
  'connection.dns-over-tls': [-1, 0, 1, 2],
  'connection.llmnr': [-1, 0, 1, 2],
  'connection.mdns': [-1, 0, 1, 2],
  'connection.metered': [0, 1, 2],
  'connection.multi-connect': [0, 1, 2, 3],
  'vlan.protocol': ['802.1Q', '802.1ad'],
};
