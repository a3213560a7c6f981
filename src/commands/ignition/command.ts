/** Declares `ignition merge`, `ignition translate` and `ignition from-butane`. */

import type { Command } from 'commander';
import { butaneVersions } from '../../butane/versions.ts';
import { nameVersions, specVersions } from '../../ignition/versions.ts';
import type { MergeOptions } from './merge.ts';
import { argumentRun, type Context, EXIT_CODES, declareRun, FILES_DIR } from '../../io/commandLine.ts';

const MERGE_NOTES = `
Each config is validated, translated to the newest version of all configs, and
merged over the previous configs. A warning is printed if a later config changes
or removes an entry of an earlier config implicitly. Configs that are referenced
in ignition.config are not fetched. If the merged config is invalid, it is
printed to standard output, but not written to a file.
${EXIT_CODES}
Examples:
  ironic-coreos ignition merge agent.ign site.ign > worker.ign
  ironic-coreos render --inventory ramdisk.yaml |
    ironic-coreos ignition merge - site.ign -o worker.ign
`;

const TRANSLATE_NOTES = `
To a newer version, the config is translated as Ignition does on boot; a warning
is printed for each loss. To an older version, the config is translated only if
that version supports all its entries; unsupported entries are reported.
${EXIT_CODES}
Examples:
  ironic-coreos ignition translate --to 3.4.0 worker.ign
  ironic-coreos ignition translate --to 3.2.0 worker.bu -o worker.ign
`;

const butaneNotes = `
Translates the variant fcos, versions ${nameVersions(butaneVersions, ' and')}.
Errors and warnings have the line and column of the YAML. All commands that read
an Ignition config also read Butane, and translate it.
${EXIT_CODES}
Examples:
  ironic-coreos ignition from-butane worker.bu > worker.ign
  ironic-coreos ignition from-butane --files-dir files worker.bu -o worker.ign
`;

export function declareIgnition(ignition: Command, context: Context): void {
  declareMerge(ignition, context);
  declareTranslate(ignition, context);
  declareFromButane(ignition, context);
}

function declareMerge(ignition: Command, context: Context): void {
  const command = ignition
    .command('merge')
    .summary('Merge Ignition configs into one config')
    .description('Merge Ignition configs into one config, as Ignition does on boot')
    .argument('<PARENT>', 'Ignition config; "-" is standard input')
    .argument('<CHILD...>', 'configs to merge over the parent, in this order')
    .option('--to <version>', 'spec version of the result (default: the newest version of the configs)');
  const run = async (parent: string, children: readonly string[], options: Omit<MergeOptions, 'files'>) =>
    (await import('./merge.ts')).merge({ ...options, files: [parent, ...children] }, context.io);
  declareRun(declareOutput(command), MERGE_NOTES, run, context);
}

function declareTranslate(ignition: Command, context: Context): void {
  const command = ignition
    .command('translate')
    .summary('Translate an Ignition config to another spec version')
    .description('Translate an Ignition config to a newer or an older version of the spec')
    .argument('<FILE>', 'Ignition config; "-" is standard input')
    .requiredOption('--to <version>', `spec version: ${nameVersions(specVersions)}`);
  const run = argumentRun(['file'], context, async () => (await import('./merge.ts')).translate);
  declareRun(declareOutput(command), TRANSLATE_NOTES, run, context);
}

function declareFromButane(ignition: Command, context: Context): void {
  const command = ignition
    .command('from-butane')
    .summary('Translate a Butane config to Ignition')
    .description('Translate a Butane config to an Ignition config')
    .argument('<FILE>', 'Butane config; "-" is standard input');
  const run = argumentRun(['file'], context, async () => (await import('./merge.ts')).fromButane);
  declareRun(declareOutput(command), butaneNotes, run, context);
}

function declareOutput(command: Command): Command {
  return command
    .option('-d, --files-dir <folder>', FILES_DIR)
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .option('--pretty', 'indent the JSON');
}
