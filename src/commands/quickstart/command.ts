/** Declares `quickstart`. */

import type { Command } from 'commander';
import type { QuickstartOptions } from './quickstart.ts';
import { type Context, EXIT_CODES, declareRun } from '../../io/commandLine.ts';

const NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos quickstart
  ironic-coreos quickstart -C /tmp/try-it
`;

export function declareQuickstart(command: Command, context: Context): void {
  command
    .description(
      'Run the whole workflow once with sample data: render a config, validate it, embed it in a small sample ISO, ' +
        'print it from the ISO, and write the files for network boot. Requires no network and no other program.',
    )
    .option('-C, --directory <folder>', 'folder for the files; created if it does not exist', 'quickstart');
  const run = async (options: QuickstartOptions) =>
    (await import('./quickstart.ts')).quickstart(options, context.io);
  declareRun(command, NOTES, run, context);
}
