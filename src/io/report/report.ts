/**
 * The way of all diagnostics to the user. The user chooses how much is printed, and in which colors; the error that ends
 * a command is printed with `--verbose` with its causes, and with `--debug` also with the place where it was thrown.
 */

import { type Diagnostic, diagnosticOf } from '../../core/diagnostic.ts';
import { type Io, ioWith, type Output } from '../io.ts';
import { formatDiagnostic, formatDiagnostics } from './diagnosticText.ts';
import { Writable } from 'node:stream';
import { type Paint, printable, withColors, withoutColors } from './terminalText.ts';
import { CliError, ComparisonError, UsageError } from '../../core/errors.ts';

/** Where nothing else becomes of diagnostics (`io.report`), they are text on standard error. */
export function report(io: Pick<Io, 'report' | 'stderr'>, ...diagnostics: readonly Diagnostic[]): void {
  if (diagnostics.length === 0) return;
  if (io.report === undefined) io.stderr.write(formatDiagnostics(diagnostics));
  else io.report(diagnostics);
}

/** The same `io`, except that diagnostics go into `reported`. */
export function collectDiagnostics(io: Io): { readonly io: Io; readonly reported: readonly Diagnostic[] } {
  const reported: Diagnostic[] = [];
  return { io: ioWith(io, { report: (diagnostics) => void reported.push(...diagnostics) }), reported };
}

/** Without those that say the same again. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [formatDiagnostic(diagnostic), diagnostic])).values()];
}

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
  const print = (diagnostics: readonly Diagnostic[]): void => {
    const shown = isQuiet() ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
    io.stderr.write(formatDiagnostics(shown, paintFor(io.stderr, choice, io.env)));
  };
  const note = (text: string): void => {
    const word = paintFor(io.stderr, choice, io.env)('note', 'note');
    io.stderr.write(`${word}: ${printable(text)}\n`);
  };
  return ioWith(io, {
    report: print,
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

/** Causes of causes that are followed; they may refer to each other in a circle. */
const MAX_CAUSES = 8;

/** Whole lines. What is not a CliError is a defect of this program, and says so. */
export function describeError(error: unknown, level: LogLevel, paint: Paint = withoutColors): string {
  const known = error instanceof CliError ? error : defectOf(error);
  const text = formatDiagnostic(diagnosticOf(known), paint);
  if (level !== 'verbose' && level !== 'debug') return text;
  const stack = level === 'debug' ? formatStack(error) : '';
  const causes = causesOf(error).map((cause) => formatCause(cause, level));
  return `${text}code: ${known.code}\n${stack}${causes.join('')}`;
}

/** The message may quote what was read, which may be a secret, so that only `--debug` shows it. */
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

/** Where the error was thrown; of a defect also what it says, as it cannot be understood otherwise. */
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
 * The error with 2 as its exit code, for commands that compare: 1 says that something differs, as with diff(1). Anything
 * else but a CliError is returned as it is.
 */
export function asTrouble(error: unknown): unknown {
  if (!(error instanceof CliError) || error instanceof UsageError) return error;
  const { hint } = error;
  return new ComparisonError(error.message, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
