/** The command that explains rules. */

import type { Command } from 'commander';
import { choice, type Context } from '../../io/commandLine.ts';

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
