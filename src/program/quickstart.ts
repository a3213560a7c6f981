/** The command for newcomers. */

import type { Command } from 'commander';
import type { QuickstartOptions } from '../commands/quickstart.ts';
import type { Context } from './context.ts';
import { EXIT_CODES } from './exitCodes.ts';
import { refuseRepeatedOptions } from './repeatedOptions.ts';

const NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos quickstart
  ironic-coreos quickstart -C /tmp/try-it
`;

export function declareQuickstart(command: Command, context: Context): void {
  command
    .description(
      'Renders a config for an example address, validates it, embeds it in a small sample ISO, shows it back, and ' +
        'writes the files for network boot. Needs no network and no other program.',
    )
    .option('-C, --directory <folder>', 'folder for the files', 'quickstart')
    .addHelpText('after', NOTES)
    .action(async (options: QuickstartOptions) => {
      const { quickstart } = await import('../commands/quickstart.ts');
      context.finish(await quickstart(options, context.io));
    });
  refuseRepeatedOptions(command);
}
