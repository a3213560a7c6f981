/** Reads the declared tree of commands back, for what is made of it: completion scripts and manual pages. */

import { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import type {
  ArgumentDescription,
  CommandDescription,
  OptionDescription,
  Value,
} from './commandDescription.ts';

/** Describes a command with all below it that is shown in the help. */
export function describeCommand(command: Command, parents: readonly string[] = []): CommandDescription {
  const help = command.createHelp();
  const words = [...parents, command.name()];
  return {
    words,
    summary: command.summary() || command.description(),
    purpose: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map(describeArgument),
    options: help
      .visibleOptions(command)
      .map((option) => describeOption(option, help.optionDescription(option))),
    commands: help.visibleCommands(command).map((child) => describeCommand(child, words)),
    notes: notesOf(command),
  };
}

function describeArgument(argument: Argument): ArgumentDescription {
  const { argChoices, description: text, variadic: isRepeated } = argument;
  const name = argument.name();
  return { name, text, value: argChoices ?? valueOf(name, ''), isRepeated };
}

function describeOption(option: Option, text: string): OptionDescription {
  const { argChoices, flags, helpGroupHeading, long, parseArg, short } = option;
  const placeholder = /[<[].*[>\]]$/.exec(flags)?.[0];
  return {
    short,
    long: long ?? flags,
    placeholder,
    text,
    group: helpGroupHeading ?? 'Options:',
    value: argChoices ?? valueOf(placeholder ?? '', flags),
    isRepeated: parseArg !== undefined && argChoices === undefined,
  };
}

/** By the word that stands for it in the help, and by the name of the option. */
function valueOf(placeholder: string, flags: string): Value {
  if (/folder/i.test(placeholder) || /--(?:\w+-)?dir/.test(flags)) return 'folder';
  return /file|path|iso|image|initr|parent|child|other|deployed/i.test(placeholder) ? 'file' : 'any';
}

/** What was added to the help is nowhere but in what listens for it. */
function notesOf(command: Command): string {
  let notes = '';
  if (command instanceof EventEmitter)
    command.emit('afterHelp', { error: false, command, write: (text: string) => (notes += text) });
  return notes;
}
