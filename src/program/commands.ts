/** The command tree: names, options and help texts. What a command does is in `commands/`, loaded when it runs. */

import { Command } from 'commander';
import type { Context } from './context.ts';
import { declareDeploy } from './deploy.ts';
import { declareDev } from './dev.ts';
import { declareDownload, declareListStream } from './download.ts';
import { declareExplain } from './explain.ts';
import { declareIgnition } from './ignition.ts';
import { declareInspect } from './inspect.ts';
import { declareIso } from './iso.ts';
import { declarePack } from './pack.ts';
import { declarePrepare } from './prepare.ts';
import { declarePxe } from './pxe.ts';
import { declareQuickstart } from './quickstart.ts';
import { declareRender } from './render.ts';
import { declareValidate } from './validate.ts';

type Declare = (program: Command, context: Context) => void;

/** By the name of the command or group, in the order in which a newcomer meets them. */
const declarations: readonly (readonly [name: string, declare: Declare])[] = [
  ['quickstart', declareQuickstart],
  ['render', declareRender],
  ['validate', declareValidate],
  ['explain', declareExplain],
  ['inspect', declareInspect],
  ['ignition', declareIgnition],
  ['download', declareDownload],
  ['list-stream', declareListStream],
  ['iso', declareIso],
  ['pxe', declarePxe],
  ['deploy', declareDeploy],
  ['prepare', declarePrepare],
  ['dev', declareDev],
  ['pack', declarePack],
];

/**
 * The program with its commands. Declaring them all takes longer than checking a config, so if `asked`, the first
 * argument, is a command, only that one is declared; help and suggestions for anything else need all.
 */
export function declareCommands(context: Context, asked?: string): Command {
  const program = new Command('ironic-coreos')
    .description('Prepares CoreOS to run ironic-python-agent.')
    .version('0.1.0', '-V, --version', 'print the version')
    .enablePositionalOptions(); // of a command, --version is a mistake
  const meant = declarations.filter(([name]) => name === asked);
  for (const [, declare] of meant.length > 0 ? meant : declarations) declare(program, context);
  return program;
}
