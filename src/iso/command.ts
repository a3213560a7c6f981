/** The commands for live ISOs; each group is declared in the folder `iso`. */

import type { Command } from 'commander';
import { type Context, declareTable, type TableEntry } from '../io/commandLine.ts';
import { declareIsoCreate } from './createCommand.ts';
import { declareIsoCustomize } from './customizeCommand.ts';
import { declareIsoExtract } from './extract/command.ts';
import { declareIsoIgnition, DEPRECATED_TABLE } from './ignition/command.ts';
import { declareIsoKargs } from './kargs/command.ts';
import { declareIsoNetwork } from './network/command.ts';
import { declareIsoReset } from './resetCommand.ts';

const TABLE: readonly TableEntry[] = [
  {
    name: 'customize',
    summary: 'customise a live ISO, e.g. to install on its own',
    declare: declareIsoCustomize,
  },
  {
    name: 'ignition',
    summary: 'Embed an Ignition config in a live ISO, print it or take it out.',
    declare: declareIsoIgnition,
  },
  ...DEPRECATED_TABLE,
  {
    name: 'network',
    summary: 'Embed network settings in a live ISO, extract or remove them.',
    declare: declareIsoNetwork,
  },
  {
    name: 'kargs',
    summary: 'Change the kernel arguments of a live ISO, or print them.',
    declare: declareIsoKargs,
  },
  { name: 'extract', summary: 'Extract files from a live ISO.', declare: declareIsoExtract },
  { name: 'reset', summary: 'give an image its original contents back', declare: declareIsoReset },
  { name: 'create', summary: 'make a bootable ISO of a kernel and an initramfs', declare: declareIsoCreate },
];

export function declareIso(iso: Command, context: Context): void {
  declareTable(iso, TABLE, context);
}
