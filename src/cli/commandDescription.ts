/** What there is to know of the tree of commands, for completion scripts and manual pages: as data, all texts of the help. */

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
