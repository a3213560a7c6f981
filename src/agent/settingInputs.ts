/**
 * Where the text of each setting comes from: a flag beats the environment, the environment beats a file of settings.
 * Only collected here, not understood.
 *
 * Variables whose names are this program's business (`IRONIC_…`) always count. Those that any shell may have, such as
 * `HTTP_PROXY`, count beside them or where a profile is asked for that lives on its environment. For build.py's flags
 * none counts, as the script reads none.
 */

import type { FilePlace } from '../core/errors.ts';
import type { Path, Position } from '../core/finding.ts';
import type { ProfileName } from './settings.ts';
import { type EnvironmentVariable, type Setting, type SettingName, settingTable } from './settingTable.ts';

export interface InputValue {
  readonly text: string;
  /** How the user calls it: `--api-url`, `IRONIC_BASE_URL`, `ramdisk.yaml:2:3: ironic.apiUrls`. */
  readonly place: string;
  /** What `place` consists of, where it is in a file of the user. */
  readonly source?: { readonly at: FilePlace; readonly name: string };
  readonly origin: 'flag' | 'environment' | 'file';
  /** The text is what else stands in a file. */
  readonly isContent: boolean;
  /** Where relative paths start, itself relative to where the user is; without, they start where the user is. */
  readonly folder?: string;
  /** For content that goes to a file of the host: its name. */
  readonly fileName?: string;
  /** For content that was part of another document: what was read there. */
  readonly document?: InputDocument;
}

interface InputDocument {
  /** The file. */
  readonly name: string;
  readonly value: unknown;
  readonly locate: (path: Path) => Position | undefined;
}

/** What was given, by the name of the setting. Empty is what a file sets back to nothing; what counts is never empty. */
export type Inputs = ReadonlyMap<SettingName, readonly InputValue[]>;

export interface InputSources {
  /** By the names of the flags as commander has them: `apiUrl`. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly profile: ProfileName;
  /** What files say, the strongest first: the first that names a setting counts. */
  readonly files?: readonly Inputs[];
  /** What counts where nothing else is given and the profile takes it. */
  readonly implied?: Inputs;
}

/** A variable that is set and does not count. */
interface UnreadVariable {
  readonly name: string;
  /** A clause: `it counts only …`. */
  readonly reason: string;
}

/** What was given by flag or file and the profile has no use for. */
interface MisplacedInput {
  readonly place: string;
  readonly profiles: readonly ProfileName[];
}

export interface CollectedInputs {
  readonly inputs: Inputs;
  readonly unread: readonly UnreadVariable[];
  readonly misplaced: readonly MisplacedInput[];
}

export function collectInputs(sources: InputSources): CollectedInputs {
  const settings: readonly (Setting & { readonly name: SettingName })[] = settingTable;
  const inputs = new Map<SettingName, readonly InputValue[]>();
  const unread: UnreadVariable[] = [];
  const misplaced: MisplacedInput[] = [];
  for (const setting of settings) {
    const flags = readFlag(setting, sources.flags);
    const filed = readFiles(setting.name, sources);
    const isTaken = setting.profiles.includes(sources.profile);
    const [first] = [...flags, ...(filed ?? [])];
    if (first !== undefined && !isTaken) {
      misplaced.push({ place: first.place, profiles: setting.profiles });
    }
    const variables = readEnvironment(setting, sources, unread);
    const below = filed ?? sources.implied?.get(setting.name) ?? [];
    const values = [flags, variables].find(({ length }) => length > 0) ?? below;
    if (isTaken && values.length > 0) inputs.set(setting.name, values);
  }
  dropBeaten(inputs);
  return { inputs, unread, misplaced };
}

/** The name alone of a flag with its argument: `--api-url` of `--api-url <urls>`. */
export function flagName(flag: string): string {
  return flag.split(' ', 1)[0] ?? flag;
}

/** The key of a flag among the options, as commander forms it: `apiUrl` of `--api-url <urls>`. */
export function flagKey(flag: string): string {
  const known = flagKeys.get(flag);
  if (known !== undefined) return known;
  const name = flagName(flag).slice(2);
  const key = name.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  flagKeys.set(flag, key);
  return key;
}

/** There are few flags, but they are looked up for each of many hosts. */
const flagKeys = new Map<string, string>();

/** Undefined where no file names the setting. */
function readFiles(name: SettingName, { files = [] }: InputSources): readonly InputValue[] | undefined {
  return files.find((layer) => layer.has(name))?.get(name);
}

/** Settings that say the same in two ways. */
const rivals = [
  ['agent.standalone', 'ironic.apiUrls'],
  ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'],
] as const;

/** Of two that exclude each other, what a file says gives way to what a flag or the environment says. */
function dropBeaten(inputs: Map<SettingName, readonly InputValue[]>): void {
  for (const [one, other] of rivals) {
    const [first] = inputs.get(one) ?? [];
    const [second] = inputs.get(other) ?? [];
    if (first === undefined || second === undefined) continue;
    if (first.origin === 'file' && second.origin !== 'file') inputs.delete(one);
    else if (second.origin === 'file' && first.origin !== 'file') inputs.delete(other);
  }
}

function readFlag({ flag }: Setting, flags: InputSources['flags']): InputValue[] {
  if (flag === undefined) return [];
  const given = flags[flagKey(flag)];
  if (given === undefined || given === false) return [];
  const texts = typeof given === 'object' ? given : [String(given)];
  const place = flagName(flag);
  return texts.map((text) => ({ text, place, origin: 'flag', isContent: false }));
}

function readEnvironment(setting: Setting, sources: InputSources, unread: UnreadVariable[]): InputValue[] {
  const { environment = [], kind, profiles } = setting;
  const values: InputValue[] = [];
  for (const variable of environment) {
    const text = sources.env[variable.name];
    if (text === undefined || (text.trim() === '' && !emptyCounts(variable, sources))) continue;
    const reason = unreadReason(variable, profiles, sources);
    if (reason === undefined) {
      const isContent = variable.holdsContent === true;
      values.push({ text, place: variable.name, origin: 'environment', isContent });
    } else unread.push({ name: variable.name, reason });
  }
  if (kind === 'texts' || kind === 'files') return values;
  const [first, ...others] = values;
  for (const { place } of others) unread.push({ name: place, reason: `${first?.place} comes first` });
  return first === undefined ? [] : [first];
}

function emptyCounts({ emptyCountsFor = [] }: EnvironmentVariable, { profile }: InputSources): boolean {
  return emptyCountsFor.includes(profile);
}

/** Names that show that the environment is meant for an agent. */
const telling = ['IRONIC_BASE_URL', 'IRONIC_AGENT_IMAGE'];

function unreadReason(
  variable: EnvironmentVariable,
  settingProfiles: readonly ProfileName[],
  { env, profile }: InputSources,
): string | undefined {
  const { isShared = false, profiles = settingProfiles } = variable;
  if (profile === 'buildpy') return 'with --host the environment does not count';
  if (!profiles.includes(profile)) return `the profile ${profile} has no use for it`;
  const isTold = profile !== 'default' || telling.some((name) => (env[name] ?? '') !== '');
  return isShared && !isTold ? `it counts only beside ${telling.join(' or ')}` : undefined;
}
