/**
 * Reads a keyfile of NetworkManager: the connection, and NetworkManager's verdict, which is that of `nm_keyfile_read` and
 * `nm_connection_normalize` of libnm for the keys in `rows.ts`.
 */

import { FormatError, orFormatError } from '../../core/errors.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { type KeyfileSection, parseKeyfile, type ParsedEntry } from '../../formats/keyfile.ts';
import { automaticIp, type Connection, type IpConfig, MAIN_TABLE } from '../connection.ts';
import type { Family } from '../ipAddress.ts';
import { type IpSection, ipRows, type KeyfileRoute, readIpSection } from './ip.ts';
import { isMacAddress } from './names.ts';
import {
  flagValue,
  type KeyfileProblem,
  listValue,
  numberValue,
  type Profile,
  type ProfileEntry,
  readProfile,
  textValue,
} from './profile.ts';
import { checkRows } from './row.ts';
import { controllerOf, rows } from './rows.ts';
import { isKnownKey, knownKeys, sectionName, sectionNames, settingInfo, settingName } from './settings.ts';

export type { KeyfileProblem };

export interface ReadKeyfile {
  /** Undefined for what is not a keyfile. Also of a keyfile that NetworkManager ignores, with the values that it could read. */
  readonly connection: Connection | undefined;
  /** In no particular order. */
  readonly problems: readonly KeyfileProblem[];
}

/** @param file its name, which is the name of a connection without `id` */
export function readKeyfile(file: string, text: string): ReadKeyfile {
  const sections = orFormatError(() => parseKeyfile(text));
  if (sections instanceof FormatError) {
    const { hint = 'write lines of the form KEY=VALUE below [SECTION]', message } = sections;
    return { connection: undefined, problems: [{ severity: 'error', message, hint, line: undefined }] };
  }
  if (!sections.some(({ name }) => name === 'connection')) {
    const message = 'the keyfile has no section [connection]';
    const hint = 'pass a file like those in /etc/NetworkManager/system-connections';
    return { connection: undefined, problems: [{ severity: 'error', message, hint, line: undefined }] };
  }
  const profile = readProfile(sections);
  reportUnknown(sections, profile);
  const ip = { 4: readIpSection(4, profile), 6: readIpSection(6, profile) };
  checkRows([...rows, ...ipRows(4, ip[4]), ...ipRows(6, ip[6])], profile);
  return { connection: connectionOf(file, profile, ip), problems: profile.problems };
}

/** The connections of keyfiles; files that are not keyfiles are left out. */
export function readConnections(
  files: readonly { readonly name: string; readonly data: Uint8Array }[],
): Connection[] {
  return files.flatMap(({ data, name }) => readKeyfile(name, Buffer.from(data).toString()).connection ?? []);
}

const NOT_SETTINGS = /^(?:vpn-secrets|\.nmmeta|ethernet-s390-options|wireguard-peer\..*)$/;

/** Sections and keys that NetworkManager does not read. */
function reportUnknown(sections: readonly KeyfileSection<ParsedEntry>[], { problems }: Profile): void {
  for (const { entries, name } of sections) {
    const setting = settingName(name);
    const section = sectionName(setting);
    if (NOT_SETTINGS.test(name)) continue;
    if (settingInfo(setting) === undefined) {
      const [nearest] = nearestNames(name, sectionNames());
      const hint = nearest === undefined ? `remove [${name}]` : `use [${nearest}]`;
      const message = `NetworkManager ignores the unknown section [${name}]`;
      problems.push({ severity: 'warning', message, hint, line: undefined, section });
      continue;
    }
    for (const { key, line } of entries) {
      if (isKnownKey(setting, key)) continue;
      const message = `NetworkManager ignores the unknown key ${key} in [${name}]`;
      problems.push({ severity: 'warning', message, hint: hintKey(setting, key), line, section, key });
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
  const [nearest] = nearestNames(key, knownKeys(setting));
  const owner = commonSettings.find((other) => isKnownKey(other, key));
  if (owner !== undefined) return `move it to [${sectionName(owner)}]`;
  return nearest === undefined ? `remove ${key}` : `use ${nearest}`;
}

function connectionOf(file: string, profile: Profile, ip: Readonly<Record<Family, IpSection>>): Connection {
  const { entries } = profile;
  const type = sectionName(settingName(textValue(profile, 'connection.type') ?? 'ethernet'));
  const controller = controllerOf(profile);
  const isPort = controller !== undefined;
  const blocked = blockingEntry(profile);
  const options = [...entries.values()].flatMap(({ key, section }) => {
    const value =
      section === 'bond' && key !== 'interface-name' ? textValue(profile, `bond.${key}`) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    file,
    id: textValue(profile, 'connection.id') ?? file.replace(/\.nmconnection$/, ''),
    uuid: textValue(profile, 'connection.uuid'),
    type,
    interfaceName:
      textValue(profile, 'connection.interface-name') ?? textValue(profile, `${type}.interface-name`),
    mac: macOf(textValue(profile, 'ethernet.mac-address')),
    macLine: entries.get('ethernet.mac-address')?.line,
    clonedMac: macOf(textValue(profile, 'ethernet.cloned-mac-address')),
    clonedMacLine: entries.get('ethernet.cloned-mac-address')?.line,
    mtu: numberValue(profile, 'ethernet.mtu') || undefined,
    controller,
    controllerLine: (entries.get('connection.controller') ?? entries.get('connection.master'))?.line,
    vlan:
      type === 'vlan'
        ? {
            id: numberValue(profile, 'vlan.id') ?? 0,
            parent: textValue(profile, 'vlan.parent'),
            parentLine: entries.get('vlan.parent')?.line,
          }
        : undefined,
    bond: new Map(options),
    ip: isPort
      ? { 4: disabled, 6: disabled }
      : { 4: ipConfigOf(4, profile, ip[4]), 6: ipConfigOf(6, profile, ip[6]) },
    ignoredAddresses: isPort ? [...ip[4].addresses, ...ip[6].addresses] : [],
    priority: numberValue(profile, 'connection.autoconnect-priority') ?? 0,
    isAutoconnected: blocked === undefined,
    blockedLine: blocked?.line,
    entries: [...entries.values()],
  };
}

const disabled: IpConfig = { ...automaticIp, method: 'disabled' };

/** `autoconnect=false`, or users of whom one must have a session (`nm_settings_connection_check_visibility`). */
function blockingEntry(profile: Profile): ProfileEntry | undefined {
  const { entries } = profile;
  if (flagValue(profile, 'connection.autoconnect') === false) return entries.get('connection.autoconnect');
  const users = listValue(profile, 'connection.permissions');
  return users.length > 0 ? entries.get('connection.permissions') : undefined;
}

/** In upper case with colons; undefined for words such as `random`. */
function macOf(text = ''): string | undefined {
  if (!isMacAddress(text)) return undefined;
  const bytes = text.split(/[:-]/).map((byte) => byte.padStart(2, '0'));
  return bytes.join(':').toUpperCase();
}

/** Without a section, NetworkManager uses DHCP and IPv6 autoconfiguration. */
function ipConfigOf(family: Family, profile: Profile, section: IpSection): IpConfig {
  const name = `ipv${family}`;
  const { addresses, gateway, gatewayLine, searches, servers } = section;
  const table = numberValue(profile, `${name}.route-table`) || MAIN_TABLE;
  const hasRules = [...profile.entries.values()].some(
    (entry) => entry.section === name && entry.key.startsWith('routing-rule'),
  );
  // Rules choose between tables by criteria that are not judged here.
  const isMain = (route: KeyfileRoute): boolean => hasRules || (route.table || table) === MAIN_TABLE;
  const defaultMetric = family === 6 ? 1024 : 0;
  const routes = section.routes
    .filter((route) => route.type === 'unicast' && isMain(route))
    .map(({ destination, gateway: router, line, metric }) => ({
      destination,
      gateway: router,
      metric: metric === 0 || metric === defaultMetric ? undefined : metric,
      line,
    }));
  const isOfMainTable = hasRules || table === MAIN_TABLE;
  const route =
    gateway === undefined && addresses.length > 0 && isOfMainTable
      ? routes.find((one) => one.destination.prefixLength === 0 && one.gateway !== undefined)
      : undefined;
  return {
    method: textValue(profile, `${name}.method`) ?? automaticIp.method,
    addresses,
    gateway: gateway ?? route?.gateway,
    gatewayLine: route?.line ?? gatewayLine,
    gatewayMetric: route?.metric,
    dns: servers,
    dnsLine: profile.entries.get(`${name}.dns`)?.line,
    searches,
    routes: routes.filter((one) => one !== route),
    neverDefault: flagValue(profile, `${name}.never-default`) === true || !isOfMainTable,
  };
}
