/** The tree of commands as data, read back from what is declared: for completion scripts and manual pages. */

import { EventEmitter } from 'node:events';
import type { Argument, Command, Option } from 'commander';
import { printAllHelp } from '../io/commandLine.ts';

export interface CommandDescription {
  /** The words of the command line, the program first: `['ironic-coreos', 'iso', 'kargs']`. */
  readonly words: readonly string[];
  /** Half a line. */
  readonly summary: string;
  /** Some lines, not wrapped. */
  readonly purpose: string;
  /** As the first line of the help has it, without the words. */
  readonly usage: string;
  readonly arguments: readonly ArgumentDescription[];
  /** All that are shown, in the order of the help. */
  readonly options: readonly OptionDescription[];
  /** Those of a group that are shown. */
  readonly commands: readonly CommandDescription[];
  /** What stands at the end of the help, wrapped. */
  readonly notes: string;
}

export interface ArgumentDescription {
  /** Without brackets: `ISO`. */
  readonly name: string;
  readonly text: string;
  readonly value: Value;
  readonly isRepeated: boolean;
}

export interface OptionDescription {
  /** `-o`. */
  readonly short: string | undefined;
  /** `--output`. */
  readonly long: string;
  /** `<path>`; undefined where none is taken. */
  readonly placeholder: string | undefined;
  readonly text: string;
  /** The heading that it stands below. */
  readonly group: string;
  readonly value: Value;
  readonly isRepeated: boolean;
}

/** What may be typed: nothing that is known, the name of a file or a folder, or one of these words. */
export type Value = 'any' | 'file' | 'folder' | readonly string[];

/** The command itself and all below it. */
export function withDescendants(command: CommandDescription): CommandDescription[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** Describes a command with all below it that is shown in the help. */
export function describeCommand(command: Command, parents: readonly string[] = []): CommandDescription {
  const help = printAllHelp(command).createHelp();
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
