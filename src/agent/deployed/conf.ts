/** The agent's conf by settings: options that a setting stands for under its name, all others as options. */

import { formatCount } from '../../formats/wordList.ts';
import { normalizeSection, type OsloOption, parseOsloConfig } from '../../formats/osloConfig.ts';
import { findIpaOption } from '../../ipa/ipaOptions.ts';
import type { SettingName } from '../settingTable.ts';
import { type Entry, fingerprint, say, sayHidden } from './entry.ts';
import { isSecretName } from '../../core/masking.ts';

/** Options of `[DEFAULT]` whose value is the setting. */
const valueSettings: ReadonlyMap<string, SettingName> = new Map([
  ['api_url', 'ironic.apiUrls'],
  ['inspection_callback_url', 'ironic.inspectionCallbackUrls'],
  ['insecure', 'ironic.insecure'],
  ['enable_vlan_interfaces', 'agent.vlanInterfaces'],
]);

/** Options of `[DEFAULT]` that are a part of a setting. */
const partSettings: ReadonlyMap<string, SettingName> = new Map([
  ['cafile', 'ironic.caFiles'],
  ['debug', 'agent.debug'],
  ['use_stderr', 'agent.debug'],
  ['ntp_server', 'host.ntpServers'],
]);

/** `prefix` is put before options that stand for no setting, to tell several files apart. */
export function readConfEntries(text: string, prefix = ''): Entry[] {
  const { document, problems } = parseOsloConfig(text);
  const options = document.entries.filter((entry) => entry.kind === 'option');
  const entries = effectiveOptions(options).flatMap((option) => readOption(option, prefix));
  if (problems.length === 0) return entries;
  const broken = `${prefix}${formatCount(problems.length, 'line')} that cannot be read (${fingerprint(text)})`;
  return [...entries, say('agent.options', broken, prefix + text)];
}

/** Of options that the agent knows the last one counts. Ordered by name, as their order means nothing. */
function effectiveOptions(options: readonly OsloOption[]): OsloOption[] {
  const byName = new Map<string, OsloOption[]>();
  for (const option of options) {
    const name = nameOf(option);
    const isKnown = findIpaOption(option.section, option.name) !== undefined;
    byName.set(name, isKnown ? [option] : [...(byName.get(name) ?? []).slice(-mostRepeats), option]);
  }
  const names = [...byName.keys()].toSorted();
  return names.flatMap((name) => byName.get(name) ?? []);
}

/** Of an option that is not known; no library asks for as many. */
const mostRepeats = 100;

function nameOf({ section, name }: OsloOption): string {
  return `[${normalizeSection(section)}] ${name}`;
}

function readOption(option: OsloOption, prefix: string): Entry[] {
  const { name, section, value } = option;
  const isDefault = section === 'DEFAULT' && prefix === '';
  const setting = isDefault ? valueSettings.get(name) : undefined;
  if (setting === 'ironic.insecure') return [say(setting, readSwitch(value))];
  if (setting !== undefined) return value.split(',').map((item) => say(setting, item.trim()));
  const part = isDefault ? partSettings.get(name) : undefined;
  if (part !== undefined) return [say(part, `${name} = ${value}`)];
  const start = `${prefix}${nameOf(option)} = `;
  const known = findIpaOption(section, name)?.option;
  const isSecret = known === undefined ? isSecretName(name) : known.sensitive === true;
  return [isSecret ? sayHidden('agent.options', start, value) : say('agent.options', start + value)];
}

/** The spellings that oslo.config takes for a boolean. */
function readSwitch(value: string): string {
  if (/^(?:true|1|yes|on)$/i.test(value)) return 'yes';
  return /^(?:false|0|no|off)$/i.test(value) ? 'no' : value;
}
