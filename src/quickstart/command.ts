/** The command for newcomers. */

import type { Command } from 'commander';
import type { QuickstartOptions } from './quickstart.ts';
import { type Context, EXIT_CODES, declareRun } from '../io/commandLine.ts';

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
    .option('-C, --directory <folder>', 'folder for the files', 'quickstart');
  const run = async (options: QuickstartOptions) =>
    (await import('./quickstart.ts')).quickstart(options, context.io);
  declareRun(command, NOTES, run, context);
}
