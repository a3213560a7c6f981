/**
 * The kernel argument that makes a CoreOS live system install itself: the generator of coreos-installer then replaces
 * default.target with coreos-installer.target, so that no other unit starts (systemd/coreos-installer-generator).
 */

import { argumentName, argumentValue } from '../boot/bootSettings.ts';
import type { Config } from '../ignition/config.ts';
import { type Issue, lintError } from '../ignition/rule.ts';
import { isAgentConfig } from './lint/lintConfig.ts';

export const installerRule = lintError(
  'agent-installer',
  'with coreos.inst.install_dev in the kernel arguments, the installer runs instead of the agent and overwrites the disk',
  'remove coreos.inst.install_dev: Ironic installs CoreOS with the deploy step install_coreos',
);

/**
 * @param kernelArguments one argument each, in their order; the last value counts
 * @param config of the live system
 */
export function checkInstallerArgument(kernelArguments: readonly string[], config: Config): Issue[] {
  const device = kernelArguments.findLast((text) => argumentName(text) === 'coreos.inst.install_dev');
  // Without "=", the generator takes the name itself as the value.
  if (device === undefined || argumentValue(device) === '') return [];
  return isAgentConfig(config) ? [{ rule: installerRule, path: [] }] : [];
}
