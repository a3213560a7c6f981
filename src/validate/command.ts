/** The command that checks Ignition configs and the agent's conf. */

import type { Command } from 'commander';
import type { ValidateOptions } from './validate.ts';
import { choice, type Context, refuseRepeatedOptions } from '../io/commandLine.ts';

const notes = `
What is checked:
  *.conf is an ironic-python-agent.conf: valid if the agent would start.
  A live ISO or an initramfs, told by its content: valid if it is whole, and if
  Ignition would take the config in it; warnings say why it would not boot the
  agent. Places are then those in config.ign.
  Everything else is an Ignition config: valid if Ignition would take it.
  Of a folder, at any depth: *.ign, ironic-python-agent*.conf, and *.conf in a
  folder named ironic-python-agent or ironic-python-agent.d. Patterns that the
  shell leaves alone ('configs/**/*.json') name any files.

Lint:
  A config that runs ironic-python-agent is also looked at as a whole: will the
  agent start, find its conf, reach Ironic, keep its secrets? What is
  wrong is a warning.
  none    nothing of that
  agent   look at every config, as if it ran the agent
  error   the same, and the warnings are errors

Exit codes:
  0  all files are valid
  1  a file is not valid or cannot be read
  2  the command line is wrong

Examples:
  ironic-coreos validate worker.ign
  butane worker.bu | ironic-coreos validate -
  ironic-coreos validate --strict --format github configs/
  ironic-coreos validate ipa.iso
  ironic-coreos validate --format json *.ign | jq -r "select(.valid | not).file"
What a rule means: ironic-coreos explain RULE
`;

export function declareValidate(command: Command, context: Context): void {
  command
    .description(
      'Checks Ignition configs of the versions 3.0.0 to 3.6.0 and 3.7.0-experimental: the same errors and warnings as ' +
        'ignition-validate, at the same places, with a hint for each. Ends with 1 if a config is not valid.',
    )
    .argument('<FILE...>', 'files, folders or patterns; - is standard input')
    .addOption(
      choice(
        '--format <FORM>',
        'text (default); json: one object a file, on one line; sarif: for code scanning; github: annotations',
        ['text', 'json', 'sarif', 'github'],
      ),
    )
    .option('--strict', 'a file with warnings is not valid')
    .addOption(
      choice('--lint <MODE>', 'none, agent or error (default: for configs that run the agent)', [
        'none',
        'agent',
        'error',
      ]),
    )
    .option('--ipa-version <RELEASE>', 'check for this release of ironic-python-agent, not the newest');
  refuseRepeatedOptions(command)
    .addHelpText('after', notes)
    .action(async (files: readonly string[], options: Omit<ValidateOptions, 'files'>) => {
      const { validate } = await import('./validate.ts');
      context.finish(await validate({ ...options, files }, context.io));
    });
}
