/**
 * Checks that Ignition cannot make: whether the agent starts with a valid config, reaches Ironic and keeps its secrets.
 * Nothing is fetched, and things that another config may add are not reported as missing. Commands inside scripts and
 * containers that are declared as quadlets are not checked.
 */

import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { checkAddresses, checkSources, checkUnitProxy } from './addresses.ts';
import { checkConfs, checkConvergedFlow } from './conf.ts';
import { checkMounts } from './mounts.ts';
import { checkSize } from './hostFiles.ts';
import { checkPulledImages } from './image.ts';
import { checkHost, type HostLintOptions } from './lintHost.ts';
import { checkInstallerFiles } from './liveSystem.ts';
import { checkPullSecrets } from './pullSecret.ts';
import { checkSandbox } from './sandbox.ts';
import { isAgentUnitName, type LintSubject, readSubject } from './subject.ts';
import { checkUnits } from './unit.ts';

/** Without `machine`, the config is for a live system. */
export interface LintOptions extends HostLintOptions {
  /** The release of the agent that the conf is for; default: the newest. */
  readonly ipaVersion?: IpaVersion;
  /** The document, to check whether it fits into a live ISO; if absent, the size is not checked. */
  readonly document?: Uint8Array;
}

/** Whether the config starts the container of the agent or writes its conf. */
export function isAgentConfig(config: Config): boolean {
  return runsAgent(readSubject(config));
}

/** All findings, by topic; paths start at the root of the config. Messages never contain secrets. */
export function lintConfig(config: Config, options: LintOptions): Issue[] {
  const { machine = 'live', now } = options;
  const subject = readSubject(config);
  return [
    ...checkConfs(subject, options.ipaVersion),
    ...checkMounts(subject),
    ...checkUnits(subject),
    ...checkSandbox(subject),
    ...checkPulledImages(subject),
    ...checkConvergedFlow(subject),
    ...checkUnitProxy(subject),
    ...checkPullSecrets(subject),
    ...checkSources(subject),
    ...checkAddresses(subject),
    ...(machine === 'live' ? checkInstallerFiles(config) : []),
    ...checkHost(subject, { machine, now }),
    ...checkSize(options.document),
  ];
}

function runsAgent({ runs, confs, units }: LintSubject): boolean {
  return runs.length > 0 || confs.length > 0 || units.some(({ name }) => isAgentUnitName(name));
}
