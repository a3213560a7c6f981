/** The converged flow of assisted-service, in which the Ironic agent starts the assisted agent when its time has come. */

import type { Issue } from '../../ignition/rule.ts';
import { broken, warning } from './lintRule.ts';
import type { LintSubject } from './subject.ts';

export const convergedFlowRules = {
  agentEnabled: warning(
    'agent-converged-enabled',
    'agent.service is enabled beside the Ironic agent: both would handle the host at the same time',
    'set "enabled" to false; the step start_assisted_install starts it',
  ),
};

export function checkConvergedFlow({ units, runs }: LintSubject): Issue[] {
  if (runs.length === 0) return [];
  const enabled = units.filter(({ name, unit }) => {
    return name === 'agent.service' && unit.enabled === true && unit.mask !== true;
  });
  return enabled.map(({ path }) => broken(convergedFlowRules.agentEnabled, [...path, 'enabled']));
}
