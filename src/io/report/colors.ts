/** Colors of words in the output for people. */

import { Chalk, type ChalkInstance } from 'chalk';
import { type Paint, type Role, withoutColors } from './paint.ts';

interface MaybeTerminal {
  readonly isTTY?: boolean;
}

/** As the user selects it. */
export interface ColorChoice {
  color: 'auto' | 'always' | 'never';
}

/** The colors of text on this stream. */
export function paintFor(
  stream: MaybeTerminal,
  choice: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  return wantsColor(stream, choice, env) ? withColors : withoutColors;
}

/** The flag overrides NO_COLOR (no-color.org), which overrides FORCE_COLOR, which Node and many programs support. */
function wantsColor(
  { isTTY }: MaybeTerminal,
  { color }: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (color !== 'auto') return color === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTTY === true && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** `wantsColor` decides whether to use colors, because chalk does not support NO_COLOR. */
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
