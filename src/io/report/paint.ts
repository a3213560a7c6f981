/** Colours of text about diagnostics: of the word that begins it, and of the marks below an excerpt. */

import { Chalk, type ChalkInstance } from 'chalk';
import type { Severity } from '../../core/finding.ts';

/** What may have a colour of its own. */
type Role = Severity | 'note' | 'hint';

/** Gives a piece of text the colour of its role. */
export type Paint = (role: Role, text: string) => string;

export const withoutColors: Paint = (_role, text) => text;

/** Whether there are colours is decided before (`wantsColor`), as chalk does not know NO_COLOR; it loads when it is used. */
export const withColors: Paint = (role, text) => chalkFor(role)(text);

function chalkFor(role: Role): ChalkInstance {
  const { bold } = new Chalk({ level: 1 });
  const chalks = {
    error: bold.red,
    warning: bold.yellow,
    info: bold.cyan,
    note: bold.cyan,
    hint: bold.green,
  };
  return chalks[role];
}
