/**
 * Declares commands as data: what a command takes from the command line, its help, and the function that runs it. The program of
 * commander, the completion, the manual pages and the types of the options come from this data.
 */

import type { ExitCode, Io } from './io.ts';
import { parseDuration, parseWholeNumber } from './optionValues.ts';
import { parseChoice } from './report/choices.ts';

/**
 * What a shell offers as a value: nothing, the name of a file or a folder, a host of the inventory, IDs that `explain` knows, or
 * one of these words.
 */
export type Completion = 'any' | 'file' | 'folder' | 'host' | 'ids' | readonly string[];

/** An option or an argument. `T` is the type of its value, with `undefined` if it may be missing. */
export interface Option<T> {
  readonly help: string;
  /** The value if it is not given. */
  readonly fallback: T;
  /** `fallback` as the help shows it. */
  readonly defaultText?: string;
  /** Undefined for an option without a value. */
  readonly value?: {
    readonly completion: Completion;
    /** Throws UsageError. */
    readonly parse: (text: string, flag: string) => NonNullable<T>;
  };
  readonly isList?: true;
  readonly isRequired?: true;
  /** The option works, but it is not in the help. */
  readonly isHidden?: true;
  /** Most users need the option: of a command with many options, the short help contains only these. */
  readonly isCommon?: true;
  /** The value is false, under the name without `no-`. */
  readonly isNegation?: true;
  /** The heading above it in the help. */
  readonly group?: string;
  /** Another flag for the same option, with its placeholder; it is not in the help. */
  readonly alias?: string;
}

export interface ValueOption<T> extends Option<T> {
  readonly value: NonNullable<Option<T>['value']>;
}

/**
 * What a command takes, by how its help shows it: arguments (`<ISO>`, `[OTHER]`, `<FILE...>`) and options
 * (`-o, --output <path>`), in the order of the help.
 */
export type OptionTable = Record<string, Option<unknown>>;

/** An option without a value. `--no-NAME` is an option of this name, not the negation of `--NAME`. */
export function toggle(help: string): Option<boolean | undefined> {
  return { help, fallback: undefined };
}

/** `--no-NAME`: sets the option NAME to false, which is true by default if there is no `--NAME`. */
export function negation(help: string): Option<boolean | undefined> & { readonly isNegation: true } {
  return { help, fallback: undefined, isNegation: true };
}

export function freeText(help: string, completion: Completion = 'any'): ValueOption<string | undefined> {
  return { help, fallback: undefined, value: { completion, parse: (given) => given } };
}

export function file(help: string): ValueOption<string | undefined> {
  return freeText(help, 'file');
}

export function folder(help: string): ValueOption<string | undefined> {
  return freeText(help, 'folder');
}

/** One of some words, which the help must name. */
export function choice<const V extends string>(
  words: readonly V[],
  help: string,
): ValueOption<V | undefined> {
  const parse = (given: string, flags: string): V => parseChoice(flags, given, words);
  return { help, fallback: undefined, value: { completion: words, parse } };
}

/** A value that `parse` reads. It throws UsageError. */
export function parsed<T>(
  parse: (text: string, flag: string) => T & {},
  help: string,
): ValueOption<T | undefined> {
  return { help, fallback: undefined, value: { completion: 'any', parse } };
}

/** A time such as `90s` or `7d`, in milliseconds. @param least seconds */
export function duration(help: string, least = 0): ValueOption<number | undefined> {
  return parsed((given, flags) => parseDuration(given, flags, least), help);
}

export function wholeNumber(help: string, least: number, most: number): ValueOption<number | undefined> {
  return parsed((given, flags) => parseWholeNumber(given, flags, least, most), help);
}

/** The value of an option that is not given; the help shows it. */
export function withDefault<T>(given: string, option: ValueOption<T>): ValueOption<NonNullable<T>> {
  return { ...option, fallback: option.value.parse(given, ''), defaultText: given };
}

export function repeatable<T>({
  help,
  value: { completion, parse },
}: ValueOption<T>): ValueOption<readonly NonNullable<T>[] | undefined> {
  const value = { completion, parse: (given: string, flags: string) => [parse(given, flags)] };
  return { help: `${help}; repeatable`, fallback: undefined, isList: true, value };
}

export function required<O>(option: O): O & { readonly isRequired: true } {
  return { ...option, isRequired: true };
}

export function hidden<O>(option: O): O & { readonly isHidden: true } {
  return { ...option, isHidden: true };
}

export function common<O>(option: O): O & { readonly isCommon: true } {
  return { ...option, isCommon: true };
}

/** Marks options of a table that several commands share, for one command. */
export function withCommon<O extends OptionTable>(options: O, ...names: readonly (keyof O & string)[]): O {
  const marked = { ...options };
  for (const flags of names) marked[flags] = { ...options[flags], isCommon: true };
  return marked;
}

export function under<O extends OptionTable>(heading: string, options: O): O {
  const grouped = { ...options };
  for (const flags in options) grouped[flags] = { ...options[flags], group: heading };
  return grouped;
}

/** The values that a command gets: by the long names of its options in camel case, and the names of its arguments in small letters. */
export type OptionsOf<O> = {
  readonly [F in keyof O as undefined extends ValueOf<F, O[F]> ? NameOf<F, O[F]> : never]?: NonNullable<
    ValueOf<F, O[F]>
  >;
} & {
  readonly [F in keyof O as undefined extends ValueOf<F, O[F]> ? never : NameOf<F, O[F]>]: ValueOf<F, O[F]>;
};

/** Options that may also be given as undefined. */
export type Sparse<O> = { readonly [Name in keyof O]: O[Name] | undefined };

type ValueOf<Flags, O> =
  O extends Option<infer T>
    ? Flags extends `<${string}...>` | `[${string}...]`
      ? readonly NonNullable<T>[]
      : Flags extends `<${string}>`
        ? NonNullable<T>
        : O extends { readonly isRequired: true }
          ? NonNullable<T>
          : T
    : never;

type NameOf<Flags, O> = Flags extends `<${infer Name}>` | `[${infer Name}]`
  ? Camel<Lowercase<Name extends `${infer Single}...` ? Single : Name>>
  : Flags extends `${string}--${infer Long}`
    ? Camel<Unsigned<Long extends `${infer Name} ${string}` ? Name : Long, O>>
    : never;

type Unsigned<Name, O> = O extends { readonly isNegation: true }
  ? Name extends `no-${infer Rest}`
    ? Rest
    : never
  : Name;

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;

/** The line of a command or a group in the help of the group that it belongs to. */
interface HelpLine {
  readonly summary: string;
  /** The heading above that line, and above the lines that follow. Default: `Commands:`. */
  readonly group?: string;
  /** The command works but is not in that help. */
  readonly isHidden?: true;
}

/** What a command is: its help, what it takes, and what it does. */
export interface Command extends Partial<HelpLine> {
  readonly description: string;
  readonly options: OptionTable;
  /** Text at the end of the help: exit codes and examples. */
  readonly notes: string;
  /** Sections that are only in `--help-all`. */
  readonly reference?: string;
  run(options: unknown, io: Io): Promise<ExitCode>;
}

interface Declaration<O extends OptionTable> extends Omit<Command, 'notes' | 'options' | 'run'> {
  readonly options: O;
  /** Sections before the exit codes. */
  readonly details?: string;
  /** Those that differ from the usual ones. */
  readonly exitCodes?: Partial<typeof exitCodes>;
  /** Command lines, each indented by two spaces. */
  readonly examples: string;
  readonly load: () => Promise<(options: OptionsOf<O>, io: Io) => Promise<ExitCode>>;
}

const exitCodes = {
  0: 'success',
  1: 'failure: an input is missing or invalid, or the result cannot be written',
  2: 'usage error',
};

export function command<O extends OptionTable>(declaration: Declaration<O>): Command {
  const { details = '', examples, exitCodes: own, load, ...others } = declaration;
  const codes = Object.entries({ ...exitCodes, ...own }).map(([code, text]) => `  ${code}  ${text}\n`);
  const heading = examples.split(/^ {2}(?=\S)/m).length > 2 ? 'Examples' : 'Example';
  return {
    ...others,
    notes: `${details}\nExit codes:\n${codes.join('')}\n${heading}:${examples}`,
    run: async (options: OptionsOf<O>, io) => (await load())(options, io),
  };
}

export interface CommandGroup extends Partial<HelpLine> {
  /** By their names, in the order of the help. */
  readonly commands: CommandTable;
}

export type CommandTable = Readonly<Record<string, Command | CommandGroup | LateCommand>>;

export interface LateCommand extends HelpLine {
  /** Loads the declaration, only if the command line names the command. */
  readonly load: () => Promise<Command | CommandGroup>;
}

export const FILES_DIR = 'folder of the local files of Butane configs (default: no local file is read)';

export const INVENTORY = 'inventory with settings and hosts, YAML or JSON';

export const HARDWARE =
  'inspection data of machines to compare the hosts with: a file or a folder of "baremetal node inventory save", "try --save" or ' +
  'BareMetalHosts';
