/**
 * Declares commands: their context, their options, and groups of commands as tables. Declaring all options of all commands
 * takes longer than checking a config, so only the commands in the command line are declared.
 */

import type { OutputChoice } from './report/report.ts';
import type { ExitCode, Io } from './io.ts';
import { type Command, Option } from 'commander';

export interface Context {
  /** Streams and environment for the command. */
  readonly io: Io;
  /** The arguments of the declared command; if unknown, all commands are declared. */
  readonly args: readonly string[] | 'unknown';
  /** Receives the standard output of commander: help and version. It is written after the command line is parsed. */
  readonly print: (text: string) => void;
  /** Receives the exit code of the command. */
  finish(code: ExitCode): void;
  /** Receives the values of the global options; absent without them. */
  readonly chosen?: OutputChoice;
}

export interface TableEntry {
  readonly name: string;
  /** Its line in the help of the group, and the first line of its own help. */
  readonly summary: string;
  /** Not shown in the help of the group. */
  readonly hidden?: boolean;
  /** Adds arguments, options and action, or the commands of a group. */
  readonly declare: (command: Command, context: Context) => void | Promise<void>;
}

/**
 * Adds the commands to their group: only the command in the arguments, or all commands without their options, for help and
 * suggestions.
 */
export async function declareTable(
  group: Command,
  table: readonly TableEntry[],
  context: Context,
): Promise<void> {
  const { args } = context;
  if (args === 'unknown') {
    for (const entry of table) await entry.declare(addCommand(group, entry), context);
    return;
  }
  const position = args.findIndex((arg) => arg !== '--');
  const named = table.find(({ name }) => name === args[position]);
  if (named !== undefined) {
    await named.declare(addCommand(group, named), { ...context, args: args.slice(position + 1) });
  } else {
    for (const entry of table) addCommand(group, entry);
  }
}

function addCommand(group: Command, { name, summary, hidden = false }: TableEntry): Command {
  return group.command(name, { hidden }).summary(summary).description(summary);
}

/** The description must list the values and the default. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
}

/** A repeatable option; its values form a list. */
export function repeated(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((value: string, values: readonly string[] | undefined) => [
    ...(values ?? []),
    value,
  ]);
}

/** Rejects repeated options, except for repeatable ones. */
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

/** Receives the arguments of the command line, then its options, from commander. */
type Run = (...given: Parameters<Parameters<Command['action']>[0]>) => Promise<ExitCode>;

/** Completes the declaration of a command with the notes below its help and its action. */
export function declareRun(command: Command, notes: string, run: Run, context: Context): void {
  command.addHelpText('after', notes).action(async (...given) => context.finish(await run(...given)));
  refuseRepeatedOptions(command);
}

/** Options and text that `--help` omits; `--help-all` and the manual page contain them. */
interface ShortHelp {
  /** The long names of the options that most users need: `--api-url`. */
  readonly common: ReadonlySet<string>;
}

const shortHelps = new WeakMap<Command, ShortHelp>();

/**
 * Gives a command with many options a short help.
 * @param common the long names of the options that most users need; all others are only in `--help-all`
 * @param reference sections of the help that are only in `--help-all`
 */
export function declareShortHelp(command: Command, common: readonly string[], reference = ''): void {
  shortHelps.set(command, { common: new Set(common) });
  command.addHelpText('after', () => (printsAll(command) ? reference.trimEnd() : moreHelp(command)));
}

function moreHelp(command: Command): string {
  const names = [];
  for (let it: Command | null = command; it !== null; it = it.parent) names.unshift(it.name());
  return `\nRun '${names.join(' ')} --help-all' for all options and the reference`;
}

/** Whether the help of the command has this option. */
export function isInHelp(command: Command, option: Option): boolean {
  const short = shortHelps.get(command);
  return short === undefined || printsAll(command) || isGlobal(option) || short.common.has(option.long ?? '');
}

/** Whether the command has a short help beside the full one. */
export function hasShortHelp(command: Command): boolean {
  return shortHelps.has(command);
}

/** Makes the help of the command show all options. */
export function printAllHelp(command: Command): Command {
  return command.setOptionValue('helpAll', true);
}

function printsAll(command: Command): boolean {
  return command.getOptionValue('helpAll') === true;
}

/** The heading of the options that all commands have. */
export const GLOBAL_OPTIONS = 'Global options:';

function isGlobal(option: Option): boolean {
  return option.helpGroupHeading === GLOBAL_OPTIONS;
}

/** The help text for the default exit codes. */
export const EXIT_CODES = `
Exit codes:
  0  success
  1  failure: an input is missing or invalid, or the output cannot be written
  2  usage error
`;
