/**
 * Reads a keyfile of NetworkManager: the connection, and NetworkManager's verdict, which is that of `nm_keyfile_read` and
 * `nm_connection_normalize` of libnm for the keys in `rows.ts`.
 */

import { FormatError, orFormatError } from '../../core/errors.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import { type KeyfileSection, parseKeyfile, type ParsedEntry } from '../../formats/keyfile.ts';
import { automaticIp, type Connection, type IpConfig } from '../connection.ts';
import type { Family } from '../ipAddress.ts';
import { readIpSection } from './ip.ts';
import { isMacAddress } from './names.ts';
import { type KeyfileProblem, listValue, type Profile, readProfile } from './profile.ts';
import { checkRows } from './row.ts';
import { connectionType, rows } from './rows.ts';
import { isKnownKey, knownKeys, sectionInfo, sectionName, sectionNames } from './settings.ts';

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
  checkRows([...rows, ...ip[4].rows, ...ip[6].rows], profile);
  const configs = { 4: ip[4].config, 6: ip[6].config };
  return { connection: connectionOf(file, profile, configs), problems: profile.problems };
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
    const section = sectionName(name);
    if (NOT_SETTINGS.test(name)) continue;
    if (sectionInfo(section) === undefined) {
      const [nearest] = nearestNames(name, sectionNames());
      const hint = nearest === undefined ? `remove [${name}]` : `use [${nearest}]`;
      const message = `NetworkManager ignores the unknown section [${name}]`;
      problems.push({ severity: 'warning', message, hint, line: undefined, section });
      continue;
    }
    for (const { key, line } of entries) {
      if (isKnownKey(section, key)) continue;
      const message = `NetworkManager ignores the unknown key ${key} in [${name}]`;
      problems.push({ severity: 'warning', message, hint: hintKey(section, key), line, section, key });
    }
  }
}

/** Sections whose keys are easily written into another section. */
const commonSections = [
  'connection',
  'ethernet',
  'ipv4',
  'ipv6',
  'vlan',
  'bridge',
  'bond-port',
  'bridge-port',
];

function hintKey(section: string, key: string): string {
  const [nearest] = nearestNames(key, knownKeys(section));
  const owner = commonSections.find((other) => isKnownKey(other, key));
  if (owner !== undefined) return `move it to [${owner}]`;
  return nearest === undefined ? `remove ${key}` : `use ${nearest}`;
}

function connectionOf(file: string, profile: Profile, ip: Readonly<Record<Family, IpConfig>>): Connection {
  const { entries } = profile;
  const type = sectionName(connectionType(profile) ?? 'ethernet');
  const controller = profile.values.get('connection.controller');
  const isPort = controller !== undefined;
  const options = [...entries.values()].flatMap(({ key, section }) => {
    const value =
      section === 'bond' && key !== 'interface-name' ? profile.values.get(`bond.${key}`) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    file,
    id: profile.values.get('connection.id') ?? file.replace(/\.nmconnection$/, ''),
    uuid: profile.values.get('connection.uuid'),
    type,
    interfaceName:
      profile.values.get('connection.interface-name') ?? profile.values.get(`${type}.interface-name`),
    mac: macOf(profile.values.get('ethernet.mac-address')),
    clonedMac: macOf(profile.values.get('ethernet.cloned-mac-address')),
    mtu: Number(profile.values.get('ethernet.mtu')) || undefined,
    controller,
    vlan:
      type === 'vlan'
        ? {
            id: Number(profile.values.get('vlan.id') ?? 0),
            parent: profile.values.get('vlan.parent'),
          }
        : undefined,
    bond: new Map(options),
    ip: isPort ? { 4: disabled, 6: disabled } : ip,
    ignoredAddresses: isPort ? [...ip[4].addresses, ...ip[6].addresses] : [],
    priority: Number(profile.values.get('connection.autoconnect-priority') ?? 0),
    // Of several users, one must have a session (`nm_settings_connection_check_visibility`).
    isAutoconnected:
      profile.values.get('connection.autoconnect') !== 'false' &&
      listValue(profile, 'connection.permissions').length === 0,
    entries,
  };
}

const disabled: IpConfig = { ...automaticIp, method: 'disabled' };

/** In upper case with colons; undefined for words such as `random`. */
function macOf(text = ''): string | undefined {
  if (!isMacAddress(text)) return undefined;
  const bytes = text.split(/[:-]/).map((byte) => byte.padStart(2, '0'));
  return bytes.join(':').toUpperCase();
}
