/** The commands for live ISOs; each group is declared in the folder `iso`. */

import type { Command } from 'commander';
import type { Context } from './context.ts';
import { declareIsoCreate } from './iso/create.ts';
import { declareIsoCustomize } from './iso/customize.ts';
import { declareIsoExtract } from './iso/extract.ts';
import { declareIsoIgnition } from './iso/ignition.ts';
import { declareIsoKargs } from './iso/kargs.ts';
import { declareIsoNetwork } from './iso/network.ts';
import { declareIsoReset } from './iso/reset.ts';

export function declareIso(program: Command, context: Context): void {
  const iso = program.command('iso').description('Customise live ISOs of CoreOS.');
  declareIsoCustomize(iso, context);
  declareIsoIgnition(iso, context);
  declareIsoNetwork(iso, context);
  declareIsoKargs(iso, context);
  declareIsoExtract(iso, context);
  declareIsoReset(iso, context);
  declareIsoCreate(iso, context);
}
