/** What all commands have in common: the global options, where these may be given, and the form of the help. */

import { type Command, Help, Option } from 'commander';
import { UsageError } from '../core/errors.ts';
import type { LogLevel, OutputChoice } from '../io/report/report.ts';
import {
  choice,
  type Context,
  GLOBAL_OPTIONS,
  hasShortHelp,
  isInHelp,
  printAllHelp,
} from '../io/commandLine.ts';

/** Declares them; a command that has one of these names already, as other programs do, keeps its own meaning. */
function declareGlobalOptions(command: Command, chosen: OutputChoice): void {
  const choose = (level: LogLevel) => () => {
    chosen.level = level;
  };
  declare(command, choice('--color <when>', 'auto (default), always or never', COLORS), (when) => {
    chosen.color = parseColor(when);
  });
  declare(command, new Option('--quiet', 'say nothing but errors'), choose('errors'));
  declare(command, new Option('--ignore <ids>', IGNORE_HELP), (rules) => {
    chosen.ignored = [...chosen.ignored, rules];
  });
  declare(command, new Option('--verbose', VERBOSE_HELP), choose('verbose'));
  declare(command, new Option('--debug', 'like --verbose, with stack traces of errors'), choose('debug'));
}

/** Makes ids of what the command line says of rules to ignore. Throws UsageError for one that cannot be turned off. */
export async function settleIgnored(chosen: OutputChoice): Promise<void> {
  if (chosen.ignored.length === 0) return;
  const { parseIgnoredRules } = await import('../io/report/ruleBook.ts');
  chosen.ignored = parseIgnoredRules(chosen.ignored);
}

const IGNORE_HELP = 'do not report these rules; repeatable';
const VERBOSE_HELP = 'print what is read and why, and the causes of errors';

const COLORS = ['auto', 'always', 'never'] as const;

function declare(command: Command, option: Option, take: (value: string) => void): void {
  if (command.options.some(({ long }) => long === option.long)) return;
  command.addOption(option.helpGroup(GLOBAL_OPTIONS));
  command.on(`option:${option.name()}`, take);
}

function parseColor(when: string): OutputChoice['color'] {
  const color = COLORS.find((name) => name === when);
  if (color !== undefined) return color;
  throw new UsageError(`--color: unknown value ${JSON.stringify(when)}`, {
    hint: `use one of ${COLORS.join(', ')}`,
  });
}

/** A command line as it is to be parsed, and the program that parses it. */
interface PlacedOptions {
  /** Those before the name of a command or between the names of a group and of its command. */
  readonly leading: readonly string[];
  /** The rest, which begins with the names. */
  readonly rest: readonly string[];
  readonly program: Command;
}

/**
 * Takes the global options to the front that stand behind the name of a group (`iso --verbose kargs show`): a group has
 * no options of its own, as these would be taken for those of its commands. `iso help kargs` becomes `iso kargs --help`.
 * @param declareFor makes the program for arguments that begin with the name of a command
 */
export async function placeGlobalOptions(
  args: readonly string[],
  declareFor: (rest: readonly string[]) => Promise<Command>,
): Promise<PlacedOptions> {
  const { leading, rest } = splitGlobalOptions(args);
  const program = await declareFor(rest);
  const count = countGroups(rest, program);
  const behind = splitGlobalOptions(rest.slice(count));
  const asked = namesToExplain(behind.rest);
  if (behind.leading.length === 0 && asked === undefined) return { leading, rest, program };
  const tail = asked === undefined ? behind.rest : [...asked, '--help'];
  return placeGlobalOptions([...leading, ...behind.leading, ...rest.slice(0, count), ...tail], declareFor);
}

/** The names behind `help`; undefined without that word, or with options for `help` itself. */
function namesToExplain([word, ...names]: readonly string[]): readonly string[] | undefined {
  const [first = ''] = splitGlobalOptions(names).rest;
  const isOwnOption = first.startsWith('-') && first !== '--';
  return word === 'help' && !isOwnOption ? names.filter((name) => name !== '--') : undefined;
}

/** How many of the first arguments are names of groups. */
function countGroups(args: readonly string[], program: Command): number {
  let group = program;
  for (const [index, arg] of args.entries()) {
    const next = group.commands.find((it) => it.name() === arg || it.aliases().includes(arg));
    if (next === undefined || next.commands.length === 0) return index;
    group = next;
  }
  return args.length;
}

/** The global options before the name of the command, and the rest, which begins with that name. */
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
      visibleOptions: (shown) => new Help().visibleOptions(shown).filter((option) => isInHelp(shown, option)),
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
  declareHelpAll(command);
  if (chosen !== undefined && !isNameAlone(command)) declareGlobalOptions(command, chosen);
}

/** `--help-all` is accepted by every command, and shown where it prints more than `--help`. */
function declareHelpAll(command: Command): void {
  const option = new Option('--help-all', 'print this help with all options').helpGroup(GLOBAL_OPTIONS);
  command.addOption(option.hideHelp(!hasShortHelp(command)));
  command.on(`option:${option.name()}`, () => printAllHelp(command).help());
}

const HELP_WIDTH = 80;

/** Commands that the command line does not name, nothing else is declared. */
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
