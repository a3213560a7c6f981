/**
 * Checks that Ignition cannot make and that apply to every config, whether or not it runs the agent: files that Ignition
 * cannot write on the machine, and settings that programs of CoreOS ignore.
 */

import type { Finding } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { checkAccounts } from './accounts.ts';
import { checkCertificates, checkHostFiles, checkPasswords, checkSshKeys } from './hostFiles.ts';
import { checkRegistries } from './image.ts';
import { checkLiveSystem } from './liveSystem.ts';
import { checkConnections } from './network.ts';
import { type LintSubject, readSubject, type TargetSystem } from './subject.ts';

export interface HostLintOptions {
  /** The time for which the validity of certificates is checked. */
  readonly now: Date;
  /** If absent, only what applies to both is checked. */
  readonly machine?: TargetSystem | undefined;
}

/** All findings, by topic; paths start at the root of the config. Messages never contain secrets. */
export function lintHost(config: Config, options: HostLintOptions): Finding[] {
  return checkHost(readSubject(config), options);
}

/** The findings of {@link lintHost}. */
export function checkHost(subject: LintSubject, { machine, now }: HostLintOptions): Finding[] {
  return [
    ...checkRegistries(subject),
    ...checkCertificates(subject, now),
    ...checkSshKeys(subject),
    ...checkPasswords(subject),
    ...checkAccounts(subject),
    ...checkConnections(subject),
    ...checkHostFiles(subject, machine),
    ...(machine === 'live' ? checkLiveSystem(subject) : []),
  ];
}
