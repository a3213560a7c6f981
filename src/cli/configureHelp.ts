/** What all commands of the tree have in common: the form of their help, where it goes, and the global options. */

import { type Command, Option } from 'commander';
import type { Context } from '../io/commandLine.ts';
import { declareGlobalOptions, GLOBAL_OPTIONS } from './globalOptions.ts';

/** Prepares the command and all below it, once they are declared. */
export function prepareCommands(command: Command, context: Context): void {
  prepareCommand(command, context);
  for (const child of command.commands) prepareCommands(child, context);
}

function prepareCommand(command: Command, { io, chosen, print }: Context): void {
  command
    .exitOverride()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup(GLOBAL_OPTIONS))
    .configureHelp({
      subcommandTerm: (child) => child.name(), // scripts read one line a command
      optionDescription: describeOption,
    })
    .configureOutput({
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      getOutHasColors: () => false, // left to commander, these ask the streams of Node
      getErrHasColors: () => false,
      writeOut: print,
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined, // main.ts tells all errors
    });
  if (command.parent !== null && command.commands.length > 0) {
    command.addHelpText('after', () => `\nOf one command: ${pathOf(command)} COMMAND --help\n`);
    return; // it would take the options of its commands for its own
  }
  if (chosen !== undefined && !isNameAlone(command)) declareGlobalOptions(command, chosen);
}

const HELP_WIDTH = 80;

/** Of commands that the command line does not name, nothing else is declared. */
function isNameAlone({ options, registeredArguments }: Command): boolean {
  return options.length === 0 && registeredArguments.length === 0;
}

/** Without the values to choose from, which descriptions tell already. */
function describeOption({ defaultValue, description, required }: Option): string {
  return required && typeof defaultValue === 'string'
    ? `${description} (default: ${defaultValue})`
    : description;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
