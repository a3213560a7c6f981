/**
 * From flags and environment to settings: reads the files that they name and checks every value, so that each mistake is
 * reported with the name of its flag or variable.
 */

import { checkHostArchitecture } from '../../agent/agentArchive.ts';
import { inputParsers } from '../../agent/inputParsers.ts';
import type { InventoryHost } from '../../agent/inventory.ts';
import { type CollectedInputs, collectInputs, type Inputs } from '../../agent/settingInputs.ts';
import { findProxiedHosts } from '../../agent/proxy.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { UsageError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import type { ReadArchiveFile } from '../input/containerArchiveFile.ts';
import { readAgent } from './agentReaders.ts';
import { readHost, readHostname } from './hostReaders.ts';
import { readIronic } from './ironicReaders.ts';
import { readNetwork } from './networkReaders.ts';
import { joinLists } from './listSettings.ts';
import type { RenderOptions, Warn } from './options.ts';
import { checkCombination, chooseProfile } from './profile.ts';
import { checkPodmanArgs } from './podmanArgs.ts';
import type { Reading } from './reading.ts';
import { rememberPart } from './rememberPart.ts';

/** What one config is rendered from. */
export interface RenderSource {
  readonly options: RenderOptions;
  readonly io: Io;
  /** What an inventory says, the strongest first. */
  readonly files?: readonly Inputs[];
  /** What counts where nothing else is given. */
  readonly implied?: Inputs;
  /** Of the host, where an inventory says it. */
  readonly architecture?: string;
  /** For archives that many configs name. */
  readonly readArchive?: ReadArchiveFile;
  /** Those of an inventory, for whoever shows what is different for them. */
  readonly hosts?: readonly InventoryHost[];
}

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
  return async ({ architecture, io, options, readArchive }, { inputs, profile }, warn) => {
    const reading = joinLists({
      profile,
      inputs,
      options,
      parse: inputParsers[profile],
      io,
      warn,
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
    return settings;
  };
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
