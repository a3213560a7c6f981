/**
 * Checks that Ignition cannot make and that apply to every config, whether or not it runs the agent: units that do not start,
 * files that Ignition cannot write on the machine, and settings that programs of CoreOS ignore.
 */

import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { checkCommands } from './commands.ts';
import { checkEncodedText } from './encodedText.ts';
import { checkCertificates, checkHashes, checkHostFiles, checkPasswords, checkSshKeys } from './hostFiles.ts';
import { checkRegistries } from './image.ts';
import { checkLiveSystem } from './liveSystem.ts';
import { checkConnections } from './network.ts';
import { checkPodmanArguments } from './podmanArguments.ts';
import { type LintSubject, readSubject, type TargetSystem } from './subject.ts';
import { checkUnitEnvironment, checkUnitText } from './unit.ts';
import { checkUnitKeys } from './unitKeys.ts';
import { checkUnitReferences } from './unitReferences.ts';
import { checkUnitValues } from './unitValues.ts';

export interface HostLintOptions {
  /** The time for which the validity of certificates is checked. */
  readonly now: Date;
  /** If absent, only what applies to both is checked. */
  readonly machine?: TargetSystem | undefined;
}

/** All findings, by topic; paths start at the root of the config. Messages never contain secrets. */
export function lintHost(config: Config, options: HostLintOptions): Issue[] {
  return checkHost(readSubject(config), options);
}

/** The findings of {@link lintHost}. */
export function checkHost(subject: LintSubject, { machine, now }: HostLintOptions): Issue[] {
  return [
    ...checkUnitText(subject),
    ...checkUnitKeys(subject),
    ...checkUnitValues(subject),
    ...checkUnitReferences(subject),
    ...checkUnitEnvironment(subject),
    ...checkCommands(subject),
    ...checkPodmanArguments(subject),
    ...checkEncodedText(subject),
    ...checkRegistries(subject),
    ...checkCertificates(subject, now),
    ...checkSshKeys(subject),
    ...checkPasswords(subject),
    ...checkConnections(subject),
    ...checkHostFiles(subject, machine),
    ...checkHashes(subject),
    ...(machine === 'live' ? checkLiveSystem(subject) : []),
  ];
}
