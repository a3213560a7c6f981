/** The argument and the options of every command that changes a live ISO: which image, and where the result goes. */

import type { Command } from 'commander';

export const ISO = 'live ISO of CoreOS: a file or a block device';

/** As commander gives them. */
export interface ResultOptions {
  readonly output?: string;
}

/** Adds the options that say where the result goes. */
export function declareResult(command: Command): Command {
  return command.option(
    '-o, --output <path>',
    'write the result to a new file; "-" is standard output (default: change the ISO itself)',
  );
}
