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

/** What is known of each section, by its name as users know it; and these names by those of settings. Read when it is needed. */
const readTable = once(() => {
  const table: SettingTable = JSON.parse(readAsset('src/network/keyfile/networkmanager-settings.json'));
  const names = new Map(Object.entries(table.aliases).map(([section, setting]) => [setting, section]));
  const sections = Object.entries(table.settings).map(
    ([setting, info]) => [names.get(setting) ?? setting, info] as const,
  );
  return { names, sections: new Map(sections) };
});

/** The name that users know: `ethernet` for `802-3-ethernet`. */
export function sectionName(name: string): string {
  return readTable().names.get(name) ?? name;
}

/** Undefined for a section that no release of NetworkManager has. */
export function sectionInfo(section: string): SettingInfo | undefined {
  return readTable().sections.get(section);
}

export function sectionNames(): Iterable<string> {
  return readTable().sections.keys();
}

/** Keys that are not the names of properties, by section. */
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

/** The keys that are properties of the section, or options of a bond. */
export function knownKeys(section: string): readonly string[] {
  return Object.keys(section === 'bond' ? bondOptions : (sectionInfo(section)?.properties ?? {}));
}

/** Whether NetworkManager reads the key of the section. */
export function isKnownKey(section: string, key: string): boolean {
  const others = otherKeys[section === 'ipv4' || section === 'ipv6' ? 'ip-addresses' : section];
  // Older keyfiles name the interface in the section of its type.
  const isName = key === 'interface-name' && sectionInfo(section)?.type !== null;
  return knownKeys(section).includes(key) || isName || others?.test(key) === true;
}
