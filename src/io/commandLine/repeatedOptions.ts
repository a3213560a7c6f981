/** How often an option may be given: once, where the last one would silently win, or several times. */

import { type Command, Option } from 'commander';
import type { ExitCode } from '../io.ts';
import type { Context } from './context.ts';

/** An option whose values make a list. */
export function repeated(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((value: string, values: readonly string[] | undefined) => [
    ...(values ?? []),
    value,
  ]);
}

/** All options of the command but those that make lists are refused when they are given twice. */
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

/** Takes the arguments of the command line and then its options, as commander gives them. */
type Run = (...given: Parameters<Parameters<Command['action']>[0]>) => Promise<ExitCode>;

/** Ends the declaration of a command with the notes below its help, and with what runs it. */
export function declareRun(command: Command, notes: string, run: Run, context: Context): void {
  command.addHelpText('after', notes).action(async (...given) => context.finish(await run(...given)));
  refuseRepeatedOptions(command);
}
