/**
 * How people write the settings in an inventory. `ironic.apiUrls`, `ironic: {apiUrls: …}`, `ironic-api-url`, `api_url` and
 * `IRONIC.APIURLS` are the same setting: case, dashes, dots and underscores do not count, the section may be a mapping or
 * absent, and the name of the flag does for that of the setting.
 */

import type { Path } from '../core/finding.ts';
import { nearestName } from '../core/nearestNames.ts';
import { isMapping, type Mapping } from '../formats/mapping.ts';
import { type Setting, type SettingName, settingTable } from './settingTable.ts';

/**
 * The values of a mapping by the names of the settings that its keys mean, and the steps to each of them, also to values that set a
 * setting again. Unknown keys are as written, with dots between those of nested mappings.
 */
export function readSpelling(mapping: Mapping) {
  const paths = new Map<string, Path[]>();
  const values: [name: string, value: unknown][] = [];
  const read = (section: Mapping, steps: readonly string[]): void => {
    for (const [key, value] of Object.entries(section)) {
      const path = [...steps, key];
      const plain = plainKey(path.join('.'));
      if (sectionKeys.has(plain) && (isMapping(value) || value === null)) {
        read(value ?? {}, path);
        continue;
      }
      const name = settingKeys.get(plain) ?? path.join('.');
      const known = paths.get(name);
      if (known === undefined) values.push([name, value]);
      paths.set(name, [...(known ?? []), path]);
    }
  };
  read(mapping, []);
  return { values: Object.fromEntries(values) satisfies Mapping, paths };
}

/** Whether a key is that of a setting or of a section. */
export function isSettingKey(key: string): boolean {
  return settingKeys.has(plainKey(key)) || sectionKeys.has(plainKey(key));
}

export function nearestSetting(key: string): SettingName | undefined {
  return settingKeys.get(nearestName(plainKey(key), settingKeys.keys()) ?? '');
}

function plainKey(key: string): string {
  return key.replaceAll(SEPARATORS, '').toLowerCase();
}

const SEPARATORS = /[-._]/g;

/** The spellings of a setting, in lower case without separators. */
export function spellings({ name, flag, alias }: Setting): readonly string[] {
  const [section = '', ...rest] = name.split('.');
  const words = [rest.join('.'), flag, alias].flatMap((word) => word?.split(' ', 1) ?? []);
  return words.flatMap((word) => [plainKey(word), plainKey(`${section}.${word}`)]);
}

export const settingKeys: ReadonlyMap<string, SettingName> = new Map(
  settingTable.flatMap((setting) => spellings(setting).map((key) => [key, setting.name])),
);

/** The sections in lower case without separators: `ironic`, `agentpodman`. */
export const sectionKeys: ReadonlySet<string> = new Set(
  settingTable.flatMap(({ name }) => {
    const words = name.toLowerCase().split('.');
    return words.slice(1).map((_word, index) => words.slice(0, index + 1).join(''));
  }),
);
