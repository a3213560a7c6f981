/** Declares `iso kargs`. */

import type { Command } from 'commander';
import {
  choice,
  type Context,
  declareTable,
  EXIT_CODES,
  refuseRepeatedOptions,
  repeated,
  type TableEntry,
} from '../../io/commandLine.ts';
import { declareResult, ISO, type ResultOptions } from '../../customize/outputOptions.ts';

const MODIFY_NOTES = `
Arguments are deleted first, then appended, then replaced, in whatever order the
options are given. Text is replaced and nothing is parsed: only whole arguments
are deleted, and "a b" deletes two in a row. A replacement has two "=": delete
and append where a value is empty or holds one. What finds nothing to delete or
to replace is a warning.
${EXIT_CODES}
Examples:
  ironic-coreos iso kargs modify -a console=ttyS0,115200n8 coreos.iso
  ironic-coreos iso kargs modify -d mitigations=auto,nosmt \\
    -r ignition.platform.id=metal=openstack -o ipa.iso coreos.iso
`;

const RESET_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos iso kargs reset coreos.iso
`;

const SHOW_NOTES = `
JSON has "current", "default", the "length" of the reserved area in bytes, and
how much of it is "free".
${EXIT_CODES}
Examples:
  ironic-coreos iso kargs show coreos.iso
  ironic-coreos iso kargs show --format json coreos.iso | jq .free
`;

const TABLE: readonly TableEntry[] = [
  { name: 'modify', summary: 'append, delete and replace kernel arguments', declare: declareModify },
  { name: 'reset', summary: 'put the default kernel arguments back', declare: declareReset },
  { name: 'show', summary: 'print the kernel arguments', declare: declareShow },
];

export function declareIsoKargs(kargs: Command, context: Context): void {
  declareTable(kargs, TABLE, context);
}

interface ModifyOptions extends ResultOptions {
  readonly append?: readonly string[];
  readonly delete?: readonly string[];
  readonly replace?: readonly string[];
}

function declareModify(command: Command, context: Context): void {
  command
    .description('Changes the kernel arguments of a live ISO.')
    .argument('<ISO>', ISO)
    .addOption(repeated('-a, --append <KARG>', 'append an argument; repeatable'))
    .addOption(repeated('-d, --delete <KARG>', 'delete an argument; repeatable'))
    .addOption(repeated('-r, --replace <KARG=OLDVAL=NEWVAL>', 'give an argument a new value; repeatable'));
  declareResult(command)
    .addHelpText('after', MODIFY_NOTES)
    .action(async (iso: string, options: ModifyOptions) => {
      const { modifyKargs } = await import('./modify.ts');
      context.finish(await modifyKargs({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareReset(command: Command, context: Context): void {
  command
    .description('Puts the default kernel arguments back. What is embedded stays.')
    .argument('<ISO>', ISO);
  declareResult(command)
    .addHelpText('after', RESET_NOTES)
    .action(async (iso: string, options: ResultOptions) => {
      const { resetKargs } = await import('./reset.ts');
      context.finish(await resetKargs({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

interface ShowOptions {
  readonly default?: boolean;
  readonly format?: string;
}

function declareShow(command: Command, context: Context): void {
  command
    .description('Prints the kernel arguments that a live ISO boots with.')
    .argument('<ISO>', ISO)
    .option('-d, --default', 'print the default ones')
    .addOption(choice('--format <FORM>', 'text (default) or json', ['text', 'json']))
    .addHelpText('after', SHOW_NOTES)
    .action(async (iso: string, options: ShowOptions) => {
      const { showKargs } = await import('./show.ts');
      context.finish(await showKargs({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}
