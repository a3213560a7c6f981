/**
 * What makes a CoreOS live system install itself: the generator of coreos-installer then replaces default.target with
 * coreos-installer-post.target, so that no other unit starts (systemd/coreos-installer-generator).
 */

import type { KernelArgument } from '../kargs/argument.ts';
import type { Config } from '../ignition/config.ts';
import type { Finding } from '../core/finding.ts';
import { findInstallerFile, installerRule } from './lint/hostFiles.ts';
import { isAgentConfig } from './lint/lintConfig.ts';
import { lintFinding } from './lint/lintRule.ts';
import { readSubject } from './lint/subject.ts';
import { coreosArguments } from '../kargs/coreosArguments.ts';

/**
 * @param kernelArguments in their order; the last value counts
 * @param config of the live system
 */
export function checkInstallerArgument(
  kernelArguments: readonly KernelArgument[],
  config: Config,
): Finding[] {
  const device = kernelArguments.findLast(({ name }) => name === coreosArguments.installDevice.name);
  // Without "=", the generator takes the name itself as the value.
  if (device === undefined || device.value === '' || !isAgentConfig(config)) return [];
  const message =
    'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent and overwrites the disk';
  const hint = 'remove coreos.inst.install_dev: Ironic installs CoreOS with the deploy step install_coreos';
  return [lintFinding(installerRule, { path: [], message, hint })];
}

/** The same for kernel arguments and for files in the folder of the installer, which `--dest-device` and others write. */
export function checkInstaller(kernelArguments: readonly KernelArgument[], config: Config): Finding[] {
  const ofArgument = checkInstallerArgument(kernelArguments, config);
  if (ofArgument.length > 0 || !isAgentConfig(config)) return ofArgument;
  return findInstallerFile(readSubject(config).files).map((file) => lintFinding(installerRule, file));
}
