/**
 * What makes a CoreOS live system install itself: the generator of coreos-installer then replaces default.target with
 * coreos-installer-post.target, so that no other unit starts (systemd/coreos-installer-generator).
 */

import type { KernelArgument } from '../kargs/argument.ts';
import type { Config } from '../ignition/config.ts';
import type { Finding } from '../core/finding.ts';
import { findInstallerFile } from './lint/hostFiles.ts';
import { isAgentConfig } from './lint/lintConfig.ts';
import { lintFinding } from './lint/lintRule.ts';
import { readSubject } from './lint/subject.ts';
import { findInstallation, installerRule } from '../kargs/checkBoot.ts';

/** @param config of the live system */
export function checkInstallerArgument(
  kernelArguments: readonly KernelArgument[],
  config: Config,
): readonly Finding[] {
  return isAgentConfig(config) ? findInstallation(kernelArguments) : [];
}

/** The same for kernel arguments and for files in the folder of the installer, which `--dest-device` and others write. */
export function checkInstaller(
  kernelArguments: readonly KernelArgument[],
  config: Config,
): readonly Finding[] {
  const ofArgument = checkInstallerArgument(kernelArguments, config);
  if (ofArgument.length > 0 || !isAgentConfig(config)) return ofArgument;
  return Array.from(findInstallerFile(readSubject(config)), (file) => lintFinding(installerRule, file));
}
