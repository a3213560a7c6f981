/** The options of `render`, before they are checked, and the flags of the settings table for other commands. */

import type { Diagnostic } from '../../core/finding.ts';
import { type InputKind, type KnownSetting, type Setting, settingTable } from '../../agent/settingTable.ts';

/** The options as commander returns them: those of the settings table and those of the command itself. */
export type RenderOptions = SettingOptions & CommandOptions;

/** `apiUrl` for `--api-url <urls>` and so on, without the settings that only affect kernel arguments. */
type SettingOptions = OptionsOf<Exclude<FlagSetting, { readonly name: `boot.${string}` }>>;

/** The options for the settings with these names or in these sections. */
export type OptionsNamed<Name extends string> = OptionsOf<
  Extract<FlagSetting, { readonly name: Name | `${Name}.${string}` }>
>;

type OptionsOf<S extends FlagSetting> = {
  readonly [T in S as Camel<FlagName<T['flag']>>]?: OptionValue<T['kind']> | undefined;
};

interface CommandOptions {
  readonly profile?: string | undefined;
  /** A file with settings, and optionally hosts. */
  readonly inventory?: string | undefined;
  /** Stop at the first invalid host. */
  readonly failFast?: boolean | undefined;
  readonly nmstatectl?: string;
  readonly noSshKey?: boolean;
  readonly noCopyNetwork?: boolean;
  readonly showSettings?: boolean;
  /** Output format of `showSettings`: `text` or `json`. */
  readonly format?: string;
  readonly output?: string;
  readonly pretty?: boolean;
  readonly host?: string;
  readonly registry?: string;
  readonly tls?: 'off' | 'on' | 'insecure';
}

type FlagSetting = Extract<KnownSetting, { readonly flag: string }>;
type FlagName<Flag> = Flag extends `--${infer Name} ${string}`
  ? Name
  : Flag extends `--${infer Name}`
    ? Name
    : never;
type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
type OptionValue<Kind extends InputKind> = Kind extends 'switch'
  ? boolean
  : Kind extends 'texts' | 'files'
    ? readonly string[]
    : string;

/** A flag of the settings table. */
export interface SettingFlag extends Setting {
  readonly flag: string;
}

/** The flags of the settings with these names or in these sections, in the order of the table. */
export function settingFlags(...names: readonly string[]): SettingFlag[] {
  return settingTable.flatMap((setting) => {
    const { flag, name } = setting;
    const isWanted = names.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
    return flag !== undefined && isWanted ? [{ ...setting, flag }] : [];
  });
}

/** Reports a warning, or an error before the one that is thrown. */
export type Warn = (problem: Diagnostic) => void;
