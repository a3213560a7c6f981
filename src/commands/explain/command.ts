/** Declares `explain`. */

import type { Command } from 'commander';
import { choice, type Context } from '../../io/commandLine.ts';

const NOTES = `
Without an argument, explain reads the lines of a console from standard input,
or lists all IDs.

Exit codes:
  0  success
  1  failure: no line on standard input shows a problem
  2  usage error, for example an unknown ID

Examples:
  ironic-coreos explain path-relative
  ironic-coreos explain pull-secret
  ironic-coreos explain ImageBuildInvalid
  ironic-coreos explain 'Kernel panic - not syncing: No working init found.'
  ironic-coreos explain < console.log
  ironic-coreos explain
  ironic-coreos explain --format json path-relative
`;

export function declareExplain(command: Command, context: Context): void {
  command
    .description('Explain an ID in a report, status or event, or a line on a console, or list all IDs')
    .argument(
      '[ID]',
      'rule, error code, cause, condition, check or reason, e.g. path-relative, ERR_IMAGE_SPACE or pull-secret; or a line on a console in quotes',
    )
    .addOption(choice('--format <form>', 'output format: text or json (default: text)', ['text', 'json']))
    .addHelpText('after', NOTES)
    .action(async (rule: string | undefined, { format }: { readonly format?: string }) => {
      const { explain } = await import('./explain.ts');
      context.finish(await explain({ rule, format }, context.io));
    });
}
