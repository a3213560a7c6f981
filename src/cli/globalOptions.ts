/** The global options, their place on the command line, and the form of the help. */

import { type Command, Help, Option } from 'commander';
import { namedCommand } from './arguments.ts';
import { parseChoice } from '../io/report/choices.ts';
import type { Io } from '../io/io.ts';
import type { OutputChoice } from '../io/report/outputChoice.ts';
import {
  choice,
  type Context,
  GLOBAL_OPTIONS,
  isInHelp,
  printAllHelp,
  shortHelps,
} from '../io/commandLine.ts';

/** Declares the global options. A command that already has an option of the same name keeps its own. */
function declareGlobalOptions(command: Command, chosen: OutputChoice): void {
  const options: readonly (readonly [Option, (value: string) => void])[] = [
    [
      choice('--color <when>', 'when to print colors: auto, always or never (default: auto)', COLORS),
      (when) => (chosen.color = parseChoice('--color', when, COLORS) ?? 'auto'),
    ],
    [new Option('--quiet', 'print errors only'), () => (chosen.level = 'errors')],
    [new Option('--ignore <ids>', IGNORE_HELP), (ids) => (chosen.ignored = [...chosen.ignored, ids])],
    [new Option('--verbose', VERBOSE_HELP), () => (chosen.level = 'verbose')],
    [new Option('--debug', 'same as --verbose, with stack traces of errors'), () => (chosen.level = 'debug')],
  ];
  for (const [option, take] of options) {
    if (command.options.some(({ long }) => long === option.long)) continue;
    command.addOption(option.helpGroup(GLOBAL_OPTIONS));
    command.on(`option:${option.name()}`, take);
  }
}

const IGNORE_HELP = 'comma-separated IDs of rules to ignore; repeatable';
const VERBOSE_HELP =
  'print the files that are read and why, the causes of errors, and each host of a problem';

const COLORS = ['auto', 'always', 'never'] as const;

/** A command line in the order in which commander parses it, and the program that parses it. */
interface PlacedOptions {
  /** The global options before the command, and those between a group and its command. */
  readonly leading: readonly string[];
  /** The other arguments, starting with the names of group and command. */
  readonly rest: readonly string[];
  readonly program: Command;
}

/**
 * Moves global options after the name of a group to the front (`iso --verbose kargs show`). A group cannot have options,
 * because commander would not pass them on to its commands. `iso help kargs` becomes `iso kargs --help`.
 * @param declareFor declares the program for arguments that begin with the name of a command
 */
export async function placeGlobalOptions(
  args: readonly string[],
  declareFor: (rest: readonly string[]) => Promise<Command>,
): Promise<PlacedOptions> {
  const { leading, rest } = splitGlobalOptions(args);
  const program = await declareFor(rest);
  const named = namedCommand(program, rest);
  const isGroup = named.command.commands.length > 0;
  // The number of names of groups at the beginning.
  const count = isGroup ? named.count : Math.max(named.count - 1, 0);
  const behind = splitGlobalOptions(rest.slice(count));
  const asked = behind.rest[0] === 'help' ? namesToExplain(behind.rest.slice(1)) : undefined;
  if (behind.leading.length === 0 && asked === undefined) return { leading, rest, program };
  const tail = asked === undefined ? behind.rest : [...asked, '--help'];
  return placeGlobalOptions([...leading, ...behind.leading, ...rest.slice(0, count), ...tail], declareFor);
}

/** The names after `help`; undefined if options of `help` follow. */
function namesToExplain(names: readonly string[]): readonly string[] | undefined {
  const [first = ''] = splitGlobalOptions(names).rest;
  if (first.startsWith('-') && first !== '--') return undefined;
  return names.filter((name) => name !== '--');
}

/** Splits the arguments before the name of the command. */
export function splitGlobalOptions(args: readonly string[]): {
  readonly leading: readonly string[];
  readonly rest: readonly string[];
} {
  let end = 0;
  for (let arg = args[0]; arg !== undefined && LEADING.test(arg); arg = args[end])
    end += arg === '--color' || arg === '--ignore' ? 2 : 1;
  return { leading: args.slice(0, end), rest: args.slice(end) };
}

const LEADING = /^--(?:quiet|verbose|debug|(?:color|ignore)(?:=.*)?)$/s;

/** Adds global options and the form of the help to a declared command and all commands below it. */
export function prepareCommands(command: Command, context: Context): void {
  const { io, chosen, print } = context;
  for (const child of command.commands) prepareCommands(child, context);
  command
    .exitOverride()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'print the help').helpGroup(GLOBAL_OPTIONS))
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (child) => child.name(), // scripts read one line per command
      optionDescription: ({ defaultValue, description, required }) =>
        required && typeof defaultValue === 'string'
          ? `${description} (default: ${defaultValue})`
          : description,
      visibleOptions: (shown) => new Help().visibleOptions(shown).filter((option) => isInHelp(shown, option)),
    })
    .configureOutput({
      getOutHelpWidth: () => helpWidth(io.env),
      getErrHelpWidth: () => helpWidth(io.env),
      getOutHasColors: () => false, // by default commander asks the streams of Node
      getErrHasColors: () => false,
      writeOut: print,
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined, // main.ts reports all errors
    });
  if (command.parent !== null && command.commands.length > 0) {
    command.addHelpText('after', () => `\nRun '${pathOf(command)} COMMAND --help' for help on a command.\n`);
    return; // a group would consume the options of its commands
  }
  // Every command accepts `--help-all`; the help shows it only where it prints more than `--help`.
  const helpAll = new Option('--help-all', 'print the help with all options').helpGroup(GLOBAL_OPTIONS);
  command.addOption(helpAll.hideHelp(!shortHelps.has(command)));
  command.on(`option:${helpAll.name()}`, () => printAllHelp(command).help());
  if (chosen !== undefined) declareGlobalOptions(command, chosen);
}

/** COLUMNS, which users and shells set, or 80. Options and their descriptions need half of that. */
function helpWidth({ COLUMNS = '' }: Io['env']): number {
  return /^\d{2,4}$/.test(COLUMNS) ? Math.max(40, Number(COLUMNS)) : 80;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
