/** Colors of words in the output for people. */

import { Chalk } from 'chalk';
import type { Io, Output } from '../io.ts';
import { type Paint, withoutColors } from './paint.ts';

export interface ColorChoice {
  color: 'auto' | 'always' | 'never';
}

export function paintFor(
  stream: Pick<Output, 'isTTY'>,
  { color }: ColorChoice,
  { FORCE_COLOR: forced = '', NO_COLOR: refused = '', TERM: terminal }: Io['env'],
): Paint {
  if (color !== 'auto') return color === 'always' ? withColors : withoutColors;
  // NO_COLOR (no-color.org), which chalk does not support, overrides FORCE_COLOR, which Node and many programs support.
  const isForced = forced === '' ? stream.isTTY === true && terminal !== 'dumb' : forced !== '0';
  return refused === '' && isForced ? withColors : withoutColors;
}

const { bold } = new Chalk({ level: 1 });

const roles = {
  error: bold.red,
  warning: bold.yellow,
  info: bold.cyan,
  note: bold.cyan,
  hint: bold.green,
};

export const withColors: Paint = (role, text) => roles[role](text);
