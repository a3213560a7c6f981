/** Options of a command from the texts of a command line, for tests that call its function. */

import type { OptionsOf, OptionTable } from '../../src/io/commandLine.ts';
import { DeclaredOption } from '../../src/cli/program.ts';

/** The options by their names; a value may also be its text. */
export type Given<O> = { readonly [Name in keyof OptionsOf<O>]?: OptionsOf<O>[Name] | string | undefined };

/** What the function of the command gets, with the values of options that are not given. */
export function givenOptions<O extends OptionTable>(table: O, given: Given<O>): OptionsOf<O>;
export function givenOptions(table: OptionTable, given: Readonly<Record<string, unknown>>): object {
  const options = { ...given };
  for (const [flags, { fallback, value }] of Object.entries(table)) {
    if (!flags.startsWith('-')) continue;
    const option = new DeclaredOption(flags, { help: '', fallback });
    const name = option.attributeName();
    const text = given[name];
    if (typeof text === 'string') options[name] = value?.parse(text, option.long ?? '');
    else if (text === undefined && fallback !== undefined) options[name] = fallback;
  }
  return options;
}
