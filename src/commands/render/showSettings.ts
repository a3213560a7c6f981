/** `--show-settings`: what counts and where it comes from, before anything is read or checked. */

import { findIpaOption } from '../../agent/ipaOptions.ts';
import type { CollectedInputs, InputValue } from '../../agent/settingInputs.ts';
import { type Setting, type SettingName, settingTable } from '../../agent/settingTable.ts';
import type { ProfileName } from '../../agent/settings.ts';
import { printable } from '../../reporters/printable.ts';
import type { RenderOptions } from './options.ts';

/** Lines of setting, value and source, secrets masked; then the variables that are set and do not count. */
export function formatShownSettings(
  { inputs, unread, profile }: CollectedInputs & { readonly profile: ProfileName },
  options: RenderOptions,
): string {
  const settings: readonly (Setting & { readonly name: SettingName })[] = settingTable;
  const rows = settings.flatMap((setting) => {
    if (!setting.profiles.includes(profile)) return [];
    const values = inputs.get(setting.name) ?? [];
    if (values.length > 0) {
      return values.map((value) => [setting.name, showValue(setting, value), sourceOf(value, setting)]);
    }
    // --registry names the image.
    const isNamed = setting.name === 'agent.image' && options.registry !== undefined;
    return setting.fallback === undefined || isNamed ? [] : [[setting.name, setting.fallback, 'default']];
  });
  const lines = formatColumns([
    ['setting', 'value', 'from'],
    ['profile', profile, ''],
    ...commandRows(options),
    ...rows,
  ]);
  const notes = unread.map(({ name, reason }) => `${name} is set, but ${reason}`);
  return [...lines, ...(notes.length === 0 ? [] : ['', ...notes])].map((line) => `${line}\n`).join('');
}

/** A setting that a file gives is named in its row. */
function sourceOf({ origin, place }: InputValue, { name }: Setting): string {
  return origin === 'file' ? place.slice(0, -`: ${name}`.length) : place;
}

/** Flags of the command alone that change the config. */
const commandFlags = ['host', 'registry', 'tls', 'noSshKey', 'noCopyNetwork', 'nmstatectl'] as const;

function commandRows(options: RenderOptions): string[][] {
  return commandFlags.flatMap((key) => {
    const value = options[key];
    const flag = `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === undefined ? [] : [[key, value === true ? 'yes' : printable(String(value)), flag]];
  });
}

const widest = 60;

function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number =>
    Math.min(widest, Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const [first, second] = [width(0), width(1)];
  return rows.map(([name = '', value = '', place = '']) =>
    `${name.padEnd(first)}  ${value.padEnd(second)}  ${place}`.trimEnd(),
  );
}

const hidden = '(secret)';

function showValue({ isSecret, kind, name }: Setting, { isContent, text }: InputValue): string {
  if (isSecret === true && (isContent || kind === 'text')) return hidden;
  if (kind === 'switch') return text === 'false' ? 'no' : 'yes';
  const shown = name === 'agent.options' ? maskOption(text) : maskSecrets(text);
  return printable(shown.trim());
}

/** The value of an option that the agent knows as a secret. */
function maskOption(line: string): string {
  const [, option = '', separator = ''] = /^([^=:]*)([=:]\s*)/.exec(line) ?? [];
  const isSensitive = findIpaOption('DEFAULT', option.trim())?.option.sensitive === true;
  return isSensitive ? `${option}${separator}${hidden}` : maskSecrets(line);
}

/** Passwords of URLs, and what follows a name that speaks of a secret. */
function maskSecrets(text: string): string {
  return text
    .replaceAll(/(:\/\/[^\s/@:]*:)[^\s/@]*@/g, `$1${hidden}@`)
    .replace(
      /^((?:-{0,2}|.{0,80}[_.-])(?:creds|key|pass|passw(?:or)?d|secret|token)\s?[=:]\s?).+$/is,
      `$1${hidden}`,
    );
}
