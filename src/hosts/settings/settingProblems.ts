/** Problems of parts that settings made, as problems of the settings. */

import { AUTH_FILE_PATH, CONF_PATH } from '../../agent/files.ts';
import { addressRules } from '../../agent/machineAddress.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { Finding } from '../../core/finding.ts';
import { valueAt } from '../../formats/mapping.ts';
import type { Config } from '../../ignition/config.ts';
import { exceptionRule } from '../../network/noProxy.ts';

const settingsByRule: ReadonlyMap<string, SettingName> = new Map([
  ['agent-image-issuer', 'agent.image'],
  ['agent-image-unpullable', 'agent.image'],
  ['agent-secret-registry', 'agent.pullSecret'],
  ['agent-secret-unreadable', 'agent.pullSecret'],
  [exceptionRule.rule, 'proxy.none'],
]);

/** The settings of what else is contacted, by the files that they write. The URL of an archive is that of the only other file. */
const settingsByFile: ReadonlyMap<unknown, SettingName> = new Map([
  ['/etc/chrony.conf', 'host.ntpServers'],
  ['/etc/containers/registries.conf', 'agent.registriesConf'],
  [AUTH_FILE_PATH, 'agent.pullSecret'],
]);

const ofAddresses: ReadonlySet<string> = new Set([
  'agent-source-issuer',
  ...Object.values(addressRules).map(({ rule }) => rule),
]);

/** The setting that a finding about its value is of; undefined for findings about how the config uses values. */
export function settingOf({ message, path, rule }: Finding, config: Config): SettingName | undefined {
  const known = settingsByRule.get(rule);
  if (known === 'agent.image' && message.includes('registries.conf')) return 'agent.registriesConf';
  // The setting is checked where it is read; profile icc passes on any text, as image-customization-controller does.
  if (known === 'agent.image' && message.includes('image reference')) return undefined;
  if (known !== undefined || !ofAddresses.has(rule)) return known;
  const [section, list] = path;
  if (section === 'storage') {
    const file = valueAt(config, [...path.slice(0, 3), 'path']);
    return file === CONF_PATH ? undefined : (settingsByFile.get(file) ?? 'agent.archiveUrl');
  }
  if (path.includes('httpProxy') || message.includes(': HTTP_PROXY: ')) return 'proxy.http';
  if (list === 'proxy' || message.includes(': HTTPS_PROXY: ')) return 'proxy.https';
  return 'agent.image';
}

/** Names of the rendered file or unit, and of what in it has the value: `ironic-agent.service: ExecStart=: `. */
export const RENDERED_PLACE = /^[\w-]+\.(?:conf|json|service): (?:\w+(?:=|_PROXY|_server): )?/;
