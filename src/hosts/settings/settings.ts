/**
 * Reads settings from flags, environment and inventory, and the files that they name. Checks every value, so that each
 * mistake is reported with its flag, variable or line.
 */

import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { ICC_PULL_SECRET_PATH } from '../../agent/profiles/icc.ts';
import { checkHostArchitecture } from '../../agent/agentArchive.ts';
import {
  type CollectedInputs,
  collectInputs,
  type Inputs,
  type InputValue,
} from '../../agent/settingInputs.ts';
import {
  type AgentSettings,
  type ProfileName,
  type ProxySettings,
  type ConfSources,
} from '../../agent/settings.ts';
import { type SettingName, settingTable } from '../../agent/settingTable.ts';
import { UsageError, type InputSource } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { collectDiagnostics, record, type Recorded, report } from '../../io/report/report.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { readAddedFiles } from './addedFiles.ts';
import { readAgentImage } from './agentImage.ts';
import { readIronic } from './ironicUrls.ts';
import { readNetwork } from './hostNetwork.ts';
import type { RenderOptions } from './options.ts';
import { inputsOf, read, readFileValue, type Reading, pathIn } from './reading.ts';
import { readSshKeys } from './sshKeys.ts';

/** The sources of one config. */
export interface RenderSource {
  readonly options: RenderOptions;
  readonly io: Io;
  /** Settings of an inventory, in order of precedence. */
  readonly files?: readonly Inputs[];
  /** Defaults for settings that no other source sets. */
  readonly implied?: Inputs;
  /** Changes the inputs of all sources together. */
  readonly change?: (inputs: Inputs) => Inputs;
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
export function readInputs({
  change,
  options,
  io,
  files = [],
  implied = new Map(),
}: RenderSource): RenderInputs {
  const profile = chooseProfile(options);
  const collected = collectInputs({ flags: { ...options }, env: io.env, profile, files, implied });
  const [misplaced] = collected.misplaced;
  const { inputs } = collected;
  if (misplaced === undefined) return { ...collected, inputs: change?.(inputs) ?? inputs, profile };
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
  if (host !== undefined && profile !== undefined && profile !== 'buildpy') {
    throw new UsageError(`--host cannot be combined with --profile ${profile}`, {
      hint: 'use --api-url instead of --host',
    });
  }
  if (profile === 'buildpy' && host === undefined) {
    throw new UsageError('profile buildpy requires --host', {
      hint: 'pass the address of Ironic, for example --host 192.0.2.1 --registry 192.0.2.1:5000',
    });
  }
  return profile ?? (host === undefined ? 'default' : 'buildpy');
}

/** The settings of a config except the name and the network of its host: most hosts have those of the host before. */
export type SharedSettings = Omit<AgentSettings, 'copyNetwork' | 'hostname' | 'keyfiles'>;

/** The settings of the inputs that are not shared. */
const ofOneHost: ReadonlySet<SettingName> = new Set([
  'host.hostname',
  'host.nmstate',
  'host.networkData',
  'host.keyfiles',
]);

/**
 * A reader for the settings of one config after the other. Configs with the same inputs get the same object as `shared`, and files
 * that several configs share are read once. It throws UsageError for invalid flags and variables, and CliError for invalid files.
 */
export function createSettingsReader() {
  const known: Reading['known'] = new Map();
  let kinds: readonly HostKind[] = [];
  return async (source: RenderSource, { inputs, profile }: RenderInputs) => {
    const { architecture, io, options, readArchive, settingsPlace } = source;
    const network = await readNetwork({ profile, inputs, options, io, known });
    const { hasNetwork } = network;
    const reading = { profile, inputs, options, io, settingsPlace, readArchive, known, hasNetwork };
    const others = [hasNetwork, ...[...inputs].filter(([name]) => !ofOneHost.has(name))];
    let kind = kinds.find((one) => isDeepStrictEqual(one.others, others));
    if (kind === undefined) {
      kind = { others, ...(await record(io, (own) => readShared({ ...reading, io: own }))) };
      kinds = [kind, ...kinds].slice(0, MOST_KINDS);
    }
    const { reported, result: shared } = kind;
    report(io, reported);
    checkHostArchitecture(shared.archive, architecture);
    // The shared settings last: if an object begins with that many members of another one, V8 keeps its shape for each host.
    const settings: AgentSettings = {
      hostname: read(reading, 'host.hostname'),
      ...network.settings,
      ...shared,
    };
    return { settings, shared };
  };
}

/** Hosts that differ only in their names and networks. */
interface HostKind extends Recorded<SharedSettings> {
  /** Their other inputs. */
  readonly others: unknown;
}

/** Of hosts whose kinds take turns; more are read again. */
const MOST_KINDS = 8;

async function readShared(reading: Reading): Promise<SharedSettings> {
  const { profile } = reading;
  return {
    profile,
    ...readIronic(reading),
    ...(await readAgentImage(reading)),
    pullSecret: await readFileValue(
      profile === 'icc' ? withMountedSecret(reading) : reading,
      'agent.pullSecret',
    ),
    registriesConf: await readFileValue(reading, 'agent.registriesConf'),
    verifyRegistryTls: !read(reading, 'agent.insecureRegistry'),
    pullArgs: read(reading, 'agent.podman.pullArgs'),
    podmanArgs: read(reading, 'agent.podman.args'),
    caCertificates: joinLines(await readFileValue(reading, 'ironic.caFiles')) || undefined,
    debug: read(reading, 'agent.debug'),
    confOptions: readConfOptions(reading),
    userConf: await readFileValue(reading, 'agent.confFile'),
    optionLines: read(reading, 'agent.options'),
    confSources: confSources(reading),
    sshKeys: await readSshKeys(reading),
    passwordHash: await readFileValue(reading, 'host.passwordHash'),
    autologin: read(reading, 'host.autologin'),
    serialConsoles: [...new Set(read(reading, 'host.consoles'))],
    installIpOptions: read(reading, 'host.installIpOptions'),
    ntpServers: read(reading, 'host.ntpServers'),
    proxy: readProxy(reading),
    ...(await readAddedFiles(reading)),
  };
}

/** The texts one after the other, each from the start of a line. One text alone stays as it is. */
function joinLines(texts: readonly string[]): string {
  return texts.reduce(
    (joined, text) => (joined === '' || joined.endsWith('\n') ? joined + text : `${joined}\n${text}`),
    '',
  );
}

/** ICC falls back to a mounted pull secret. In its container the file exists; on other machines it may be missing. */
function withMountedSecret(reading: Reading): Reading {
  if (reading.inputs.get('agent.pullSecret') !== undefined || !existsSync(ICC_PULL_SECRET_PATH))
    return reading;
  const secret: InputValue = {
    text: ICC_PULL_SECRET_PATH,
    name: '--profile icc',
    origin: 'environment',
  };
  return {
    ...reading,
    inputs: new Map<SettingName, readonly InputValue[]>([['agent.pullSecret', [secret]]]),
  };
}

/** The options of the agent's conf that settings without files set, in the order of the table. */
function readConfOptions(reading: Reading): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  const silent = { ...reading, io: collectDiagnostics(reading.io).io }; // the settings have the same warnings
  for (const { content, name, options = {} } of settingTable) {
    if (inputsOf(reading, name).length === 0) continue;
    for (const [option, format] of Object.entries(options)) {
      const value = content === undefined && format !== undefined ? read(silent, name) : true;
      const text: string | undefined = format?.(value);
      if (text !== undefined) set[option] = text;
    }
  }
  return set;
}

/** The sources of the options in the agent's conf: flags, variables or places in a file. */
function confSources({ inputs, options: { host, tls } }: Reading): ConfSources {
  const options: Record<string, InputSource> = {};
  for (const setting of settingTable) {
    const value = inputs.get(setting.name)?.at(-1);
    if (value !== undefined) for (const option of Object.keys(setting.options ?? {})) options[option] = value;
  }
  const address = { name: '--host' };
  if (host !== undefined) Object.assign(options, { api_url: address, inspection_callback_url: address });
  if (tls !== undefined) options['insecure'] = { name: '--tls' };
  const userConf = inputs.get('agent.confFile')?.at(-1);
  return {
    userConf: userConf === undefined ? '--conf' : pathIn(userConf, userConf.text),
    optionLines: (inputs.get('agent.options') ?? []).map(({ at, name }) => ({ at, name })),
    options,
  };
}

/** @throws UsageError that names the flag, the variable or the line */
export function readProxy(reading: Reading): ProxySettings {
  return {
    http: read(reading, 'proxy.http'),
    https: read(reading, 'proxy.https'),
    noProxy: read(reading, 'proxy.none') ?? [],
  };
}
