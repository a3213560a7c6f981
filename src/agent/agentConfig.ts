/** Renders the Ignition config that runs the agent, with the profile from the settings. */

import type { Config } from '../ignition/config.ts';
import { formatGoIgnition, formatIgnition } from '../ignition/ignitionText.ts';
import { formatDefaultConf, listSensitiveOptions } from './conf.ts';
import { renderAssistedConfig } from './profiles/assisted.ts';
import { formatBuildpyConf, renderBuildpyConfig } from './profiles/buildpy.ts';
import { formatConfigureScriptConf, renderConfigureScriptConfig } from './profiles/configureCoreosIpa.ts';
import { renderDefaultConfig } from './profiles/default.ts';
import { formatIccConf, iccSpecVersion, renderIccConfig } from './profiles/icc.ts';
import type { AgentSettings, ProfileName } from './settings.ts';
import { hasNetworkSecret } from './files.ts';

interface Profile {
  readonly renderConfig: (settings: AgentSettings) => Config;
  readonly formatConf: (settings: AgentSettings) => string;
  /** In the format of the upstream generator, unless `indent` (in spaces) is set. */
  readonly formatConfig: (config: Config, indent?: number) => string;
}

const profiles: Readonly<Record<ProfileName, Profile>> = {
  default: {
    renderConfig: renderDefaultConfig,
    formatConf: formatDefaultConf,
    formatConfig: (config, indent = 0) => formatIgnition(config, indent),
  },
  buildpy: {
    renderConfig: renderBuildpyConfig,
    formatConf: formatBuildpyConf,
    formatConfig: (config, indent = 2) => formatIgnition(config, indent),
  },
  icc: { renderConfig: renderIccConfig, formatConf: formatIccConf, formatConfig: formatGoConfig },
  assisted: { renderConfig: renderAssistedConfig, formatConf: formatIccConf, formatConfig: formatGoConfig },
  'configure-coreos-ipa': {
    renderConfig: renderConfigureScriptConfig,
    formatConf: formatConfigureScriptConf,
    formatConfig: (config, indent = 2) => formatIgnition(config, indent),
  },
};

/** The whole Ignition config; equal settings result in an equal config. */
export function renderAgentConfig(settings: AgentSettings): Config {
  return profiles[settings.profile].renderConfig(settings);
}

/** The ironic-python-agent.conf in the config, to be checked with `checkConf`. */
export function renderAgentConf(settings: AgentSettings): string {
  return profiles[settings.profile].formatConf(settings);
}

/** Formats a config of `renderAgentConfig`, or one merged from it, in the format of the profile. */
export function formatAgentConfig(config: Config, profile: ProfileName, indent?: number): string {
  return profiles[profile].formatConfig(config, indent);
}

/** A config that was merged with newer ones is not in the format of the upstream generator. */
function formatGoConfig(config: Config, indent?: number): string {
  return indent === undefined && config.ignition?.version === iccSpecVersion
    ? formatGoIgnition(config, iccSpecVersion)
    : formatIgnition(config, indent);
}

/** The secrets in the config, as nouns for a sentence, without their values. Empty without secrets. */
export function listSettingSecrets(settings: AgentSettings): string[] {
  const { apiUrls, keyfiles, passwordHash, proxy, pullSecret } = settings;
  const facts: readonly (readonly [isPresent: boolean, what: string])[] = [
    [pullSecret !== undefined, 'a pull secret'],
    [hasPassword(proxy.http) || hasPassword(proxy.https), 'a proxy password'],
    [apiUrls.some(hasPassword), 'the Ironic password'],
    [passwordHash !== undefined, 'a password hash'],
    [keyfiles.some(({ text }) => hasNetworkSecret(text)), 'a network password'],
  ];
  return [
    ...facts.flatMap(([isPresent, what]) => (isPresent ? [what] : [])),
    ...listSensitiveOptions(renderAgentConf(settings)).map((name) => `the option ${name}`),
  ];
}

function hasPassword(url = ''): boolean {
  return URL.canParse(url) && new URL(url).password !== '';
}
