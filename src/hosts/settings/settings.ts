/**
 * From flags and environment to settings: reads the files that they name and checks every value, so that each mistake is
 * reported with the name of its flag or variable.
 */

import { checkHostArchitecture } from '../../agent/agentArchive.ts';
import { inputParsers } from '../../agent/inputParsers.ts';
import type { InventoryHost } from './inventoryDocument.ts';
import {
  type CollectedInputs,
  collectInputs,
  type Inputs,
  type InputValue,
} from '../../agent/settingInputs.ts';
import type { SettingName, KnownSetting } from '../../agent/settingTable.ts';
import { findProxiedHosts } from '../../agent/proxy.ts';
import { createSettingCheck, type SettingRemark } from '../../agent/settingChecks.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { readAgent } from './agentReaders.ts';
import { readHost, readHostname } from './hostReaders.ts';
import { readIronic } from './ironicReaders.ts';
import { readNetwork } from './networkReaders.ts';
import type { RenderOptions, Warn } from './options.ts';
import { checkCombination, chooseProfile } from './profile.ts';
import { checkPodmanArgs } from './podmanArgs.ts';
import { type Reading, valueOf, inPlace } from './reading.ts';
import { checkCallbackUrl } from '../../agent/ironicUrl.ts';

/** What one config is rendered from. */
export interface RenderSource {
  readonly options: RenderOptions;
  readonly io: Io;
  /** What an inventory says, the strongest first. */
  readonly files?: readonly Inputs[];
  /** What counts where nothing else is given. */
  readonly implied?: Inputs;
  /** What to do where Ironic's URL is missing, for commands without `--api-url`. */
  readonly addressHint?: string;
  /** Of the host, where an inventory says it. */
  readonly architecture?: string;
  /** For archives that many configs name. */
  readonly readArchive?: ReadArchiveFile;
  /** Those of an inventory, for whoever shows what is different for them. */
  readonly hosts?: readonly InventoryHost[];
}

/** For commands that take an inventory and no `--api-url`. */
export const inventoryAddressHint =
  'set ironic.apiUrls below agent in an inventory (--inventory FILE), or the variable IRONIC_BASE_URL';

export type RenderInputs = CollectedInputs & Pick<Reading, 'profile'>;

/** Where each text comes from. Throws UsageError for flags that contradict each other or the profile. */
export function readInputs({ options, io, files = [], implied = new Map() }: RenderSource): RenderInputs {
  const profile = chooseProfile(options);
  checkCombination(options);
  const collected = collectInputs({ flags: { ...options }, env: io.env, profile, files, implied });
  const [misplaced] = collected.misplaced;
  if (misplaced === undefined) return { ...collected, profile };
  throw new UsageError(`${misplaced.place} has no place in the profile ${profile}`, {
    hint: `it is for ${misplaced.profiles.join(', ')}`,
  });
}

/** Reads settings for one config after the other; what does not change between them is read once. */
export type ReadSettings = (
  source: RenderSource,
  { inputs, profile }: RenderInputs,
  warn: Warn,
) => Promise<AgentSettings>;

/** The reader throws UsageError for flags and variables, and CliError for the files that they name. */
export function createSettingsReader(): ReadSettings {
  const readSharedAgent = rememberPart(readAgent);
  const readSharedHost = rememberPart(readHost);
  const checkSettings = createSettingCheck();
  return async (source, { inputs, profile }, warn) => {
    const { addressHint, architecture, io, options, readArchive } = source;
    const reading = joinLists({
      profile,
      inputs,
      options,
      parse: inputParsers[profile],
      io,
      warn,
      ...(addressHint !== undefined && { addressHint }),
      ...(readArchive !== undefined && { readArchive }),
    });
    checkPodmanArgs(reading);
    const network = await readNetwork(reading);
    const settings: AgentSettings = {
      profile,
      ...readIronic(reading),
      ...(await readSharedAgent(reading, network.hasNetwork)),
      ...(await readSharedHost(reading, undefined)),
      ...readHostname(reading),
      ...network.settings,
    };
    checkHostArchitecture(settings.archive, architecture);
    warnOfProxy(settings, warn);
    reportSettings(checkSettings(settings), reading);
    return settings;
  };
}

/** Throws UsageError for a value with which the agent cannot run, and CliError for such a file. */
function reportSettings(remarks: readonly SettingRemark[], reading: Reading): void {
  for (const { hint, message, rule, setting, severity } of remarks) {
    const text = `${placeOf(setting, reading)}: ${message}`;
    if (severity === 'warning') reading.warn(text, hint, rule);
    else if (fileSettings.has(setting)) throw new CliError(text, { code: 'ERR_SETTING', hint });
    else throw new UsageError(text, { hint });
  }
}

const fileSettings: ReadonlySet<SettingName> = new Set(['agent.pullSecret', 'agent.registriesConf']);

/** How the user calls where a setting was given; an image may come from `--registry`. */
function placeOf(setting: SettingName, reading: Reading): string {
  const { options } = reading;
  if (setting === 'agent.image' && options.registry !== undefined) return '--registry';
  return valueOf(reading, setting)?.place ?? setting;
}

/** The peers leave the list of direct hosts as it is. */
function warnOfProxy(settings: AgentSettings, warn: Warn): void {
  const hosts = ['icc', 'assisted'].includes(settings.profile) ? findProxiedHosts(settings) : [];
  if (hosts.length === 0) return;
  warn(
    `the agent goes through the proxy to reach ${hosts.join(', ')}`,
    'add it to NO_PROXY, or use the default profile, which does so',
  );
}

type ReadPart<T, A> = (reading: Reading, argument: A) => Promise<T>;
type Values = readonly InputValue[] | undefined;

interface Remembered<T, A> {
  readonly argument: A;
  /** The inputs that were looked at, and what they were. */
  readonly seen: ReadonlyMap<SettingName, Values>;
  readonly warnings: readonly Parameters<Reading['warn']>[];
  readonly part: T;
}

/** So many kinds of hosts are told apart; of further ones each is read anew. */
const mostKinds = 16;

/**
 * The same reader, but where nothing that it looked at has changed it answers as before, warnings included. A bundle
 * of 140 CA certificates costs each host 24 ms otherwise. For one run: profile and options must stay the same.
 */
function rememberPart<T, A>(read: ReadPart<T, A>): ReadPart<T, A> {
  const kinds: Remembered<T, A>[] = [];
  return async (reading, argument) => {
    const known = kinds.find((kind) => kind.argument === argument && isSame(kind.seen, reading));
    for (const warning of known?.warnings ?? []) reading.warn(...warning);
    if (known !== undefined) return known.part;
    const seen = new Map<SettingName, Values>();
    const warnings: Parameters<Reading['warn']>[] = [];
    const part = await read(watch(reading, seen, warnings), argument);
    if (kinds.length < mostKinds) kinds.push({ argument, seen, warnings, part });
    return part;
  };
}

function watch(
  reading: Reading,
  seen: Map<SettingName, Values>,
  warnings: Parameters<Reading['warn']>[],
): Reading {
  return {
    ...reading,
    inputs: {
      get: (name) => {
        const values = reading.inputs.get(name);
        seen.set(name, values);
        return values;
      },
    },
    warn: (...warning) => {
      warnings.push(warning);
      reading.warn(...warning);
    },
  };
}

function isSame(seen: ReadonlyMap<SettingName, Values>, { inputs }: Reading): boolean {
  for (const [name, values] of seen) {
    if (!isSameValues(values, inputs.get(name))) return false;
  }
  return true;
}

function isSameValues(one: Values, other: Values): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || one.length !== other.length) return false;
  return one.every(({ place, text }, index) => place === other[index]?.place && text === other[index].text);
}

type ListName = Extract<KnownSetting, { readonly kind: 'list' }>['name'];

/** Throw UsageError for an item that would be wrong without the others, too. */
const itemChecks: { readonly [N in ListName]: (item: InputValue, reading: Reading) => unknown } = {
  'ironic.apiUrls': ({ text, place }, { parse }) => parse.apiUrls(text, { flag: place }),
  'ironic.inspectionCallbackUrls': ({ text, place }) => checkCallbackUrl(text, place),
  'ironic.inspectorUrls': ({ text, place }, { parse }) => parse.inspectorUrls(text, { flag: place }),
  'agent.vlanInterfaces': ({ text, place }, { parse }) =>
    inPlace(place, () => parse.vlanInterfaces(text, false)),
  'proxy.none': ({ text, place }, { parse }) => inPlace(place, () => parse.noProxy(text)),
};

/**
 * The same reading, with one value for each of these settings; where it was a list, its place is that of the first item.
 * Throws UsageError for an item that is wrong.
 */
export function joinLists(reading: Reading): Reading {
  return { ...reading, inputs: { get: (name) => joinItems(name, reading) } };
}

function joinItems(name: SettingName, reading: Reading): readonly InputValue[] | undefined {
  const values = reading.inputs.get(name);
  const [first, ...others] = values ?? [];
  if (first === undefined || others.length === 0 || !isListName(name)) return values;
  for (const item of [first, ...others]) itemChecks[name](item, reading);
  return [{ ...first, text: [first, ...others].map(({ text }) => text).join(',') }];
}

function isListName(name: SettingName): name is ListName {
  return Object.hasOwn(itemChecks, name);
}
