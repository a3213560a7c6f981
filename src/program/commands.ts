/** The command tree: names, options and help texts. What a command does is in `commands/`, loaded when it runs. */

import { Command } from 'commander';
import type { ExitCode, Io } from '../io/io.ts';
import { declareIgnition } from './ignition.ts';
import { declareIso } from './iso.ts';
import { declarePxe } from './pxe.ts';
import { declareQuickstart } from './quickstart.ts';
import { declareRender } from './render.ts';
import { declareValidate } from './validate.ts';

/** In the order in which a newcomer meets them. */
const declarations = [
  declareQuickstart,
  declareRender,
  declareValidate,
  declareIgnition,
  declareIso,
  declarePxe,
];

export function declareCommands(io: Io, finish: (code: ExitCode) => void): Command {
  const program = new Command('ironic-coreos')
    .description('Prepares CoreOS to run ironic-python-agent.')
    .version('0.1.0', '-V, --version', 'print the version');
  for (const declare of declarations) declare(program, { io, finish });
  return program;
}
