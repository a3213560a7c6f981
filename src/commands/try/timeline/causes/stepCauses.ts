/** Causes for an agent that does not report its steps, or does not have a required one. */

import { installManager, stepNames } from '../../../../core/installSteps.ts';
import type { CallbackReason, StepsEvent } from '../events.ts';
import { causesOf, type Proof, proofBy } from './cause.ts';

function stepsProof(isProof: (event: StepsEvent) => boolean): Proof {
  return proofBy('steps', ['steps'], isProof);
}

function reasonProof(...reasons: readonly CallbackReason[]): Proof {
  return stepsProof(({ reason }) => reason !== undefined && reasons.includes(reason));
}

/** Whether all missing steps are missing because the agent does not have the hardware manager that installs CoreOS. */
function lacksInstallManager({ managers, missing }: StepsEvent): boolean {
  const names: readonly string[] = stepNames;
  return (
    missing.some((step) => names.includes(step)) &&
    !managers.some(({ name }) => name === installManager.className)
  );
}

const { className, entryPoints, module } = installManager;
const LOG_CHECK = 'run `sudo podman logs ironic-agent` on the machine';

export const stepCauses = causesOf({
  'no-coreos-install': {
    short: `an agent image without ${module}`,
    text: `The agent does not have the hardware manager \`${className}\` with the steps \`${stepNames.join('` and `')}\`: the agent image has no \`${module}\` (entry point \`${module}\` in \`${entryPoints}\`), or the agent cannot load this Python module.`,
    check: `${LOG_CHECK} and look for \`Hardware manager found: ${module}:${className}\`, or for \`Could not load '${module}'\` with the reason`,
    fix: 'in `render --agent-image`, use an image built as docs/agent-image.md describes',
    proof: stepsProof(lacksInstallManager),
  },
  'step-missing': {
    short: 'a hardware manager without a required step',
    text: 'The agent reported its steps, and a step of `try --require-step` is not one of them: the agent image is too old, its hardware managers do not support this machine, or the name is incorrect.',
    check: `compare the name with the steps in the report of \`try --format json\`; ${LOG_CHECK} and look for \`Hardware manager found\``,
    fix: 'in `render --agent-image`, use an image with a hardware manager that has the step; or correct `--require-step`',
    proof: stepsProof((event) => event.reason === 'step-missing' && !lacksInstallManager(event)),
  },
  'steps-busy': {
    short: 'another command that the agent executes',
    text: 'The agent is executing another command, so it does not report its steps.',
    check: `${LOG_CHECK}; find out which other Ironic uses this agent`,
    fix: 'restart the machine',
    proof: reasonProof('busy'),
  },
  'steps-unsupported': {
    short: 'an agent without the command for its steps',
    text: 'The agent does not have the command `clean.get_clean_steps` or `deploy.get_deploy_steps`: it is too old, or its Python package is incomplete.',
    check: 'compare the version of the agent in its heartbeat with the one of your Ironic',
    fix: 'use a current agent: `render --agent-image`',
    proof: reasonProof('unsupported'),
  },
  'steps-failed': {
    short: 'a hardware manager that fails',
    text: 'The agent reports that listing its steps failed, usually in one of its hardware managers. With this agent, Ironic can neither clean nor deploy the node.',
    check: `${LOG_CHECK} and look for \`Unexpected error dispatching\``,
    fix: 'fix the error in the log; or use an agent image without this hardware manager: `render --agent-image`',
    proof: reasonProof('failed'),
  },
  'steps-answer': {
    short: 'the response to the commands that list steps',
    text: 'The agent answered at its callback URL, but did not respond as expected to the commands that list its steps: an invalid or very large response, no response in time, or a lost connection.',
    check: LOG_CHECK,
    fix: 'fix the error in the log; remove proxies between Ironic and its machines',
    proof: stepsProof(
      ({ reason }) =>
        reason !== undefined && !['busy', 'failed', 'step-missing', 'unsupported'].includes(reason),
    ),
  },
});
