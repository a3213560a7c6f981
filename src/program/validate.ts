/** The command that checks Ignition configs. */

import type { Command } from 'commander';
import type { ValidateOptions } from '../commands/validate.ts';
import type { Context } from './context.ts';

export function declareValidate(program: Command, context: Context): void {
  program
    .command('validate')
    .summary('check Ignition configs as Ignition would')
    .description(
      'Checks Ignition configs of the versions 3.0.0 to 3.6.0 and 3.7.0-experimental: the same errors and warnings as ' +
        'ignition-validate, at the same places, with a hint for each. Ends with 1 if a config is not valid.',
    )
    .argument('<FILE...>', 'Ignition configs; - is standard input')
    .option('--format <FORM>', 'text, or json: one object a file, on one line', 'text')
    .addHelpText(
      'after',
      '\nExamples:\n  ironic-coreos validate worker.ign\n  butane worker.bu | ironic-coreos validate -\n' +
        '  ironic-coreos validate --format json *.ign | jq -r "select(.valid | not) | .file"\n',
    )
    .action(async (files: readonly string[], options: Omit<ValidateOptions, 'files'>) => {
      const { validate } = await import('../commands/validate.ts');
      context.finish(await validate({ ...options, files }, context.io));
    });
}
