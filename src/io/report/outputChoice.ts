/** The output of the program, with the log level and the colors that the user selects. */

import { Writable } from 'node:stream';
import { printable } from '../../core/foreignText.ts';
import { type Io, ioWith } from '../io.ts';
import { formatDiagnostics, formatGrouped } from './diagnosticText.ts';
import type { LogLevel } from './report.ts';
import { type ColorChoice, paintFor } from './colors.ts';

/** Set while the command line is parsed. */
export interface OutputChoice extends ColorChoice {
  level: LogLevel;
  /** Ids of ignored rules; while the command line is parsed, the values of the option. */
  ignored: readonly string[];
}

/** The same `io`, but it prints what the user has chosen. */
export function withOutputChoice(io: Io, choice: Readonly<OutputChoice>): Io {
  const { env, stderr, stdout } = io;
  const { ignored, level } = choice;
  const isQuiet = level === 'errors';
  const isVerbose = level === 'verbose' || level === 'debug';
  const paint = paintFor(stderr, choice, env);
  return ioWith(io, {
    ignored,
    isQuiet,
    paint,
    paintData: paintFor(stdout, choice, env),
    ...(isQuiet && { stderr: new Writable({ write: (_chunk, _encoding, done) => done() }), errors: stderr }),
    report: (diagnostics) => {
      const shown = isQuiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
      stderr.write((isVerbose ? formatDiagnostics : formatGrouped)(shown, paint));
    },
    note: isVerbose ? (text) => stderr.write(`${paint('note', 'note')}: ${printable(text)}\n`) : undefined,
  });
}
