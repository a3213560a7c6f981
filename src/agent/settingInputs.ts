/**
 * Collects the text of each setting by precedence: flag, then environment, then settings file. The text is not parsed.
 *
 * Variables with names of this program (`IRONIC_…`) always count. Variables of any shell, such as `HTTP_PROXY`, count only
 * together with those, or with a profile of a generator that reads its environment. With the flags of build.py no
 * variable counts, because the script reads none.
 */

import type { FilePlace, InputSource } from '../core/errors.ts';
import type { Path, Position } from '../core/finding.ts';
import type { ProfileName } from './settings.ts';
import { type EnvironmentVariable, type Setting, type SettingName, settingTable } from './settingTable.ts';

export interface InputValue extends InputSource {
  readonly text: string;
  readonly origin: 'flag' | 'environment' | 'file';
  /** The text is the content of a file. */
  readonly isContent: boolean;
  /** Base folder of relative paths, relative to the current folder; if absent, the current folder. */
  readonly folder?: string;
  /** Name of the file on the host, for content that is written to one. */
  readonly fileName?: string;
  /** Content that is part of another document. */
  readonly document?: InputDocument;
  /** The place of a line of content that is text in another document. */
  readonly locateLine?: (line: number) => FilePlace;
}

interface InputDocument {
  /** The file. */
  readonly name: string;
  readonly value: unknown;
  readonly locate: (path: Path) => Position | undefined;
}

/** The inputs by name of the setting. An empty value resets the setting of a file; effective values are never empty. */
export type Inputs = ReadonlyMap<SettingName, readonly InputValue[]>;

interface InputSources {
  /** By flag names of commander: `apiUrl`. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly profile: ProfileName;
  /** Settings from files, the highest precedence first. */
  readonly files?: readonly Inputs[];
  /** Default values that count if the profile supports the setting. */
  readonly implied?: Inputs;
}

/** A variable that is set and ignored. */
interface UnreadVariable {
  readonly name: string;
  /** A clause: `it counts only …`. */
  readonly reason: string;
}

/** An input from a flag or file that the profile does not support, and the profiles that do. */
interface MisplacedInput extends InputSource {
  readonly profiles: readonly ProfileName[];
}

export interface CollectedInputs {
  readonly inputs: Inputs;
  readonly unread: readonly UnreadVariable[];
  readonly misplaced: readonly MisplacedInput[];
}

export function collectInputs(sources: InputSources): CollectedInputs {
  const inputs = new Map<SettingName, readonly InputValue[]>();
  const unread: UnreadVariable[] = [];
  const misplaced: MisplacedInput[] = [];
  const fromFiles = new Map<SettingName, readonly InputValue[]>();
  // The file with the highest precedence is last, and overrides the others.
  for (const layer of sources.files?.toReversed() ?? []) {
    for (const [name, values] of layer) fromFiles.set(name, values);
  }
  for (const setting of settingTable) {
    const flags = readFlag(setting, sources.flags);
    const filed = fromFiles.get(setting.name);
    const isTaken = setting.profiles.includes(sources.profile);
    const [first] = [...flags, ...(filed ?? [])];
    if (first !== undefined && !isTaken) {
      misplaced.push({ name: first.name, at: first.at, profiles: setting.profiles });
    }
    const variables = readEnvironment(setting, sources, unread);
    const below = filed ?? sources.implied?.get(setting.name) ?? [];
    const given = flags.length > 0 ? flags : variables;
    const values = given.length > 0 ? given : below;
    if (isTaken && values.length > 0) inputs.set(setting.name, values);
  }
  // Of two exclusive settings, a flag or variable overrides a setting from a file.
  for (const [one, other] of rivals) {
    const [first] = inputs.get(one) ?? [];
    const [second] = inputs.get(other) ?? [];
    if (first === undefined || second === undefined) continue;
    if (first.origin === 'file' && second.origin !== 'file') inputs.delete(one);
    else if (second.origin === 'file' && first.origin !== 'file') inputs.delete(other);
  }
  return { inputs, unread, misplaced };
}

/** The name of a flag without its argument: `--api-url` of `--api-url <urls>`. */
export function flagName(flag: string): string {
  return flag.split(' ', 1)[0] ?? flag;
}

/** The option key of a flag in commander: `apiUrl` of `--api-url <urls>`. */
export function flagKey(flag: string): string {
  const known = flagKeys.get(flag);
  if (known !== undefined) return known;
  const name = flagName(flag).slice(2);
  const key = name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  flagKeys.set(flag, key);
  return key;
}

/** Cached, because the flags are looked up for each of many hosts. */
const flagKeys = new Map<string, string>();

/** Pairs of settings that exclude each other. */
const rivals = [
  ['agent.standalone', 'ironic.apiUrls'],
  ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'],
] as const;

function readFlag({ flag }: Setting, flags: InputSources['flags']): InputValue[] {
  if (flag === undefined) return [];
  const given = flags[flagKey(flag)];
  if (given === undefined || given === false) return [];
  const texts = typeof given === 'object' ? given : [String(given)];
  const name = flagName(flag);
  return texts.map((text) => ({ text, name, origin: 'flag', isContent: false }));
}

function readEnvironment(setting: Setting, sources: InputSources, unread: UnreadVariable[]): InputValue[] {
  const { environment = [], kind, profiles } = setting;
  const values: InputValue[] = [];
  for (const variable of environment) {
    const { emptyCountsFor = [], isContent = false, name } = variable;
    const text = sources.env[name];
    if (text === undefined || (text.trim() === '' && !emptyCountsFor.includes(sources.profile))) continue;
    const reason = unreadReason(variable, profiles, sources);
    if (reason === undefined) values.push({ text, name, origin: 'environment', isContent });
    else unread.push({ name, reason });
  }
  if (kind === 'texts' || kind === 'files') return values;
  const [first, ...others] = values;
  for (const { name } of others) unread.push({ name, reason: `${first?.name} takes precedence` });
  return first === undefined ? [] : [first];
}

/** Variables that show that the environment is intended for an agent. */
const agentVariables = ['IRONIC_BASE_URL', 'IRONIC_AGENT_IMAGE'];

function unreadReason(
  variable: EnvironmentVariable,
  settingProfiles: readonly ProfileName[],
  { env, profile }: InputSources,
): string | undefined {
  const { isShared = false, profiles = settingProfiles } = variable;
  if (profile === 'buildpy') return '--host disables environment variables';
  if (!profiles.includes(profile)) return `profile ${profile} does not support it`;
  const isForAgent = profile !== 'default' || agentVariables.some((name) => (env[name] ?? '') !== '');
  return isShared && !isForAgent
    ? `it has an effect only together with ${agentVariables.join(' or ')}`
    : undefined;
}
