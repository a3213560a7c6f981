/** The command tree: names, options and help texts. What a command does is in `commands/`, loaded when it runs. */

import { Command } from 'commander';
import type { CommandDescription } from './commandDescription.ts';
import { type Context, declareTable, type TableEntry } from '../io/commandLine.ts';
import { tellingCommands } from './completion/command.ts';
import { declareController } from '../controller/command.ts';
import { declareDeploy } from '../deploy/command.ts';
import { describeCommand } from './describeCommand.ts';
import { declareDev } from '../dev/command.ts';
import { declareDownload, declareListStream } from '../download/command.ts';
import { declareExplain } from '../validate/explain/command.ts';
import { declareIgnition } from '../merge/command.ts';
import { declareInspect } from '../inspect/command.ts';
import { declareIso } from '../iso/command.ts';
import { declarePack } from '../pack/command.ts';
import { declarePrepare } from '../prepare/command.ts';
import { prepareCommands } from './configureHelp.ts';
import { declarePxe } from '../pxe/command.ts';
import { declareQuickstart } from '../quickstart/command.ts';
import { declareRender } from '../render/command.ts';
import { declareServe } from '../serve/command.ts';
import { declareTry } from '../try/command.ts';
import { declareValidate } from '../validate/command.ts';

/** In the order in which a newcomer meets them. */
const TABLE: readonly TableEntry[] = [
  { name: 'quickstart', summary: 'try everything once, with nothing at hand', declare: declareQuickstart },
  {
    name: 'render',
    summary: 'render the Ignition config that runs ironic-python-agent',
    declare: declareRender,
  },
  { name: 'validate', summary: 'check Ignition configs as Ignition would', declare: declareValidate },
  { name: 'explain', summary: 'say what a rule of validate means', declare: declareExplain },
  { name: 'inspect', summary: 'say what an image is and what it would boot', declare: declareInspect },
  {
    name: 'ignition',
    summary: 'Merge Ignition configs, or change their version.',
    declare: declareIgnition,
  },
  { name: 'download', summary: 'download a CoreOS image, checked', declare: declareDownload },
  { name: 'list-stream', summary: 'list the images of a stream', declare: declareListStream },
  { name: 'iso', summary: 'Customise live ISOs of CoreOS.', declare: declareIso },
  { name: 'pxe', summary: 'Prepare network boot of the ramdisk.', declare: declarePxe },
  {
    name: 'deploy',
    summary: 'Write what Ironic and Metal3 need to install hosts.',
    declare: declareDeploy,
  },
  {
    name: 'prepare',
    summary: 'make a folder for a web server from which hosts boot the agent',
    declare: declarePrepare,
  },
  {
    name: 'serve',
    summary: 'serve each host its own image from one shared copy',
    declare: declareServe,
  },
  {
    name: 'try',
    summary: 'play Ironic, and tell how far a ramdisk comes',
    declare: declareTry,
  },
  {
    name: 'controller',
    summary: 'make the images that a Metal3 cluster asks for',
    declare: declareController,
  },
  {
    name: 'dev',
    summary: 'Look into images; may change at any time.',
    hidden: true,
    declare: declareDev,
  },
  { name: 'pack', summary: 'Prepare live ISOs as they are built.', hidden: true, declare: declarePack },
];

const NOTES = `
Data go to standard output, everything else to standard error.
Of one command: ironic-coreos COMMAND --help

Exit codes:
  0  done, or valid
  1  failed, or not valid
  2  the command line is wrong

Environment:
  NO_COLOR, FORCE_COLOR  as --color never and --color always

Examples:
  ironic-coreos quickstart
  ironic-coreos render --api-url https://192.0.2.1 -o ironic-agent.ign
  ironic-coreos iso ignition embed -i ironic-agent.ign coreos.iso
`;

/** The program with those of its commands that the arguments ask for. */
export function declareCommands(context: Context): Command {
  const program = new Command('ironic-coreos')
    .description('Prepares CoreOS to run ironic-python-agent.')
    .version('0.1.0', '-V, --version', 'print the version')
    .enablePositionalOptions() // of a command, --version is a mistake
    .addHelpText('after', NOTES);
  const describe = (): CommandDescription =>
    describeCommand(declareCommands({ ...context, args: 'unknown' }));
  declareTable(program, [...TABLE, ...tellingCommands(describe)], context);
  prepareCommands(program, context);
  return program;
}
