/** Declares `validate` and `explain`. */

import type { Command } from 'commander';
import type { ValidateOptions } from './validate.ts';
import { choice, type Context, declareRun } from '../io/commandLine.ts';

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
  const run = async (files: readonly string[], options: Omit<ValidateOptions, 'files'>) =>
    (await import('./validate.ts')).validate({ ...options, files }, context.io);
  declareRun(command, notes, run, context);
}

const NOTES = `
Exit codes:
  0  done
  2  there is no such rule

Examples:
  ironic-coreos explain path-relative
  ironic-coreos explain
  ironic-coreos explain --format json path-relative
`;

export function declareExplain(command: Command, context: Context): void {
  command
    .description(
      'Says what a rule or the code of an error means, with an example of what is wrong and how it is right. Without an argument, lists them all.',
    )
    .argument('[RULE]', 'as it is named in the report, e.g. path-relative or ERR_IMAGE_SPACE')
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']))
    .addHelpText('after', NOTES)
    .action(async (rule: string | undefined, { format }: { readonly format?: string }) => {
      const { explain } = await import('./explain.ts');
      context.finish(await explain({ rule, format }, context.io));
    });
}
