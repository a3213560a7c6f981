/** The command that explains rules. */

import type { Command } from 'commander';
import type { Context } from './context.ts';

export function declareExplain(command: Command, context: Context): void {
  command
    .description(
      'Says what a rule means, with an example of what is wrong and how it is right. Without a rule, lists them all.',
    )
    .argument('[RULE]', 'as it is named in the report, e.g. path-relative')
    .addHelpText('after', '\nExamples:\n  ironic-coreos explain path-relative\n  ironic-coreos explain\n')
    .action(async (rule: string | undefined) => {
      const { explain } = await import('../commands/explain.ts');
      context.finish(await explain({ rule }, context.io));
    });
}
