/**
 * Reads settings from flags, environment and inventory, and the files that they name. Checks every value, so that each
 * mistake is reported with its flag, variable or line.
 */

import { isDeepStrictEqual } from 'node:util';
import { checkHostArchitecture } from '../../agent/agentArchive.ts';
import { inputParsers } from '../../agent/inputParsers.ts';
import {
  type CollectedInputs,
  collectInputs,
  type Inputs,
  type InputValue,
} from '../../agent/settingInputs.ts';
import { type SettingName, settingTable } from '../../agent/settingTable.ts';
import { findProxiedHosts } from '../../agent/proxy.ts';
import { createSettingCheck } from '../../agent/settingChecks.ts';
import { type AgentSettings, type ProfileName, profileNames } from '../../agent/settings.ts';
import { parseChoice } from '../../io/report/choices.ts';
import { CliError, type InputSource, UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { readAgent, readVlanInterfaces } from './agentReaders.ts';
import { readHost, readHostname } from './hostReaders.ts';
import { readIronic } from './ironicReaders.ts';
import { readNetwork } from './networkReaders.ts';
import type { RenderOptions, Warn, Warning } from './options.ts';
import { type Reading, valueOf } from './reading.ts';

/** The sources of one config. */
export interface RenderSource {
  readonly options: RenderOptions;
  readonly io: Io;
  /** Settings of an inventory, in order of precedence. */
  readonly files?: readonly Inputs[];
  /** Defaults for settings that no other source sets. */
  readonly implied?: Inputs;
  /** Where the user sets a setting, for hints of commands without flags for settings. */
  readonly settingsPlace?: string;
  /** The architecture of the host, if the inventory sets it. */
  readonly architecture?: string | undefined;
  /** Reads an archive that many configs share. */
  readonly readArchive?: ReadArchiveFile;
}

/** For commands that read settings only from `--inventory` and the environment. */
export const INVENTORY_SETTINGS_PLACE = 'under "agent" in an inventory (--inventory FILE)';

export type RenderInputs = CollectedInputs & Pick<Reading, 'profile'>;

/** Collects the inputs of all settings. @throws UsageError for flags that cannot be combined, or that the profile does not support */
export function readInputs({ options, io, files = [], implied = new Map() }: RenderSource): RenderInputs {
  const profile = chooseProfile(options);
  const collected = collectInputs({ flags: { ...options }, env: io.env, profile, files, implied });
  const [misplaced] = collected.misplaced;
  if (misplaced === undefined) return { ...collected, profile };
  const flag = options.host === undefined ? '' : ' (--host)';
  throw new UsageError(`profile ${profile}${flag} does not support ${misplaced.name}`, {
    at: misplaced.at,
    hint: `remove ${misplaced.name}, or use a profile that supports it: ${misplaced.profiles.join(', ')}`,
  });
}

/** `--host` selects the profile buildpy. @throws UsageError for an unknown profile, and for `--tls` without that one */
export function chooseProfile({ host, profile, tls }: RenderOptions): ProfileName {
  if (tls !== undefined && host === undefined) {
    throw new UsageError('--tls requires --host', {
      hint: 'use http:// or https:// in --api-url, and --insecure to skip verification of the certificate',
    });
  }
  const known = parseChoice('--profile', profile, profileNames);
  if (host !== undefined && known !== undefined && known !== 'buildpy') {
    throw new UsageError(`--host cannot be combined with --profile ${known}`, {
      hint: 'use --api-url instead of --host',
    });
  }
  if (known === 'buildpy' && host === undefined) {
    throw new UsageError('--profile buildpy requires --host', {
      hint: 'pass the address of Ironic, for example --host 192.0.2.1 --registry 192.0.2.1:5000',
    });
  }
  return known ?? (host === undefined ? 'default' : 'buildpy');
}

/** Reads the settings of one config after the other. Unchanged parts are read once. */
export type ReadSettings = (
  source: RenderSource,
  { inputs, profile }: RenderInputs,
  warn: Warn,
) => Promise<AgentSettings>;

/** The reader throws UsageError for invalid flags and variables, and CliError for invalid files. */
export function createSettingsReader(): ReadSettings {
  const readSharedAgent = cachePart(readAgent);
  const readSharedHost = cachePart(readHost);
  const checkSettings = createSettingCheck();
  return async (source, { inputs, profile }, warn) => {
    const { architecture, io, options, readArchive, settingsPlace } = source;
    const parse = inputParsers[profile];
    const reading = { profile, inputs, options, parse, io, warn, settingsPlace, readArchive };
    const network = await readNetwork(reading);
    const settings: AgentSettings = {
      profile,
      ...readIronic(reading),
      ...(await readSharedAgent(reading)),
      vlanInterfaces: readVlanInterfaces(reading, network.hasNetwork),
      ...(await readSharedHost(reading)),
      hostname: readHostname(reading),
      ...network.settings,
    };
    checkHostArchitecture(settings.archive, architecture);
    if (profile === 'icc' || profile === 'assisted') warnOfProxy(settings, warn);
    for (const remark of checkSettings(settings)) {
      const { setting } = remark;
      const { hint, message, rule, severity } = remark.problem;
      if (io.ignored?.includes(rule) === true) continue;
      const { at, name } = sourceOf(setting, reading);
      const text = `${name}: ${message}`;
      if (severity !== 'error') warn({ at, message: text, hint, rule });
      else if (fileSettings.has(setting)) throw new CliError(text, { code: 'ERR_SETTING', hint, at, rule });
      else throw new UsageError(text, { hint, at, rule });
    }
    return settings;
  };
}

/** Settings that name a file: an invalid file is not a usage error. */
const fileSettings: ReadonlySet<SettingName> = new Set(
  settingTable.filter(({ kind }) => kind === 'file' || kind === 'files').map(({ name }) => name),
);

/** The source of a setting, for messages. The image may come from `--registry`. */
function sourceOf(setting: SettingName, reading: Reading): InputSource {
  const { options } = reading;
  if (setting === 'agent.image' && options.registry !== undefined) return { name: '--registry' };
  return valueOf(reading, setting) ?? { name: setting };
}

/** For the profiles icc and assisted: unlike the default profile, they do not add Ironic to the list of hosts without proxy. */
function warnOfProxy(settings: AgentSettings, warn: Warn): void {
  const hosts = findProxiedHosts(settings);
  if (hosts.length === 0) return;
  warn({
    message: `the agent connects to ${hosts.join(', ')} through the proxy`,
    hint: 'add the host to NO_PROXY, or use the default profile, which adds it',
  });
}

type ReadPart<T> = (reading: Reading) => Promise<T>;

interface CacheEntry<T> {
  /** The inputs that the reader has read, with their values. */
  readonly seen: ReadonlyMap<SettingName, readonly InputValue[] | undefined>;
  readonly warnings: readonly Warning[];
  readonly part: T;
}

/** Limit for the cache: hosts with other values are read without it. */
const MAX_ENTRIES = 16;

/**
 * Caches the results and warnings of a reader by the inputs that it reads: a bundle of 140 CA certificates would
 * otherwise cost 24 ms for each host. Only for one run: profile and options must stay the same.
 */
function cachePart<T>(read: ReadPart<T>): ReadPart<T> {
  const entries: CacheEntry<T>[] = [];
  return async (reading) => {
    const { inputs, warn } = reading;
    const known = entries.find(({ seen }) =>
      [...seen].every(([name, values]) => isDeepStrictEqual(values, inputs.get(name))),
    );
    for (const warning of known?.warnings ?? []) warn(warning);
    if (known !== undefined) return known.part;
    const seen = new Map<SettingName, readonly InputValue[] | undefined>();
    const warnings: Warning[] = [];
    const part = await read({
      ...reading,
      inputs: {
        get: (name) => {
          seen.set(name, inputs.get(name));
          return inputs.get(name);
        },
      },
      warn: (warning) => {
        warnings.push(warning);
        warn(warning);
      },
    });
    if (entries.length < MAX_ENTRIES) entries.push({ seen, warnings, part });
    return part;
  };
}
