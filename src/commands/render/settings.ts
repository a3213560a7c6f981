/**
 * From flags and environment to settings: reads the files that they name and checks every value, so that each mistake is
 * reported with the name of its flag or variable.
 */

import { inputParsers } from '../../agent/inputParsers.ts';
import { type CollectedInputs, collectInputs } from '../../agent/settingInputs.ts';
import { findProxiedHosts } from '../../agent/proxy.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { UsageError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import { readAgent } from './agentReaders.ts';
import { readHost } from './hostReaders.ts';
import { readIronic } from './ironicReaders.ts';
import { readNetwork } from './networkReaders.ts';
import type { RenderOptions, Warn } from './options.ts';
import { checkCombination, chooseProfile } from './profile.ts';
import type { Reading } from './reading.ts';

/** Where each text comes from. Throws UsageError for flags that contradict each other or the profile. */
export function readInputs(options: RenderOptions, io: Io): CollectedInputs & Pick<Reading, 'profile'> {
  const profile = chooseProfile(options);
  checkCombination(options);
  const collected = collectInputs({ flags: { ...options }, env: io.env, profile });
  const [misplaced] = collected.misplaced;
  if (misplaced === undefined) return { ...collected, profile };
  throw new UsageError(`${misplaced.flag} has no place in the profile ${profile}`, {
    hint: `it is for ${misplaced.profiles.join(', ')}`,
  });
}

/** Throws UsageError for flags and variables, and CliError for the files that they name. */
export async function readSettings(options: RenderOptions, io: Io, warn: Warn): Promise<AgentSettings> {
  const { profile, inputs } = readInputs(options, io);
  const reading: Reading = { profile, inputs, options, parse: inputParsers[profile], io, warn };
  const network = await readNetwork(reading);
  const settings: AgentSettings = {
    profile,
    ...readIronic(reading),
    ...(await readAgent(reading, network)),
    ...(await readHost(reading)),
    ...network.settings,
  };
  warnOfProxy(settings, warn);
  return settings;
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
