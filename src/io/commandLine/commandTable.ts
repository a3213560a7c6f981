/**
 * Groups of commands as tables. Declaring all options of all commands takes longer than checking a config, so that of
 * each group only the command is declared that the command line names.
 */

import type { Command } from 'commander';
import type { Context } from './context.ts';

export interface TableEntry {
  readonly name: string;
  /** Its line in the help of the group; of a group also what its own help begins with. */
  readonly summary: string;
  /** Works, but is not in the help of the group. */
  readonly hidden?: boolean;
  /** Adds arguments, options and action, or the commands of a group. */
  readonly declare: (command: Command, context: Context) => void | Promise<void>;
}

/**
 * Adds the commands to their group. Where the arguments name one of them, it is alone; otherwise there are all, without
 * what is theirs, for help and suggestions.
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
