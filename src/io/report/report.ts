/**
 * Prints diagnostics. The user selects the log level and the colors. For the error that ends a command, `--verbose` adds its
 * causes, and `--debug` also adds stack traces.
 */

import { type Diagnostic, diagnosticOf } from '../../core/diagnostic.ts';
import { type Io, ioWith, type Output } from '../io.ts';
import { formatDiagnostic, formatDiagnostics } from './diagnosticText.ts';
import { Writable } from 'node:stream';
import { printable } from '../../core/foreignText.ts';
import { type Paint, withColors, withoutColors } from './terminalText.ts';
import { CliError, ComparisonError, UsageError } from '../../core/errors.ts';

/** Passes diagnostics to `io.report`, or prints them on standard error without it. */
export function report(io: Pick<Io, 'report' | 'stderr'>, ...diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  if (io.report === undefined) io.stderr.write(formatDiagnostics(diagnostics));
  else io.report(diagnostics);
}

/** The same `io`, but it collects diagnostics in `reported`. */
export function collectDiagnostics(io: Io): { readonly io: Io; readonly reported: readonly Diagnostic[] } {
  const reported: Diagnostic[] = [];
  const collect = (diagnostics: readonly Diagnostic[]): void => {
    for (const diagnostic of diagnostics) reported.push(diagnostic);
  };
  return { io: ioWith(io, { report: collect }), reported };
}

/** Without duplicates. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [formatDiagnostic(diagnostic), diagnostic])).values()];
}

/** Log level: only errors, normal output, also reasons (`--verbose`), or also stack traces (`--debug`). */
export type LogLevel = 'errors' | 'usual' | 'verbose' | 'debug';

/** Set while the command line is parsed, after the streams were passed on. */
export interface OutputChoice {
  level: LogLevel;
  color: 'auto' | 'always' | 'never';
  /** Ids of ignored rules; while the command line is parsed, the values of the option. */
  ignored: readonly string[];
}

/** The same `io`, but standard error follows the log level at the time of use. */
export function withLogLevel(io: Io, choice: Readonly<OutputChoice>): Io {
  const print = (diagnostics: readonly Diagnostic[]): void => {
    const shown =
      choice.level === 'errors' ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
    io.stderr.write(formatDiagnostics(shown, paintFor(io.stderr, choice, io.env)));
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
      return choice.level === 'verbose' || choice.level === 'debug' ? note : undefined;
    },
    get isQuiet() {
      return choice.level === 'errors';
    },
    get hasColors() {
      return wantsColor(io.stdout, choice, io.env);
    },
    get paint() {
      return paintFor(io.stderr, choice, io.env);
    },
    get ignored() {
      return choice.ignored;
    },
  });
}

let discarded: Output | undefined;

/** Discards all output; created on first use. */
function nowhere(): Output {
  discarded ??= new Writable({ write: (_chunk, _encoding, done) => done() });
  return discarded;
}

/** The colours of text on this stream. */
export function paintFor(stream: Output, choice: Pick<OutputChoice, 'color'>, env: Io['env']): Paint {
  return wantsColor(stream, choice, env) ? withColors : withoutColors;
}

/** The flag overrides NO_COLOR (no-color.org), which overrides FORCE_COLOR, which Node and many programs support. */
function wantsColor({ isTTY }: Output, { color }: Pick<OutputChoice, 'color'>, env: Io['env']): boolean {
  if (color !== 'auto') return color === 'always';
  if (isSet(env['NO_COLOR'])) return false;
  if (isSet(env['FORCE_COLOR'])) return env['FORCE_COLOR'] !== '0';
  return isTTY === true && env['TERM'] !== 'dumb';
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** Maximum depth of causes; they may form a cycle. */
const MAX_CAUSES = 8;

/** Whole lines. Any error other than a CliError is reported as an internal error. */
export function describeError(error: unknown, level: LogLevel, paint: Paint = withoutColors): string {
  const known = error instanceof CliError ? error : defectOf(error);
  const text = formatDiagnostic(diagnosticOf(known), paint);
  if (level !== 'verbose' && level !== 'debug') return text;
  const stack = level === 'debug' ? formatStack(error) : '';
  const causes = causesOf(error).map((cause) => formatCause(cause, level));
  return `${text}code: ${known.code}\n${stack}${causes.join('')}`;
}

/** The message may quote input with secrets, so only `--debug` prints it. */
function defectOf(error: unknown): CliError {
  const name = error instanceof Error ? error.name : typeof error;
  return new CliError(`internal error (${name})`, {
    code: 'ERR_INTERNAL',
    hint: 'run "ironic-coreos --debug COMMAND …" and report its output',
  });
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let next = causeOf(error); next !== undefined && causes.length < MAX_CAUSES; next = causeOf(next)) {
    causes.push(next);
  }
  return causes;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function formatCause(cause: unknown, level: LogLevel): string {
  return `cause: ${printable(nameCause(cause))}\n${level === 'debug' ? formatStack(cause) : ''}`;
}

function nameCause(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  return mayQuote(cause) ? cause.name : `${cause.name}: ${cause.message}`;
}

/** The stack trace; for an internal error also its message. */
function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [...(mayQuote(error) ? [`${error.name}: ${error.message}`] : []), ...places]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

/**
 * Errors of the system and of this program do not quote data. Others, such as those of `JSON.parse`,
 * may quote secrets.
 */
function mayQuote(error: Error): boolean {
  return !(error instanceof CliError) && !('code' in error && typeof error.code === 'string');
}

/**
 * Changes the exit code of a CliError to 2, for commands that compare: like diff(1), exit code 1 means that the inputs
 * differ. Other errors are returned unchanged.
 */
export function asTrouble(error: unknown): unknown {
  if (!(error instanceof CliError) || error instanceof UsageError) return error;
  return new ComparisonError(error.message, { cause: error, hint: error.hint });
}
