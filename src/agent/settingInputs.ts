/**
 * Collects the text of each setting by precedence: flag, then environment, then settings file. The text is not parsed.
 *
 * Variables with names of this program (`IRONIC_…`) always count. Variables of any shell, such as `HTTP_PROXY`, count only
 * together with those, or with a profile of a generator that reads its environment. With the flags of build.py no
 * variable counts, because the script reads none.
 */

import { type FilePlace, formatSource, type InputSource, type Position, UsageError } from '../core/errors.ts';
import type { Path } from '../core/finding.ts';
import type { ProfileName } from './settings.ts';
import { type EnvironmentVariable, type Setting, type SettingName, settingTable } from './settingTable.ts';

export interface InputValue extends InputSource {
  readonly text: string;
  readonly origin: 'flag' | 'environment' | 'file';
  readonly isContent?: boolean;
  /** Base folder of relative paths, relative to the current folder; if absent, the current folder. */
  readonly folder?: string;
  /** Name of the file on the host, for content that is written to one. */
  readonly fileName?: string;
  /** Content that is part of another document. */
  readonly document?: InputDocument;
  /** The place of a line of content that is text in another document. */
  readonly locateLine?: (line: number) => FilePlace;
}

export interface InputDocument {
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

/** @throws UsageError for two settings from the same source of which only one can count */
export function collectInputs(sources: InputSources): CollectedInputs {
  const unread: UnreadVariable[] = [];
  const collect = (read: (setting: Setting) => readonly InputValue[]): Inputs =>
    new Map(
      settingTable
        .map((setting) => [setting.name, read(setting)] as const)
        .filter(([, { length }]) => length > 0),
    );
  const flags = new Map(collect(({ flag }) => readFlag(flag, sources.flags)));
  const variables = collect((setting) => readEnvironment(setting, sources, unread));
  for (const [flag, name] of exclusiveFlags) refuseBoth(readFlag(flag, sources.flags), flags.get(name));
  const { registry } = sources.flags;
  if (typeof registry === 'string') {
    const image = {
      text: `${registry}/ironic-agent`,
      name: '--registry',
      origin: 'flag',
    } as const;
    flags.set('agent.image', [image]);
  }
  const merged = new Map<SettingName, readonly InputValue[]>();
  for (const layer of [...(sources.files?.toReversed() ?? []), variables, flags]) {
    for (const [one, other] of exclusive) refuseBoth(layer.get(one), layer.get(other));
    for (const [one, other] of replacing) if (isSet(layer.get(one))) merged.delete(other);
    for (const [name, values] of layer) merged.set(name, values);
  }
  const inputs = new Map<SettingName, readonly InputValue[]>();
  const misplaced: MisplacedInput[] = [];
  for (const { name, profiles } of settingTable) {
    const values = merged.get(name) ?? sources.implied?.get(name);
    if (values === undefined) continue;
    const [first] = values;
    if (profiles.includes(sources.profile)) inputs.set(name, values);
    else if (first !== undefined && merged.has(name))
      misplaced.push({ name: first.name, at: first.at, profiles });
  }
  return { inputs, unread, misplaced };
}

/** Pairs of settings of which only one counts: that from the source with the higher precedence. */
const exclusive = [
  ['agent.standalone', 'ironic.apiUrls'],
  ['agent.standalone', 'ironic.inspectionCallbackUrls'],
  ['agent.standalone', 'ironic.inspectorUrls'],
  ['ironic.inspectionCallbackUrls', 'ironic.inspectorUrls'],
  ['host.nmstate', 'host.networkData'],
  ['boot.embedded', 'boot.ignitionUrl'],
] as const satisfies readonly (readonly [SettingName, SettingName])[];

/** Flags without a setting, and the flags of settings that they exclude. */
const exclusiveFlags = [
  ['--registry', 'agent.image'],
  ['--no-ssh-key', 'host.sshKeys'],
  ['--no-copy-network', 'host.copyNetwork'],
] as const satisfies readonly (readonly [string, SettingName])[];

/** A setting, and one that it replaces in sources with a lower precedence. */
const replacing: readonly (readonly [SettingName, SettingName])[] = [
  ...exclusive,
  ...exclusive.map(([one, other]) => [other, one] as const),
  ['boot.baseUrl', 'boot.kernelUrl'],
  ['boot.baseUrl', 'boot.initramfsUrl'],
  ['boot.baseUrl', 'boot.rootfsUrl'],
];

function isSet(values: readonly InputValue[] = []): boolean {
  return values.length > 0 && values[0]?.text !== 'false'; // only a file can contain "false"
}

function refuseBoth(ones: readonly InputValue[] = [], others: readonly InputValue[] = []): void {
  const [[one], [other]] = [ones, others];
  if (one === undefined || other === undefined || !isSet(ones) || !isSet(others)) return;
  throw new UsageError(`${other.name} cannot be combined with ${formatSource(one)}`, {
    hint: one.origin === 'file' ? 'set one of them to null' : `remove ${one.name} or ${other.name}`,
    at: other.at,
  });
}

/** The name of a flag without its argument: `--api-url` of `--api-url <urls>`. */
export function flagName(flag: string): string {
  return flag.split(' ', 1)[0] ?? flag;
}

/** The option key of a flag in commander: `apiUrl` of `--api-url <urls>`. */
export function flagKey(flag: string): string {
  return flagName(flag)
    .slice(2)
    .replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

function readFlag(flag = '', flags: InputSources['flags']): readonly InputValue[] {
  const given = flags[flagKey(flag)];
  if (given === undefined || given === false) return [];
  const texts = typeof given === 'object' ? given : [String(given)];
  const name = flagName(flag);
  return texts.map((text) => ({ text, name, origin: 'flag' }));
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
