/** From settings to the Ignition config that runs the agent: the choice of the profile. */

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
  /** As the peer writes it, where `indent` (in spaces) is not asked for. */
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

/** The whole Ignition config; equal settings give an equal config. */
export function renderAgentConfig(settings: AgentSettings): Config {
  return profiles[settings.profile].renderConfig(settings);
}

/** The ironic-python-agent.conf that the config holds, to be checked with `checkConf`. */
export function renderAgentConf(settings: AgentSettings): string {
  return profiles[settings.profile].formatConf(settings);
}

/** The document of a config that `renderAgentConfig` gave, or that was merged from it, in the manner of the profile. */
export function formatAgentConfig(config: Config, profile: ProfileName, indent?: number): string {
  return profiles[profile].formatConfig(config, indent);
}

/** Merged with newer configs, it is no longer a document that the peer could write. */
function formatGoConfig(config: Config, indent?: number): string {
  return indent === undefined && config.ignition?.version === iccSpecVersion
    ? formatGoIgnition(config, iccSpecVersion)
    : formatIgnition(config, indent);
}

/** What a reader of the config could misuse, as nouns for a sentence; never the values. Empty where there is nothing. */
export function listSettingSecrets(settings: AgentSettings): string[] {
  const { apiUrls, keyfiles, passwordHash, proxy, pullSecret } = settings;
  const facts: readonly (readonly [holds: boolean, what: string])[] = [
    [pullSecret !== undefined, 'a pull secret'],
    [hasPassword(proxy.http) || hasPassword(proxy.https), 'the password of a proxy'],
    [apiUrls.some(hasPassword), 'the password of Ironic'],
    [passwordHash !== undefined, 'the hash of a password'],
    [keyfiles.some(({ text }) => hasNetworkSecret(text)), 'a password of the network'],
  ];
  return [
    ...facts.flatMap(([holds, what]) => (holds ? [what] : [])),
    ...listSensitiveOptions(renderAgentConf(settings)).map((name) => `the option ${name}`),
  ];
}

function hasPassword(url = ''): boolean {
  return URL.canParse(url) && new URL(url).password !== '';
}
