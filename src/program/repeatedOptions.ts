/** Refuses options that are given twice, where the last one would silently win. */

import type { Command } from 'commander';

/** For commands without repeatable options. */
export function refuseRepeatedOptions(command: Command): Command {
  for (const option of command.options) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' cannot be used multiple times`);
      isGiven = true;
    });
  }
  return command;
}
