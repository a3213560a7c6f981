/**
 * What makes a CoreOS live system install itself: the generator of coreos-installer then replaces default.target with
 * coreos-installer-post.target, so that no other unit starts (systemd/coreos-installer-generator).
 */

import type { Finding } from '../core/finding.ts';
import type { KernelArgument } from '../kargs/argument.ts';
import type { Config } from '../ignition/config.ts';
import { isAgentConfig } from './lint/lintConfig.ts';
import { checkInstallerFiles, installerRule } from './lint/liveSystem.ts';
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
  if (device === undefined || device.value === '') return [];
  return isAgentConfig(config) ? [{ ...installerRule, path: [] }] : [];
}

/** The same for kernel arguments and for files in the folder of the installer, which `--dest-device` and others write. */
export function checkInstaller(kernelArguments: readonly KernelArgument[], config: Config): Finding[] {
  const ofArgument = checkInstallerArgument(kernelArguments, config);
  if (ofArgument.length > 0) return ofArgument;
  const ofFiles = checkInstallerFiles(config);
  return ofFiles.length > 0 && isAgentConfig(config) ? ofFiles : [];
}
