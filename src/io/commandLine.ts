/**
 * Declares commands: their context, their options, and groups of commands as tables. To declare all options of all
 * commands takes longer than to validate a config, so only the command that the command line names is declared.
 */

import type { OutputChoice } from './report/outputChoice.ts';
import type { ExitCode, Io } from './io.ts';
import { type Command, Option } from 'commander';

export interface Context {
  /** Streams and environment of the process. */
  readonly io: Io;
  /** The arguments of the command to declare; `unknown` declares all commands. */
  readonly args: readonly string[] | 'unknown';
  /** Receives what commander prints on standard output: help and version. It is written after the command line is parsed. */
  readonly print: (text: string) => void;
  /** Receives the exit code of the command that ran. */
  finish(code: ExitCode): void;
  /** Receives the values of the global options; if undefined, these are not declared. */
  readonly chosen?: OutputChoice;
}

/** The commands of a group, by their names. */
export type CommandTable = Readonly<Record<string, TableEntry>>;

type TableEntry = {
  /** Its line in the help of the group above. It is also the description of the command until `declare` sets another. */
  readonly summary: string;
  /** The heading above that line, and above the lines that follow. Default: `Commands:`. */
  readonly group?: string;
  /** The command works but is not in the help of its group. */
  readonly hidden?: boolean;
} & (
  | { readonly declare: Declare }
  /** Loads the code that declares the command only for that command. */
  | { readonly load: () => Promise<Declare> }
);

/** Adds arguments, options and action to a command, or its commands to a group. */
type Declare = (command: Command, context: Context) => void | Promise<void>;

/**
 * Adds the commands of the table to their group. If the arguments name one of them, only that command is added, with its
 * options. Otherwise all are added without options, for the help and for suggestions; with unknown arguments, all with options.
 */
export async function declareTable(parent: Command, table: CommandTable, context: Context): Promise<void> {
  const wantsAll = context.args === 'unknown';
  const args = wantsAll ? [] : [...context.args];
  while (args[0] === '--') args.shift();
  const asked = args.shift() ?? '';
  const isKnown = Object.hasOwn(table, asked);
  let heading = 'Commands:';
  for (const [name, entry] of Object.entries(table)) {
    const { summary, group = heading, hidden = false } = entry;
    heading = group;
    if (isKnown && name !== asked) continue;
    const command = parent.command(name, { hidden }).summary(summary).description(summary).helpGroup(group);
    if (!isKnown && !wantsAll) continue;
    const declare = 'load' in entry ? await entry.load() : entry.declare;
    await declare(command, isKnown ? { ...context, args } : context);
  }
}

/** An option with a fixed list of values. The description must name these values and mark the default. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
}

/** The descriptions of options, by their flags. An option with `list` is repeatable, and its values form a list. */
type OptionTable = Readonly<Record<string, string | { readonly list: string }>>;

export function declareOptions(command: Command, options: OptionTable): Command {
  for (const [flags, text] of Object.entries(options)) {
    command.addOption(
      typeof text === 'string' ? new Option(flags, text) : repeated(flags, `${text.list}; repeatable`),
    );
  }
  return command;
}

/** An option that may be given several times; its values form a list. */
export function repeated(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((value: string, values: readonly string[] | undefined) => [
    ...(values ?? []),
    value,
  ]);
}

/** Makes it a usage error to give an option twice, except options whose values form a list. */
export function refuseRepeatedOptions(command: Command): Command {
  for (const option of command.options) {
    if (option.parseArg !== undefined && option.argChoices === undefined) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' cannot be used multiple times`);
      isGiven = true;
    });
  }
  return command;
}

/** Receives the arguments of the command line and then its options, in the form that commander passes them. */
type Run = (...given: Parameters<Parameters<Command['action']>[0]>) => Promise<ExitCode>;

/**
 * Completes the declaration of a command.
 * @param notes text at the end of the help: exit codes and examples
 */
export function declareRun(command: Command, notes: string, run: Run, context: Context): void {
  command.addHelpText('after', notes).action(async (...given) => context.finish(await run(...given)));
  refuseRepeatedOptions(command);
}

/**
 * The action of a command whose function takes its arguments as options.
 * @param names of the options for the arguments, in their order
 * @param load loads the function that runs the command
 */
export function argumentRun<O>(
  names: readonly (keyof O & string)[],
  { io }: Context,
  load: () => Promise<(options: O, io: Io) => Promise<ExitCode>>,
): Run {
  return async (...given) => {
    const values = Object.fromEntries(names.map((name, index) => [name, given[index]]));
    return (await load())({ ...given[names.length], ...values }, io);
  };
}

/** The long names of the options that `--help` prints. `--help-all` and the manual page have all options. */
export const shortHelps = new WeakMap<Command, readonly string[]>();

/**
 * Gives a command with many options a short help.
 * @param common the long names of the options that most users need; all others are only in `--help-all`
 * @param reference sections of the help that are only in `--help-all`
 */
export function declareShortHelp(command: Command, common: readonly string[], reference = ''): void {
  shortHelps.set(command, common);
  command.addHelpText('after', () => (printsAll(command) ? reference.trimEnd() : moreHelp(command)));
}

function moreHelp(command: Command): string {
  const names = [];
  for (let it: Command | null = command; it !== null; it = it.parent) names.unshift(it.name());
  return `\nRun '${names.join(' ')} --help-all' for all options and the reference`;
}

/** Whether the help of the command prints this option. */
export function isInHelp(command: Command, option: Option): boolean {
  const common = shortHelps.get(command);
  const isGlobal = option.helpGroupHeading === GLOBAL_OPTIONS;
  return common === undefined || printsAll(command) || isGlobal || common.includes(option.long ?? '');
}

/** Makes the help of the command print all options and the reference. */
export function printAllHelp(command: Command): Command {
  return command.setOptionValue('helpAll', true);
}

function printsAll(command: Command): boolean {
  return command.getOptionValue('helpAll') === true;
}

/** The heading of the global options in the help. */
export const GLOBAL_OPTIONS = 'Global options:';

/** The help of `--files-dir`. */
export const FILES_DIR = 'folder of the local files of Butane configs (default: no local file is read)';

/** The exit codes in the help of most commands. */
export const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: an input is missing or invalid, or the result cannot be written
  2  usage error
`;
