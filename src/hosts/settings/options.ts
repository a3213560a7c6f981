/** What `render` takes, and the options for settings that other commands take, too. */

import { type InputKind, type KnownSetting, type Setting, settingTable } from '../../agent/settingTable.ts';
import { profileNames } from '../../agent/settings.ts';
import {
  choice,
  common,
  file,
  toggle,
  INVENTORY,
  repeatable,
  type Option,
  type OptionsOf,
  type OptionTable,
  type Sparse,
  freeText,
  under,
  withCommon,
} from '../../io/commandLine.ts';

type FlagSetting = Extract<KnownSetting, { readonly flag: string }>;

export type SettingOptions<Name extends string> = {
  [S in Extract<FlagSetting, { readonly name: Name | `${Name}.${string}` }> as S['flag']]: Option<
    OptionValue<S['kind']> | undefined
  >;
};

type OptionValue<Kind extends InputKind> = Kind extends 'switch'
  ? boolean
  : Kind extends 'texts' | 'files'
    ? readonly string[]
    : string;

/** The options for the settings with these names or in these sections, in the order of the table. */
export function settingOptions<Name extends string>(...names: readonly Name[]): SettingOptions<Name>;
export function settingOptions(...names: readonly string[]): OptionTable {
  const options: OptionTable = {};
  for (const setting of settingTable) {
    const { alias, flag: flags, isCommon, name } = setting;
    if (flags === undefined || !names.some((it) => name === it || name.startsWith(`${it}.`))) continue;
    options[flags] = { ...settingOption(setting), ...(alias && { alias }), ...(isCommon && { isCommon }) };
  }
  return options;
}

function settingOption({ choices, completion, help, kind }: Setting): Option<unknown> {
  if (kind === 'switch') return toggle(help);
  const isFile = kind === 'file' || kind === 'files';
  const one = freeText(help, choices ?? completion ?? (isFile ? 'file' : 'any'));
  return kind === 'texts' || kind === 'files' ? repeatable(one) : one;
}

/** Which hosts of the inventory a command is for. */
export const hostOption = {
  '--host <name>': repeatable(freeText('only this host of the inventory', 'host')),
};

export const profileOption = {
  '--profile <name>': choice(
    profileNames,
    `profile of the configs: ${profileNames.join(', ')} (default: default)`,
  ),
};

export const failFastOption = { '--fail-fast': toggle('stop at the first invalid host') };

export const renderOptions = {
  ...under('Ironic:', settingOptions('ironic')),
  ...under('Agent:', settingOptions('agent')),
  ...under('Host:', {
    ...settingOptions('host'),
    '--no-ssh-key': toggle('disable SSH login'),
    '--no-copy-network': toggle('do not copy the network to the installed system'),
    '--nmstatectl <path>': file('nmstatectl for the conversion of --nmstate (default: built in)'),
  }),
  ...under('Proxies:', settingOptions('proxy')),
  ...under('Ignition:', settingOptions('ignition')),
  ...under('Output:', {
    ...withCommon(profileOption, '--profile <name>'),
    '--inventory <file>': common(file(INVENTORY)),
    ...failFastOption,
    '-o, --output <file>': common(
      file('file to write, or folder for an inventory with hosts (default: standard output)'),
    ),
    '--format <form>': choice(['text', 'json'], 'output of --show-settings: text or json (default: text)'),
    '--pretty': toggle('indent the JSON (always with --host)'),
    '--show-settings': common(toggle('print all settings and their sources with secrets masked, and exit')),
    '--show-network <host>': common(
      freeText('print the network of a host of the inventory, and exit', 'host'),
    ),
  }),
  ...under('Options of build.py (with --insecure-registry and --option):', {
    '--host <host>': freeText(
      'host name or IP address of Ironic; with --inventory also a host of it, whose config alone is rendered',
      'host',
    ),
    '--registry <registry>': freeText('registry of the agent image <registry>/ironic-agent'),
    '--tls <mode>': choice(
      ['off', 'on', 'insecure'],
      'off (http), on (https) or insecure (https, not verified)',
    ),
  }),
};

export type RenderOptions = Sparse<OptionsOf<typeof renderOptions>>;
