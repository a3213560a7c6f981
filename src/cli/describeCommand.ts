/** The tree of commands as data, for completion scripts and manual pages. */

import { EventEmitter } from 'node:events';
import type { Command, Option } from 'commander';
import { printAllHelp } from '../io/commandLine.ts';

export interface CommandDescription {
  /** The words of the command line, starting with the program: `['ironic-coreos', 'iso', 'kargs']`. */
  readonly words: readonly string[];
  /** Its line in the help of the group above. */
  readonly summary: string;
  /** The description: some sentences, not wrapped. */
  readonly purpose: string;
  /** The first line of the help, without the words of the command. */
  readonly usage: string;
  readonly arguments: readonly ArgumentDescription[];
  /** All options that are not hidden, in the order of the help. */
  readonly options: readonly OptionDescription[];
  /** The commands of a group that are not hidden. */
  readonly commands: readonly CommandDescription[];
  /** The notes at the end of the help, wrapped. */
  readonly notes: string;
}

interface ArgumentDescription {
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
  /** `<path>`; undefined for an option without a value. */
  readonly placeholder: string | undefined;
  readonly text: string;
  /** The heading above it in the help. */
  readonly group: string;
  readonly value: Value;
  readonly isRepeated: boolean;
}

/**
 * The values that a shell can complete: any text, the name of a file or a folder, a host of the inventory, an ID that `explain`
 * knows or a comma-separated list of them, or one of these words.
 */
export type Value = 'any' | 'file' | 'folder' | 'host' | 'id' | 'ids' | readonly string[];

/** The command and all commands below it. */
export function withDescendants(command: CommandDescription): CommandDescription[] {
  return [command, ...command.commands.flatMap(withDescendants)];
}

/** Describes a command and all commands below it that are not hidden. */
export function describeCommand(command: Command, parents: readonly string[] = []): CommandDescription {
  const help = printAllHelp(command).createHelp();
  const words = [...parents, command.name()];
  return {
    words,
    summary: command.summary() || command.description(),
    purpose: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => {
      const { argChoices, description: text, variadic: isRepeated } = argument;
      const name = argument.name();
      return { name, text, value: argChoices ?? valueOf(name, ''), isRepeated };
    }),
    options: help
      .visibleOptions(command)
      .map((option) => describeOption(option, help.optionDescription(option))),
    commands: help.visibleCommands(command).map((child) => describeCommand(child, words)),
    notes: notesOf(command),
  };
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

/** Guesses the kind of value from the placeholder and the name of the option. */
function valueOf(placeholder: string, flags: string): Value {
  if (placeholder === 'ID') return 'id';
  if (placeholder === '<ids>') return 'ids';
  if (/--once|--host <name>/i.test(flags)) return 'host';
  if (/folder/i.test(placeholder) || /--(?:\w+-)?dir/.test(flags)) return 'folder';
  return /file|path|iso|image|initr|parent|child|other/i.test(placeholder) ? 'file' : 'any';
}

/** Commander keeps texts that were added to the help only in the listeners of this event. */
function notesOf(command: Command): string {
  let notes = '';
  if (command instanceof EventEmitter)
    command.emit('afterHelp', { error: false, command, write: (text: string) => (notes += text) });
  return notes;
}
