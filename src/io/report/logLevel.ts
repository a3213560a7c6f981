/** How much a command says besides its data, and in which colours: the `io` that it gets, by the user's choice. */

import { Writable } from 'node:stream';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { type Io, ioWith, type Output } from '../io.ts';
import { formatDiagnostics } from './diagnosticText.ts';
import { type Paint, withColors, withoutColors } from './paint.ts';
import { printable } from './printable.ts';

/** How much is said: errors alone, what is usual, also why (`--verbose`), or also where errors were thrown (`--debug`). */
export type LogLevel = 'errors' | 'usual' | 'verbose' | 'debug';

/** Chosen while the command line is read, after the streams were handed out. */
export interface OutputChoice {
  level: LogLevel;
  color: 'auto' | 'always' | 'never';
  /** Ids of rules that are turned off; while the command line is read, what it says of them. */
  ignored: readonly string[];
}

/** The same `io`, except that standard error says what was chosen by the time it is used. */
export function withLogLevel(io: Io, choice: Readonly<OutputChoice>): Io {
  const isQuiet = (): boolean => choice.level === 'errors';
  const report = (diagnostics: readonly Diagnostic[]): void => {
    const shown = isQuiet() ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
    io.stderr.write(formatDiagnostics(shown, paintFor(io.stderr, choice, io.env)));
  };
  const note = (text: string): void => {
    const word = paintFor(io.stderr, choice, io.env)('note', 'note');
    io.stderr.write(`${word}: ${printable(text)}\n`);
  };
  return ioWith(io, {
    report,
    get stderr() {
      return isQuiet() ? nowhere() : io.stderr; // nor any progress
    },
    get note() {
      return choice.level === 'verbose' || choice.level === 'debug' ? note : undefined;
    },
    get hasColors() {
      return wantsColor(io.stdout, choice, io.env);
    },
    get ignored() {
      return choice.ignored;
    },
  });
}

let discarded: Output | undefined;

/** Takes everything and keeps nothing; made when it is first needed. */
function nowhere(): Output {
  discarded ??= new Writable({ write: (_chunk, _encoding, done) => done() });
  return discarded;
}

/** The colours of text on this stream. */
export function paintFor(stream: Output, choice: Pick<OutputChoice, 'color'>, env: Io['env']): Paint {
  return wantsColor(stream, choice, env) ? withColors : withoutColors;
}

/** The flag beats NO_COLOR (no-color.org), and that FORCE_COLOR, which Node and many others know. */
function wantsColor({ isTTY }: Output, { color }: Pick<OutputChoice, 'color'>, env: Io['env']): boolean {
  if (color !== 'auto') return color === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTTY === true && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
