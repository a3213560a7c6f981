/**
 * What Ignition accepts, but what stops the agent or a part of the system: whether the agent starts with a valid config, reaches
 * Ironic and keeps its secrets, and what programs of CoreOS ignore. Nothing is fetched, and things that another config may add are
 * not reported as missing. Commands inside scripts and containers that are declared as quadlets are not checked.
 */

import type { Config } from '../../ignition/config.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { installerRule } from '../../kargs/checkBoot.ts';
import { accountRules } from './accounts.ts';
import { checkAddresses, checkExceptions, agentProxyRules, sourceRules } from './addresses.ts';
import { checkConfs, trustRules } from './conf.ts';
import { findInstallerFile, hostFileRules, sizeRule } from './hostFiles.ts';
import { agentImageRules, registriesRule } from './images.ts';
import { applyRules, type HostLintOptions, type LintFinding, type LintRule } from './lintRule.ts';
import { lintNetwork } from './network.ts';
import { pullSecretRules } from './pullSecret.ts';
import { isAgentUnitName, readSubject } from './subject.ts';
import { agentUnitRules } from './units.ts';

/** Without `machine`, the config is for a live system. */
export interface LintOptions extends HostLintOptions {
  /** The release of the agent that the conf is for; default: the newest. */
  readonly ipaVersion?: IpaVersion;
}

/** Whether the config starts the container of the agent or writes its conf. */
export function isAgentConfig(config: Config): boolean {
  const { runs, confs, units } = readSubject(config);
  return runs.length > 0 || confs.length > 0 || units.some(({ name }) => isAgentUnitName(name));
}

const agentRules: readonly LintRule[] = [
  trustRules,
  agentUnitRules,
  agentImageRules,
  agentProxyRules,
  pullSecretRules,
  sizeRule,
].flat();

const installerFileRule: LintRule = { ...installerRule, check: findInstallerFile };

const hostRules: readonly LintRule[] = [registriesRule, ...hostFileRules, ...accountRules, ...sourceRules];

/** Each names its subject in its id. */
export const lintRules: readonly LintRule[] = [...agentRules, installerFileRule, ...hostRules];

/** All findings; paths start at the root of the config. Messages never contain secrets. */
export function lintConfig(config: Config, options: LintOptions): LintFinding[] {
  return [...lintAgent(config, options), ...lintNetwork(config).findings];
}

/** The findings that do not depend on the network of the host. */
export function lintAgent(config: Config, options: LintOptions): LintFinding[] {
  const { ipaVersion, machine = 'live', ...others } = options;
  const subject = readSubject(config);
  const rules = machine === 'live' ? [...agentRules, installerFileRule] : agentRules;
  return [
    ...checkConfs(subject, ipaVersion),
    ...applyRules(rules, subject, { machine, ...others }),
    ...checkAddresses(subject),
    ...checkExceptions(subject),
    ...applyRules(hostRules, subject, { machine, ...others }),
  ];
}

/** The findings that apply to every config, whether or not it runs the agent. */
export function lintHost(config: Config, options: HostLintOptions): LintFinding[] {
  return [...applyRules(hostRules, readSubject(config), options), ...lintNetwork(config).findings];
}
