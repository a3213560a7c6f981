/** Options with a value out of a few: completion scripts and manual pages name them, and commands refuse any other. */

import { Option } from 'commander';

/** The description has to tell the values, with the default one. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description);
  option.argChoices = [...values];
  return option;
}
