/**
 * A hardware manager for the real agent with the name, the entry point and the steps of `ironic_coreos_install` of
 * openshift/ironic-agent-image. It executes nothing.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface HardwareManagerOptions {
  readonly steps?: readonly string[];
  /** Statements before the list of deploy steps is returned. */
  readonly beforeSteps?: string;
  /** Statements at the start of the module. */
  readonly atImport?: string;
}

const module = 'ironic_coreos_install';

/** @param folder for `PYTHONPATH` of the agent; it is created */
export function writeHardwareManager(
  folder: string,
  {
    steps = ['install_coreos', 'start_assisted_install'],
    beforeSteps = 'pass',
    atImport = '',
  }: HardwareManagerOptions = {},
): void {
  mkdirSync(folder);
  const list = steps.map(
    (step) =>
      `{'step': '${step}', 'priority': 0, 'interface': 'deploy', 'reboot_requested': False, 'argsinfo': {}}`,
  );
  writeFileSync(
    join(folder, `${module}.py`),
    `${atImport}
from ironic_python_agent import hardware


class CoreOSInstallHardwareManager(hardware.HardwareManager):
    HARDWARE_MANAGER_NAME = 'CoreOSInstallHardwareManager'
    HARDWARE_MANAGER_VERSION = '1'

    def evaluate_hardware_support(self):
        return hardware.HardwareSupport.SERVICE_PROVIDER

    def get_deploy_steps(self, node, ports):
        ${beforeSteps}
        return [${list.join(', ')}]
`,
  );
  const info = join(folder, `${module}-1.dist-info`);
  mkdirSync(info);
  writeFileSync(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: ${module}\nVersion: 1\n`);
  writeFileSync(
    join(info, 'entry_points.txt'),
    `[ironic_python_agent.hardware_managers]\n${module} = ${module}:CoreOSInstallHardwareManager\n`,
  );
}
