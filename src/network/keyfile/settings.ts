/** What NetworkManager knows of its keyfiles: sections, keys, and the values of each key. */

import { readAsset } from '../../core/assets.ts';
import { once } from '../../core/once.ts';
import { bondOptions } from '../bondOptions.ts';

/** `networkmanager-settings.json`, which `scripts/networkManagerSettings.py` generates from libnm. */
interface SettingTable {
  /** Names of sections by the names of settings, `ethernet` by `802-3-ethernet`. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, SettingInfo>>;
}

interface SettingInfo {
  /** For the type of a connection: whether the keyfile must have the section. Null for other settings. */
  readonly type: 'optional' | 'required' | null;
  /** `string`, `boolean`, `int MIN MAX`, `enum VALUE…`, `flags SUM`, `list`, `bytes`, `decimal`, `other`. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Read when it is needed. */
const readTable = once((): SettingTable =>
  JSON.parse(readAsset('src/network/keyfile/networkmanager-settings.json')),
);

/** The name of a setting by the name of its section: `802-3-ethernet` for `ethernet`. */
export function settingName(section: string): string {
  const { aliases } = readTable();
  return Object.hasOwn(aliases, section) ? (aliases[section] ?? section) : section;
}

/** The name that users know: `ethernet` for `802-3-ethernet`. */
export function sectionName(setting: string): string {
  return Object.entries(readTable().aliases).find(([, name]) => name === setting)?.[0] ?? setting;
}

/** Undefined for a setting that no release of NetworkManager has. */
export function settingInfo(setting: string): SettingInfo | undefined {
  const { settings } = readTable();
  return Object.hasOwn(settings, setting) ? settings[setting] : undefined;
}

/** The names of all sections, as users know them. */
export const sectionNames = once((): readonly string[] => Object.keys(readTable().settings).map(sectionName));

/** Keys that are not the names of properties, by setting. */
const otherKeys: Readonly<Record<string, RegExp>> = {
  'bond-port': /^prio$/,
  'ip-addresses': /^(?:address(?:es)?|routes?|routing-rule)(?:0|[1-9]\d*)?$|^routes?(?:0|[1-9]\d*)?_options$/,
  'ovs-external-ids': /^data\./,
  'ovs-other-config': /^data\./,
  sriov: /^vf\.\d+$/,
  tc: /^(?:qdisc|tfilter)\./,
  user: /^/,
  vpn: /^/,
};

/** NetworkManager sets it, and ignores it in keyfiles. */
export const INTERNAL_PROPERTY = 'read-only';

/** The keys that are properties of the setting, or options of a bond. */
export function knownKeys(setting: string): readonly string[] {
  return Object.keys(setting === 'bond' ? bondOptions : (settingInfo(setting)?.properties ?? {}));
}

/** Whether NetworkManager reads the key of the setting. */
export function isKnownKey(setting: string, key: string): boolean {
  const others = otherKeys[setting === 'ipv4' || setting === 'ipv6' ? 'ip-addresses' : setting];
  // Older keyfiles name the interface in the section of its type.
  const isName = key === 'interface-name' && settingInfo(setting)?.type !== null;
  return knownKeys(setting).includes(key) || isName || others?.test(key) === true;
}
