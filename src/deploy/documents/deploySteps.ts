/**
 * Deploy steps as Ironic's API and `baremetal node deploy --deploy-steps` take them: all four members are needed
 * (`DEPLOY_STEP_SCHEMA`). The agent of today reads no arguments; the design of Metal3 had the config in them.
 */

import type { Rule } from '../../ignition/rule.ts';
import type { PlainConfig } from './installedConfig.ts';

export const stepNames = ['install_coreos', 'start_assisted_install'] as const;

export type StepName = (typeof stepNames)[number];

export interface DeployStep {
  readonly interface: 'deploy';
  readonly step: StepName;
  /** Between starting the ramdisk and booting the instance; as Metal3 has it. */
  readonly priority: 80;
  readonly args: { readonly ignition?: PlainConfig };
}

export const ignitionInArguments: Rule = {
  id: 'ignition-in-args',
  severity: 'warning',
  message:
    "today's hardware manager reads no arguments: it takes the config from the config drive and ignores this one",
  hint: 'leave --ignition-in-args out, unless your agent image has a hardware manager that takes args.ignition',
};

/** The one step that deploys, with the config in its arguments if it is given. */
export function renderDeploySteps(step: StepName, ignition?: PlainConfig): readonly DeployStep[] {
  return [{ interface: 'deploy', step, priority: 80, args: ignition === undefined ? {} : { ignition } }];
}
