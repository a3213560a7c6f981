/** From settings to the Ignition config that runs the agent: the choice of the profile. */

import type { Config } from '../ignition/config.ts';
import { formatDefaultConf } from './conf.ts';
import { formatBuildpyConf, renderBuildpyConfig } from './profiles/buildpy.ts';
import { renderDefaultConfig } from './profiles/default.ts';
import type { AgentSettings, ProfileName } from './settings.ts';

interface Profile {
  readonly renderConfig: (settings: AgentSettings) => Config;
  readonly formatConf: (settings: AgentSettings) => string;
}

const profiles: Readonly<Record<ProfileName, Profile>> = {
  default: { renderConfig: renderDefaultConfig, formatConf: formatDefaultConf },
  buildpy: { renderConfig: renderBuildpyConfig, formatConf: formatBuildpyConf },
};

/** The whole Ignition config; equal settings give an equal config. */
export function renderAgentConfig(settings: AgentSettings): Config {
  return profiles[settings.profile].renderConfig(settings);
}

/** The ironic-python-agent.conf that the config holds, to be checked with `checkConf`. */
export function renderAgentConf(settings: AgentSettings): string {
  return profiles[settings.profile].formatConf(settings);
}
