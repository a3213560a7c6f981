/** The commands for Ignition configs as documents. */

import type { Command } from 'commander';
import type { MergeOptions, TranslateOptions } from './merge.ts';
import { type Context, EXIT_CODES, declareRun } from '../io/commandLine.ts';

const mergeNotes = `
Each config is checked, translated to the newest version among them, and merged
over those before it. Warnings say what a later config takes over or removes
without saying so. Configs that ignition.config refers to are not fetched.
A merged config that is not valid is printed, but not written to a file.
${EXIT_CODES}
Examples:
  ironic-coreos ignition merge agent.ign site.ign > worker.ign
  ironic-coreos render --api-url https://192.0.2.1 |
    ironic-coreos ignition merge - site.ign -o worker.ign
`;

const translateNotes = `
To a newer version as Ignition translates on boot; what that loses is warned
about. To an older version only if it can say the same: everything that it
does not know or would refuse is reported.
${EXIT_CODES}
Examples:
  ironic-coreos ignition translate --to 3.4.0 worker.ign
  butane worker.bu | ironic-coreos ignition translate --to 3.2.0 - -o worker.ign
`;

export function declareIgnition(ignition: Command, context: Context): void {
  declareMerge(ignition, context);
  declareTranslate(ignition, context);
}

function declareMerge(ignition: Command, context: Context): void {
  const command = ignition
    .command('merge')
    .summary('merge Ignition configs as Ignition would')
    .description('Merges Ignition configs into one, as Ignition would on boot.')
    .argument('<PARENT>', 'Ignition config; - is standard input')
    .argument('<CHILD...>', 'configs to merge over it, in this order')
    .option('--to <VERSION>', 'version of the result (default: the newest of the configs)');
  const run = async (parent: string, children: readonly string[], options: Omit<MergeOptions, 'files'>) =>
    (await import('./merge.ts')).merge({ ...options, files: [parent, ...children] }, context.io);
  declareRun(declareOutput(command), mergeNotes, run, context);
}

function declareTranslate(ignition: Command, context: Context): void {
  const command = ignition
    .command('translate')
    .summary('write an Ignition config in another version of the spec')
    .description('Translates an Ignition config to another version of the spec, newer or older.')
    .argument('<FILE>', 'Ignition config; - is standard input')
    .requiredOption('--to <VERSION>', 'version of the spec, from 3.0.0 to 3.6.0, or 3.7.0-experimental');
  const run = async (file: string, options: Omit<TranslateOptions, 'file'>) =>
    (await import('./merge.ts')).translate({ ...options, file }, context.io);
  declareRun(declareOutput(command), translateNotes, run, context);
}

function declareOutput(command: Command): Command {
  return command
    .option('-o, --output <FILE>', 'write here, whole or not at all, instead of to standard output')
    .option('--pretty', 'indent the JSON');
}
