/** What the `deploy` commands take. */

import type { Mapping } from '../../formats/mapping.ts';
import { failFastOption, hostOption } from '../../hosts/settings/options.ts';
import {
  choice,
  common,
  duration,
  file,
  toggle,
  INVENTORY,
  repeatable,
  negation,
  type Option,
  type OptionsOf,
  type OptionTable,
  freeText,
  under,
  withCommon,
  withDefault,
} from '../../io/commandLine.ts';
import {
  type DeployKind,
  type DeployKinds,
  deployRows,
  type DeploySetting,
  type deploySettings,
  type DeployWord,
} from './settings.ts';

type Rows = typeof deploySettings;

type ValueOf<Row extends { readonly kind: DeployKind }> = Row extends {
  readonly choices: readonly (infer Word)[];
}
  ? Word
  : DeployKinds[Row['kind']];

/** All of them, although a command has only some. */
type SettingOptions = {
  [
    Name in keyof Rows as Rows[Name] extends { readonly flag: infer Flags extends string } ? Flags : never
  ]: Option<ValueOf<Rows[Name]> | undefined>;
};

function settingOptions(word: DeployWord): SettingOptions;
function settingOptions(word: DeployWord): OptionTable {
  const options: OptionTable = {};
  for (const [, setting] of deployRows) {
    const { flag: flags, for: words, isCommon, negatedHelp } = setting;
    if (flags === undefined || words?.includes(word) === false) continue;
    options[flags] = { ...settingOption(setting), ...(isCommon && { isCommon }) };
    if (negatedHelp !== undefined) options[flags.replace('--', '--no-')] = negation(negatedHelp);
  }
  return options;
}

function settingOption({ choices, completion, help, kind }: DeploySetting): Option<unknown> {
  if (kind === 'switch') return toggle(help);
  if (choices !== undefined) return choice(choices, help);
  const one = freeText(help, completion ?? (kind === 'file' ? 'file' : 'any'));
  return kind === 'texts' || kind === 'hints' ? repeatable(one) : one;
}

const hostsOptions = {
  '-o, --output <file>': common(file('file to write (default: standard output)')),
  ...under('Many hosts:', {
    '--inventory <file>': common(file(INVENTORY)),
    ...withCommon(hostOption, '--host <name>'),
    ...failFastOption,
  }),
};

/** For documents that name an ISO. */
const servedOptions = under('ISOs of serve:', {
  '--serve-url <url>': common(freeText('base URL of serve, whose signed URL of each ISO is written')),
  '--key-file <file>': common(file('key with which serve signs URLs')),
  '--expires <time>': duration('lifetime of the signed URLs, e.g. 12h (default: as long as the key)', 1),
});

const installOptions = {
  '--config-drive <file>': file('config drive file to write'),
  '--node <name>': freeText('name or UUID of the node; requires --format command'),
};

export const stepsOptions = {
  ...settingOptions('steps'),
  ...installOptions,
  '--format <form>': withDefault(
    'json',
    choice(['json', 'yaml', 'command'], 'json, yaml or command: shell commands for the deployment'),
  ),
  ...hostsOptions,
};

const prettyOption = { '--pretty': toggle('indent the JSON') };

export const configDriveOptions = {
  ...settingOptions('configdrive'),
  ...prettyOption,
  ...hostsOptions,
};

export const bareMetalHostOptions = {
  ...settingOptions('baremetalhost'),
  '--format <form>': common(withDefault('yaml', choice(['yaml', 'json'], 'output format: yaml or json'))),
  ...servedOptions,
  ...hostsOptions,
};

const setOption = { '--set': common(toggle('change an existing node')) };

export const nodeOptions = {
  ...settingOptions('node'),
  ...setOption,
  '--format <form>': common(
    withDefault(
      'command',
      choice(
        ['command', 'json', 'yaml', 'driver-info'],
        'command, json, yaml or driver-info: only driver_info as JSON',
      ),
    ),
  ),
  ...servedOptions,
  ...hostsOptions,
};

export type StepsOptions = OptionsOf<typeof stepsOptions>;
export type ConfigDriveOptions = OptionsOf<typeof configDriveOptions>;
export type BareMetalHostOptions = OptionsOf<typeof bareMetalHostOptions>;
export type NodeOptions = OptionsOf<typeof nodeOptions>;

export type DeployOptions = OptionsOf<
  SettingOptions &
    typeof hostsOptions &
    typeof servedOptions &
    typeof installOptions &
    typeof prettyOption &
    typeof setOption
> & { readonly labels?: Mapping };
