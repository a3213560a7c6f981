/** `--show-settings`: all settings and their sources, before files are read and values are checked. */

import { findIpaOption } from '../../ipa/ipaOptions.ts';
import type { CollectedInputs, InputValue } from '../../agent/settingInputs.ts';
import { type Setting, settingTable } from '../../agent/settingTable.ts';
import type { ProfileName } from '../../agent/settings.ts';
import { formatPlace } from '../../core/errors.ts';
import { HIDDEN, maskSetting } from '../../core/masking.ts';
import { flagOf } from '../../io/report/choices.ts';
import { printable } from '../../core/foreignText.ts';
import { formatColumns } from '../../io/report/terminalText.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';

type Shown = CollectedInputs & { readonly profile: ProfileName };

/** Lines with setting, value and source, secrets masked; then ignored variables. */
export function formatShownSettings(shown: Shown, options: RenderOptions): string {
  const lines = formatColumns(
    [['setting', 'value', 'source'], ['profile', shown.profile, ''], ...settingRows(shown, options)],
    WIDEST,
  );
  const notes = shown.unread.map(({ name, reason }) => `${name} is set, but ${reason}`);
  const parts = [lines, notes].filter(({ length }) => length > 0);
  return parts.map((part) => part.map((line) => `${line}\n`).join('')).join('\n');
}

/** The same as JSON (`schemas/render-settings.json`), with one element for each value of a setting. */
export function formatShownSettingsJson(shown: Shown, options: RenderOptions): string {
  const settings = settingRows(shown, options).map(([setting, value, source]) => ({
    setting,
    value,
    source,
  }));
  return `${JSON.stringify({ profile: shown.profile, settings, ignored: shown.unread })}\n`;
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

const WIDEST = 60;

/** The place in a file, without the setting, which is in the same row. */
function sourceOf({ at, name }: InputValue): string {
  return at === undefined ? name : formatPlace(at);
}

/** Flags that are not settings and change the config. */
const commandFlags = ['host', 'registry', 'tls', 'noSshKey', 'noCopyNetwork', 'nmstatectl'] as const;

function showValue({ isSecret, kind, name }: Setting, value: InputValue): string {
  const { document, fileName, isContent, text } = value;
  if (isSecret === true && (isContent || kind === 'text')) return HIDDEN;
  // A network that the inventory contains is too long to show.
  if (fileName !== undefined) return printable(fileName);
  if (document !== undefined) return 'in the inventory';
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
