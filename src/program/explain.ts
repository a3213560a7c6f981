/** The command that explains rules. */

import type { Command } from 'commander';
import type { Context } from './context.ts';

const NOTES = `
Exit codes:
  0  done
  2  there is no such rule

Examples:
  ironic-coreos explain path-relative
  ironic-coreos explain
`;

export function declareExplain(command: Command, context: Context): void {
  command
    .description(
      'Says what a rule means, with an example of what is wrong and how it is right. Without a rule, lists them all.',
    )
    .argument('[RULE]', 'as it is named in the report, e.g. path-relative')
    .addHelpText('after', NOTES)
    .action(async (rule: string | undefined) => {
      const { explain } = await import('../commands/explain.ts');
      context.finish(await explain({ rule }, context.io));
    });
}
