/** Renders the Ignition config that runs the agent, with the profile from the settings. */

import type { Config } from '../ignition/config.ts';
import { formatOsloConfig } from '../formats/osloConfig.ts';
import { formatGoIgnition, formatIgnition } from '../ignition/ignitionText.ts';
import { ConfParts, confParts, defaultConf } from './conf.ts';
import { renderAssistedConfig } from './profiles/assisted.ts';
import { formatBuildpyConf, renderBuildpyConfig } from './profiles/buildpy.ts';
import { formatConfigureScriptConf, renderConfigureScriptConfig } from './profiles/configureCoreosIpa.ts';
import { renderDefaultConfig } from './profiles/default.ts';
import { formatIccConf, ICC_SPEC_VERSION, renderIccConfig } from './profiles/icc.ts';
import type { AgentSettings, ProfileName } from './settings.ts';
import { CONF_PATH } from './files.ts';
import { madeOf } from '../ignition/origins.ts';

interface Profile {
  readonly renderConfig: (settings: AgentSettings) => Config;
  readonly formatConf: (settings: AgentSettings) => string;
  /** The format of the upstream generator: an indentation in spaces, or that of Go. */
  readonly format: number | 'Go';
}

const profiles: Readonly<Record<ProfileName, Profile>> = {
  default: {
    renderConfig: renderDefaultConfig,
    formatConf: (settings) => formatOsloConfig(defaultConf(settings)),
    format: 0,
  },
  buildpy: { renderConfig: renderBuildpyConfig, formatConf: formatBuildpyConf, format: 2 },
  icc: { renderConfig: renderIccConfig, formatConf: formatIccConf, format: 'Go' },
  assisted: { renderConfig: renderAssistedConfig, formatConf: formatIccConf, format: 'Go' },
  'configure-coreos-ipa': {
    renderConfig: renderConfigureScriptConfig,
    formatConf: formatConfigureScriptConf,
    format: 2,
  },
};

/** The whole Ignition config; equal settings result in an equal config. */
export function renderAgentConfig(settings: AgentSettings): Config {
  const { formatConf, renderConfig } = profiles[settings.profile];
  const config = renderConfig(settings);
  const conf = config.storage?.files?.find(({ path }) => path === CONF_PATH);
  const readParts = (): ReturnType<typeof confParts> =>
    confParts(formatConf({ ...settings, userConf: undefined, optionLines: [] }), settings);
  if (conf !== undefined) madeOf(conf, new ConfParts(readParts));
  return config;
}

/**
 * Formats a config of `renderAgentConfig`, or one merged from it, in the format of the profile, unless `indent` (in
 * spaces) is set. A config that was merged with newer ones is not in the format of Go.
 */
export function formatAgentConfig(config: Config, profile: ProfileName, indent?: number): string {
  const { format } = profiles[profile];
  if (format !== 'Go') return formatIgnition(config, indent ?? format);
  return indent === undefined && config.ignition?.version === ICC_SPEC_VERSION
    ? formatGoIgnition(config, ICC_SPEC_VERSION)
    : formatIgnition(config, indent);
}
