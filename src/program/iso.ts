/** The commands for live ISOs; each group is declared in the folder `iso`. */

import type { Command } from 'commander';
import type { Context } from './context.ts';
import { declareIsoIgnition } from './iso/ignition.ts';

export function declareIso(program: Command, context: Context): void {
  const iso = program.command('iso').description('Customise live ISOs of CoreOS.');
  declareIsoIgnition(iso, context);
}
