/**
 * Checks that Ignition cannot make and that apply to every config, whether or not it runs the agent: units that do not start,
 * files that Ignition cannot write on the machine, and settings that programs of CoreOS ignore.
 */

import type { Config } from '../../ignition/config.ts';
import type { Issue } from '../../ignition/rule.ts';
import { checkCommands } from './commands.ts';
import { checkEncodedFiles, checkEncodedUnit } from './encodedText.ts';
import { checkCertificates, checkHashes, checkHostFiles, checkPasswords, checkSshKeys } from './hostFiles.ts';
import { checkRegistries } from './image.ts';
import { checkLiveSystem } from './liveSystem.ts';
import { checkConnections } from './network.ts';
import { checkPodmanArguments } from './podmanArguments.ts';
import { isActive, type LintedUnit, type LintSubject, readSubject, type TargetSystem } from './subject.ts';
import { checkUnitText, createEnvironmentFileCheck, createVariableCheck } from './unit.ts';
import { checkUnitFiles, checkUnitKeys } from './unitKeys.ts';
import { createReferenceCheck } from './unitReferences.ts';
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
  const text: Issue[] = [];
  const keys: Issue[] = [];
  const others = createUnitChecks(subject).map((check) => ({ check, issues: new Array<Issue>() }));
  for (const unit of subject.eachUnit()) {
    for (const issue of checkUnitText(unit)) text.push(issue);
    if (!isActive(unit)) continue;
    for (const issue of checkUnitKeys(unit)) keys.push(issue);
    for (const { check, issues } of others) for (const issue of check(unit)) issues.push(issue);
  }
  return [
    ...text,
    ...keys,
    ...checkUnitFiles(subject),
    ...others.flatMap(({ issues }) => issues),
    ...checkEncodedFiles(subject),
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

/** The checks of a unit that is not masked, in the order of their findings. */
function createUnitChecks(subject: LintSubject): ((unit: LintedUnit) => Issue[])[] {
  return [
    checkUnitValues,
    createReferenceCheck(subject),
    createEnvironmentFileCheck(subject),
    createVariableCheck(subject),
    checkCommands,
    checkPodmanArguments,
    checkEncodedUnit,
  ];
}
