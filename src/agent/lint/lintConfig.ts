/**
 * What Ignition cannot know: whether a valid config makes a ramdisk in which the agent starts, reaches Ironic and keeps
 * its secrets. Nothing is fetched, and what another config may bring along is not missed. Left out: commands inside
 * scripts, containers that are declared as quadlets.
 */

import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { IpaVersion } from '../../ipa/ipaOptions.ts';
import { checkAddresses, checkSources, checkUnitProxy } from './addresses.ts';
import { checkCertificates, checkHostFiles, checkSize, checkSshKeys } from './hostFiles.ts';
import { checkConfs, checkConvergedFlow, checkMounts } from './conf.ts';
import { checkPulledImages, checkRegistries } from './image.ts';
import { checkPodmanArguments } from './podmanArguments.ts';
import { checkPullSecrets } from './pullSecret.ts';
import { isAgentUnitName, type LintSubject, readSubject } from './subject.ts';
import { checkUnits, checkUnitText } from './unit.ts';
import { checkUnitKeys } from './unitKeys.ts';

export interface LintOptions {
  /** By which certificates are judged. */
  readonly now: Date;
  /** The release of the agent that the conf is for; without, the newest. */
  readonly ipaVersion?: IpaVersion;
  /** The document itself, to find out whether it fits into a live ISO; without, its size is not looked at. */
  readonly document?: Uint8Array;
}

/** Whether the config starts the agent's container or writes the agent's conf. */
export function isAgentConfig(config: Config): boolean {
  return runsAgent(readSubject(config));
}

/** Everything that is found, by topic; paths start at the root of the config. Messages never quote secrets. */
export function lintConfig(config: Config, options: LintOptions): Issue[] {
  const subject = readSubject(config);
  return [
    ...checkConfs(subject, options.ipaVersion),
    ...checkMounts(subject),
    ...checkUnits(subject),
    ...checkUnitText(subject),
    ...checkUnitKeys(subject),
    ...checkPodmanArguments(subject),
    ...checkPulledImages(subject),
    ...checkConvergedFlow(subject),
    ...checkUnitProxy(subject),
    ...checkRegistries(subject),
    ...checkPullSecrets(subject),
    ...checkCertificates(subject, options.now),
    ...checkSshKeys(subject),
    ...checkSources(subject),
    ...checkAddresses(subject),
    ...checkHostFiles(subject),
    ...checkSize(options.document),
  ];
}

function runsAgent({ runs, confs, units }: LintSubject): boolean {
  return runs.length > 0 || confs.length > 0 || units.some(({ name }) => isAgentUnitName(name));
}
