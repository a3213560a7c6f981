/** Makes a program of commander from the declarations of commands. A command is declared when the command line names it. */

import { Argument, Command, Help, Option as CommanderOption } from 'commander';
import {
  type Command as Declaration,
  type CommandTable,
  type LateCommand,
  type Option,
} from '../io/commandLine.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { type OutputChoice, withOutputChoice } from '../io/report/outputChoice.ts';
import { adaptArguments } from './arguments.ts';
import { GLOBAL_OPTIONS, globalOptions } from './globalOptions.ts';

export interface Context {
  /** Streams and environment of the process. */
  readonly io: Io;
  /** Receives what commander prints on standard output: help and version. It is written after the command line is parsed. */
  readonly print: (text: string) => void;
  /** Receives each group and command that the command line names. */
  readonly enter: (command: Command) => void;
  /** Receives the exit code of the command that ran. */
  readonly finish: (code: ExitCode) => void;
  /** Receives the values of the global options. */
  readonly chosen: OutputChoice;
}

/** With more options, the help of a command has only the common ones. */
const MOST_OPTIONS = 20;

export class ProgramCommand extends Command {
  readonly #context: Context;
  /** Undefined if it is declared. */
  #load: LateCommand['load'] | undefined;
  /** Whether it has options that are only in `--help-all`. */
  #hasShortHelp = false;
  #printsAll = false;
  #notes = (): string => '';

  constructor(name: string, context: Context, load?: LateCommand['load']) {
    super(name);
    this.#context = context;
    this.#load = load;
    const { io, print } = context;
    this.exitOverride()
      .enablePositionalOptions() // options before and after the name of a command belong to different commands
      .helpCommand(false)
      .addHelpOption(new CommanderOption('-h, --help', 'print the help').helpGroup(GLOBAL_OPTIONS))
      .configureHelp({
        minWidthToWrap: 20,
        subcommandTerm: (child) => child.name(), // scripts read one line per command
        optionDescription,
        visibleOptions: () => this.#visibleOptions(),
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
  }

  addCommands(table: CommandTable): this {
    let heading = 'Commands:';
    for (const [name, declared] of Object.entries(table)) {
      const { summary = '', group = heading, isHidden = false } = declared;
      const load = 'load' in declared ? declared.load : async () => declared;
      heading = group;
      const child = new ProgramCommand(name, this.#context, load);
      child.summary(summary).description(summary).helpGroup(group);
      this.addCommand(child, { hidden: isHidden });
    }
    this.#addGlobalOptions();
    this.usage('[options] COMMAND');
    return this.hook('preSubcommand', async (_group, child) => {
      this.#context.enter(child);
      if (child instanceof ProgramCommand) await child.declare();
    });
  }

  /** The commands of the group that are in its help. */
  get children(): readonly ProgramCommand[] {
    return new Help().visibleCommands(this).filter((child) => child instanceof ProgramCommand);
  }

  /** The command and all commands below it that are in the help, declared. */
  async withDescendants(): Promise<readonly ProgramCommand[]> {
    await this.declare();
    const below = await Promise.all(this.children.map((child) => child.withDescendants()));
    return [this, ...below.flat()];
  }

  /** Makes the help of the command print all options and the reference. */
  printAll(): this {
    this.#printsAll = true;
    return this;
  }

  /** The text at the end of its help. */
  get notes(): string {
    return this.#notes();
  }

  addNotes(notes: () => string): this {
    this.#notes = notes;
    return this.addHelpText('after', notes);
  }

  /** The words of the command line that name it. */
  get path(): string {
    return this.parent instanceof ProgramCommand ? `${this.parent.path} ${this.name()}` : this.name();
  }

  override parseOptions(args: string[]) {
    if (this.commands.length === 0) return super.parseOptions(adaptArguments(args, this));
    const parsed = super.parseOptions(args);
    const [name, ...words] = parsed.operands;
    if (name === 'help') {
      const [first, ...others] = words.filter((word) => !word.startsWith('-'));
      parsed.operands = first === undefined ? [] : [first];
      parsed.unknown = [...others, '--help'];
    }
    // For an unknown command with `--help`, commander would print the help of the group and exit with 0.
    const [asked] = parsed.operands;
    if (asked !== undefined && this.commands.every((child) => child.name() !== asked)) parsed.unknown = [];
    return parsed;
  }

  /** Adds what the command takes, unless it is declared. */
  async declare(): Promise<void> {
    const load = this.#load;
    this.#load = undefined;
    const declared = await load?.();
    if (declared === undefined) return;
    if ('commands' in declared) {
      this.addCommands(declared.commands).addNotes(
        () => `\nRun '${this.path} COMMAND --help' for help on a command.\n`,
      );
    } else this.#addDeclaration(declared);
  }

  #addDeclaration(declaration: Declaration): void {
    const { description, notes, options, reference = '' } = declaration;
    const names: string[] = [];
    this.description(description);
    for (const [flags, option] of Object.entries(options)) {
      if (/^[<[]/.test(flags)) names.push(this.#declareArgument(flags, option));
      else this.#declareOption(flags, option);
    }
    this.#hasShortHelp = this.options.filter(({ hidden }) => !hidden).length > MOST_OPTIONS;
    const more = `\nRun '${this.path} --help-all' for all options and the reference\n`;
    this.addNotes(() => `${this.#hasShortHelp && !this.#printsAll ? more : reference}${notes}`);
    this.#addGlobalOptions();
    this.action(async () => {
      const given = this.opts();
      for (const [index, name] of names.entries()) {
        const value: unknown = this.processedArgs[index];
        const others: unknown = given[name];
        given[name] = Array.isArray(value) && Array.isArray(others) ? value.concat(others) : value;
      }
      const { chosen, finish, io } = this.#context;
      finish(await declaration.run(given, withOutputChoice(io, chosen)));
    });
  }

  #declareArgument(usage: string, option: Option<unknown>): string {
    const argument = new DeclaredArgument(usage, option);
    this.addArgument(argument);
    return new CommanderOption(`--${argument.name().toLowerCase().replaceAll('_', '-')}`).attributeName();
  }

  /** It is a usage error to give an option twice, except if its values form a list. */
  #declareOption(flags: string, declared: Option<unknown>): void {
    const option = new DeclaredOption(flags, declared);
    const options = [option];
    if (declared.alias !== undefined) {
      const alias = new DeclaredOption(declared.alias, declared).hideHelp();
      alias.attributeName = () => option.attributeName();
      options.push(alias);
    }
    let isGiven = false;
    for (const each of options) {
      this.addOption(each);
      if (declared.isList) continue;
      this.on(`option:${each.name()}`, () => {
        if (isGiven) this.error(`error: option '${each.flags}' cannot be used multiple times`);
        isGiven = true;
      });
    }
  }

  /** A command that already has an option of the same name keeps its own. */
  #addGlobalOptions(): void {
    const isGroup = this.commands.length > 0 && this.parent !== null;
    const helpAll = new CommanderOption('--help-all', 'print the help with all options');
    this.addOption(helpAll.helpGroup(GLOBAL_OPTIONS).hideHelp(!this.#hasShortHelp));
    this.on('option:help-all', () => this.printAll().help());
    for (const [flags, declared, take] of globalOptions) {
      const option = new DeclaredOption(flags, declared).helpGroup(GLOBAL_OPTIONS);
      if (this.options.some(({ long }) => long === option.long)) continue;
      this.addOption(option.hideHelp(isGroup));
      this.on(`option:${option.name()}`, (value: string) => take(value, this.#context.chosen));
    }
  }

  #visibleOptions(): CommanderOption[] {
    const all = new Help().visibleOptions(this);
    if (!this.#hasShortHelp || this.#printsAll) return all;
    return all.filter(
      (option) =>
        option.helpGroupHeading === GLOBAL_OPTIONS ||
        (option instanceof DeclaredOption && option.declared.isCommon === true),
    );
  }
}

export class DeclaredOption extends CommanderOption {
  readonly declared: Option<unknown>;

  constructor(flags: string, declared: Option<unknown>) {
    const { defaultText, fallback, group, help, isHidden, isList, isNegation, isRequired, value } = declared;
    super(flags, help);
    this.declared = declared;
    this.negate = isNegation === true;
    this.makeOptionMandatory(isRequired === true)
      .hideHelp(isHidden === true)
      .default(fallback, defaultText);
    if (group !== undefined) this.helpGroup(group);
    if (value === undefined) return;
    this.argParser((text, before: unknown) => {
      const parsed = value.parse(text, this.long ?? '');
      return isList && Array.isArray(before) ? before.concat(parsed) : parsed;
    });
  }
}

export class DeclaredArgument extends Argument {
  readonly declared: Option<unknown>;

  constructor(usage: string, declared: Option<unknown>) {
    super(usage, declared.help);
    this.declared = declared;
    const { defaultText, fallback, value } = declared;
    this.default(fallback, defaultText);
    if (value !== undefined && !this.variadic) this.argParser((text) => value.parse(text, this.name()));
  }
}

function optionDescription({ defaultValueDescription, description }: CommanderOption): string {
  return defaultValueDescription === undefined
    ? description
    : `${description} (default: ${defaultValueDescription})`;
}

/** COLUMNS, which users and shells set, or 80. Options and their descriptions need half of that. */
function helpWidth({ COLUMNS = '' }: Io['env']): number {
  return /^\d{2,4}$/.test(COLUMNS) ? Math.max(40, Number(COLUMNS)) : 80;
}
