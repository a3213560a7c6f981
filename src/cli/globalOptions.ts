/** The options that all commands have. */

import { choice, toggle, type Option, freeText } from '../io/commandLine.ts';
import type { OutputChoice } from '../io/report/outputChoice.ts';
import { parseChoice } from '../io/report/choices.ts';

/** Their heading in the help. */
export const GLOBAL_OPTIONS = 'Global options:';

const colors = ['auto', 'always', 'never'] as const;

/** The last of several options counts, also of those before and after the name of the command. */
export const globalOptions: readonly (readonly [
  flags: string,
  option: Option<unknown>,
  take: (text: string, chosen: OutputChoice) => void,
])[] = [
  [
    '--color <when>',
    choice(colors, 'when to print colors: auto, always or never (default: auto)'),
    (when, chosen) => (chosen.color = parseChoice('--color', when, colors)),
  ],
  ['--quiet', toggle('print errors only'), (_text, chosen) => (chosen.level = 'errors')],
  [
    '--ignore <ids>',
    freeText('comma-separated IDs of rules to ignore; repeatable', 'ids'),
    (rules, chosen) => (chosen.ignored = [...chosen.ignored, rules]),
  ],
  [
    '--verbose',
    toggle('print the files that are read and why, the causes of errors, and each host of a problem'),
    (_text, chosen) => (chosen.level = 'verbose'),
  ],
  [
    '--debug',
    toggle('same as --verbose, with stack traces of errors'),
    (_text, chosen) => (chosen.level = 'debug'),
  ],
];
