/** The output of the program, with the log level and the colors that the user selects. */

import { Writable } from 'node:stream';
import type { Diagnostic } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import { once } from '../../core/once.ts';
import { type Io, ioWith, type Output } from '../io.ts';
import { formatDiagnostics, formatGrouped } from './diagnosticText.ts';
import type { LogLevel } from './report.ts';
import { type ColorChoice, paintFor } from './colors.ts';

/** Set while the command line is parsed, after the streams were passed on. */
export interface OutputChoice extends ColorChoice {
  level: LogLevel;
  /** Ids of ignored rules; while the command line is parsed, the values of the option. */
  ignored: readonly string[];
}

/** The same `io`, but standard error follows the log level at the time of use. */
export function withLogLevel(io: Io, choice: Readonly<OutputChoice>): Io {
  const print = (diagnostics: readonly Diagnostic[]): void => {
    const shown =
      choice.level === 'errors' ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
    const format = isVerbose(choice) ? formatDiagnostics : formatGrouped;
    io.stderr.write(format(shown, paintFor(io.stderr, choice, io.env)));
  };
  const note = (text: string): void => {
    const word = paintFor(io.stderr, choice, io.env)('note', 'note');
    io.stderr.write(`${word}: ${printable(text)}\n`);
  };
  return ioWith(io, {
    report: print,
    get stderr() {
      return choice.level === 'errors' ? nowhere() : io.stderr; // nor any progress
    },
    get note() {
      return isVerbose(choice) ? note : undefined;
    },
    get isQuiet() {
      return choice.level === 'errors';
    },
    get paintData() {
      return paintFor(io.stdout, choice, io.env);
    },
    get paint() {
      return paintFor(io.stderr, choice, io.env);
    },
    get ignored() {
      return choice.ignored;
    },
  });
}

function isVerbose({ level }: Readonly<OutputChoice>): boolean {
  return level === 'verbose' || level === 'debug';
}

/** Discards all output. */
const nowhere = once((): Output => new Writable({ write: (_chunk, _encoding, done) => done() }));
