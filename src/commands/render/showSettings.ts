/** `--show-settings`: all settings and their sources, before files are read and values are checked. */

import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { findIpaOption } from '../../ipa/ipaOptions.ts';
import type { CollectedInputs, Inputs, InputValue } from '../../agent/settingInputs.ts';
import { type Setting, settingTable } from '../../agent/settingTable.ts';
import type { ProfileName } from '../../agent/settings.ts';
import { formatPlace, formatSource } from '../../core/errors.ts';
import { HIDDEN, maskSetting } from '../../core/masking.ts';
import { flagOf } from '../../io/report/choices.ts';
import { printable } from '../../core/foreignText.ts';
import { formatColumns } from '../../io/report/terminalText.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';

type Shown = CollectedInputs & { readonly profile: ProfileName };

/**
 * Lines with setting, value and source, secrets masked; then ignored variables, and the settings that differ for single
 * hosts.
 */
export function formatShownSettings(
  shown: Shown,
  options: RenderOptions,
  hosts: readonly InventoryHost[] = [],
): string {
  const lines = formatColumns(
    [['setting', 'value', 'source'], ['profile', shown.profile, ''], ...settingRows(shown, options)],
    WIDEST,
  );
  const notes = shown.unread.map(({ name, reason }) => `${name} is set, but ${reason}`);
  const parts = [lines, notes, formatHosts(hosts, shown.inputs)].filter(({ length }) => length > 0);
  return parts.map((part) => part.map((line) => `${line}\n`).join('')).join('\n');
}

/** The same as JSON (`schemas/render-settings.json`), with one element for each value of a setting. */
export function formatShownSettingsJson(
  shown: Shown,
  options: RenderOptions,
  hosts: readonly InventoryHost[] = [],
): string {
  const { inputs, profile, unread } = shown;
  const settings = settingRows(shown, options).map(([setting, value, source]) => ({
    setting,
    value,
    source,
  }));
  const document = {
    profile,
    settings,
    ignored: unread,
    hosts: hosts.flatMap((host) =>
      hostRows(host, inputs).map(([name, setting, value, source]) =>
        setting === '' ? { host: name, problem: source } : { host: name, setting, value, source },
      ),
    ),
  };
  return `${JSON.stringify(document)}\n`;
}

type Row = readonly [setting: string, value: string, source: string];

function settingRows({ inputs, profile }: Shown, options: RenderOptions): readonly Row[] {
  const rows = settingTable.flatMap((setting): readonly Row[] => {
    if (!setting.profiles.includes(profile)) return [];
    const values = inputs.get(setting.name) ?? [];
    if (values.length > 0) {
      return values.map((value) => [setting.name, showValue(setting, value), sourceOf(value)]);
    }
    // With --registry, the default image is not used.
    const isNamed = setting.name === 'agent.image' && options.registry !== undefined;
    const { fallback, fallbackProfiles = setting.profiles } = setting;
    if (fallback === undefined || isNamed || !fallbackProfiles.includes(profile)) return [];
    return [[setting.name, fallback, 'default']];
  });
  const flags = commandFlags.flatMap((key): Row[] => {
    const value = options[key];
    return value === undefined
      ? []
      : [[key, value === true ? 'yes' : printable(maskSetting(String(value))), flagOf(key)]];
  });
  return [...flags, ...rows];
}

const MAX_HOSTS = 100;
const WIDEST = 60;

function formatHosts(hosts: readonly InventoryHost[], shared: Inputs): readonly string[] {
  const rows = hosts.slice(0, MAX_HOSTS).flatMap((host) => hostRows(host, shared));
  const head = ['host', 'setting', 'value', 'source'];
  const lines = rows.length === 0 ? [] : formatColumns([head, ...rows], WIDEST);
  const more = hosts.length - MAX_HOSTS;
  return more > 0 ? [...lines, `and ${more} more hosts`] : lines;
}

/** The settings of one host. Flags and the environment override them, like those of all hosts. */
function hostRows({ name, problems, readInputs }: InventoryHost, shared: Inputs): string[][] {
  const [invalid] = problems;
  const head = printable(name);
  if (invalid !== undefined) return [[head, '', 'invalid', printable(invalid.message)]];
  const inputs = readInputs();
  return settingTable.flatMap((setting) => {
    const values = inputs.get(setting.name);
    const sharedValues = shared.get(setting.name);
    if (values === undefined || (values.length === 0 && sharedValues === undefined)) return [];
    const winner = sharedValues?.find(({ origin }) => origin !== 'file');
    const overridden = winner === undefined ? '' : `, overridden by ${formatSource(winner)}`;
    if (values.length === 0) return [[head, setting.name, 'unset', overridden.slice(2)]];
    return values.map((value) => [
      head,
      setting.name,
      showHostValue(setting, value),
      `${sourceOf(value)}${overridden}`,
    ]);
  });
}

/** A network that the inventory contains is too long to show. */
function showHostValue(setting: Setting, value: InputValue): string {
  return value.isContent && setting.isSecret !== true
    ? printable(value.fileName ?? 'in the inventory')
    : showValue(setting, value);
}

/** The place in a file, without the setting, which is in the same row. */
function sourceOf({ at, name }: InputValue): string {
  return at === undefined ? name : formatPlace(at);
}

/** Flags that are not settings and change the config. */
const commandFlags = ['host', 'registry', 'tls', 'noSshKey', 'noCopyNetwork', 'nmstatectl'] as const;

function showValue({ isSecret, kind, name }: Setting, { isContent, text }: InputValue): string {
  if (isSecret === true && (isContent || kind === 'text')) return HIDDEN;
  if (kind === 'switch') return text === 'false' ? 'no' : 'yes';
  const shown = name === 'agent.options' ? maskOption(text) : maskSetting(text);
  return printable(shown.trim());
}

/** Masks the value of an option that the agent treats as a secret. */
function maskOption(line: string): string {
  const [, option = '', separator = ''] = /^([^=:]*)([=:]\s*)/.exec(line) ?? [];
  const isSensitive = findIpaOption('DEFAULT', option.trim())?.option.sensitive === true;
  return isSensitive ? `${option}${separator}${HIDDEN}` : maskSetting(line);
}
