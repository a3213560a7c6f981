/** What the command line of `render` says, before any of it is checked, and flags of the table for other commands. */

import { pullPolicies } from '../../agent/settings.ts';
import { type InputKind, type KnownSetting, type Setting, settingTable } from '../../agent/settingTable.ts';

/** What `--profile` takes. */
export { profileNames } from '../../agent/settings.ts';

/** The flags as commander gives them: those of the table of settings, and those of the command alone. */
export type RenderOptions = SettingOptions & CommandOptions;

/** `apiUrl` for `--api-url <urls>`, and so on; what is for kernel arguments alone has no place here. */
type SettingOptions = OptionsOf<Exclude<FlagSetting, { readonly name: `boot.${string}` }>>;

/** The options by which settings of these names, or of these sections, are given. */
export type OptionsNamed<Name extends string> = OptionsOf<
  Extract<FlagSetting, { readonly name: Name | `${Name}.${string}` }>
>;

type OptionsOf<S extends FlagSetting> = {
  readonly [T in S as Camel<FlagName<T['flag']>>]?: OptionValue<T['kind']>;
};

interface CommandOptions {
  readonly profile?: string;
  /** A file of settings, and perhaps of hosts. */
  readonly inventory?: string;
  /** The first host that is wrong is the last that is looked at. */
  readonly failFast?: boolean;
  readonly nmstatectl?: string;
  readonly noSshKey?: boolean;
  readonly noCopyNetwork?: boolean;
  readonly showSettings?: boolean;
  /** What is deployed: a file, an ISO, an initramfs or a URL; for many hosts a folder. */
  readonly diff?: string;
  /** Of what `diff` tells: `text` or `json`. */
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

/** A flag of the table, to be declared. */
export interface SettingFlag extends Setting {
  readonly flag: string;
  /** All values that it takes, where they are few. */
  readonly choices?: readonly string[];
}

const choicesOf: ReadonlyMap<string, readonly string[]> = new Map([['agent.pullPolicy', pullPolicies]]);

/** The flags of the settings of these names or sections, in the order of the table. */
export function settingFlags(...names: readonly string[]): SettingFlag[] {
  const settings: readonly Setting[] = settingTable;
  return settings.flatMap((setting) => {
    const { flag, name } = setting;
    const isWanted = names.some((wanted) => name === wanted || name.startsWith(`${wanted}.`));
    const choices = choicesOf.get(name);
    return flag !== undefined && isWanted ? [{ ...setting, flag, ...(choices && { choices }) }] : [];
  });
}

/** Says something that does not keep the config from being rendered; `rule` is the id of the lint rule for the same. */
export type Warn = (message: string, hint?: string, rule?: string) => void;
