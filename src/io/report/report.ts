/**
 * Prints diagnostics. For the error that ends a command, `--verbose` adds its causes, and `--debug` also adds stack traces.
 */

import { type Diagnostic, diagnosticOf } from '../../core/finding.ts';
import { type Io, ioWith } from '../io.ts';
import { formatDiagnostic, formatGrouped } from './diagnosticText.ts';
import { printable } from '../../core/foreignText.ts';
import { type Paint, withoutColors } from './paint.ts';
import { CliError, ComparisonError, type FilePlace, UsageError } from '../../core/errors.ts';

/**
 * Passes diagnostics to `io.report`, or prints them on standard error without it, except those about ignored rules. Returns what
 * it has reported. An error that ended something is always reported.
 */
export function report(
  io: Pick<Io, 'ignored' | 'report' | 'stderr'>,
  ...given: readonly (Diagnostic | readonly Diagnostic[])[]
): readonly Diagnostic[] {
  const { ignored = [] } = io;
  const diagnostics = given
    .flat()
    .filter(({ code, rule }) => code !== undefined || rule === undefined || !ignored.includes(rule));
  if (diagnostics.length === 0) return [];
  if (io.report === undefined) io.stderr.write(formatGrouped(diagnostics));
  else io.report(diagnostics);
  return diagnostics;
}

/** The same `io`, but it collects diagnostics in `reported`. */
export function collectDiagnostics(io: Io): { readonly io: Io; readonly reported: readonly Diagnostic[] } {
  const reported: Diagnostic[] = [];
  const collect = (diagnostics: readonly Diagnostic[]): void => {
    for (const diagnostic of diagnostics) reported.push(diagnostic);
  };
  return { io: ioWith(io, { report: collect }), reported };
}

/** A result, and what was reported about it, for all that get it later. */
export interface Recorded<T> {
  readonly result: T;
  readonly reported: readonly Diagnostic[];
}

/** What `get` reports is recorded in place of being reported, unless it fails. */
export async function record<T>(io: Io, get: (io: Io) => T | Promise<T>): Promise<Recorded<T>> {
  const { io: own, reported } = collectDiagnostics(io);
  try {
    return { result: await get(own), reported };
  } catch (error) {
    report(io, reported);
    throw error;
  }
}

/** Without duplicates. */
export function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((diagnostic) => [formatDiagnostic(diagnostic), diagnostic])).values()];
}

/** Log level: only errors, normal output, also reasons (`--verbose`), or also stack traces (`--debug`). */
export type LogLevel = 'errors' | 'usual' | 'verbose' | 'debug';

/** Whole lines. Any error other than a CliError is reported as an internal error. */
export function describeError(error: unknown, level: LogLevel, paint: Paint = withoutColors): string {
  const known = error instanceof CliError ? error : defectOf(error);
  const text = formatDiagnostic(diagnosticOf(known), paint);
  if (level !== 'verbose' && level !== 'debug') return text;
  const stack = level === 'debug' ? formatStack(error) : '';
  const causes = causesOf(error).map((cause) => {
    const isNamed = cause instanceof Error && mayQuote(cause);
    const name =
      cause instanceof Error ? (isNamed ? cause.name : `${cause.name}: ${cause.message}`) : typeof cause;
    return `cause: ${printable(name)}\n${level === 'debug' ? formatStack(cause) : ''}`;
  });
  return `${text}code: ${known.code}\n${stack}${causes.join('')}`;
}

/**
 * The error as one for users, for work that goes on with the next host, file or machine. The places of an internal error
 * become notes of `--verbose`.
 * @param at the file that was read
 */
export function knownError(error: unknown, io: Pick<Io, 'note'> = {}, at?: FilePlace): CliError {
  if (error instanceof CliError) return error;
  for (const place of placesOf(error)) io.note?.(place.trim());
  return defectOf(error, at);
}

/** The message may quote input with secrets, so only `--debug` prints it. */
function defectOf(error: unknown, at?: FilePlace): CliError {
  const name = error instanceof Error ? error.name : typeof error;
  return new CliError(`internal error (${name})`, {
    code: 'ERR_INTERNAL',
    at,
    hint: 'run "ironic-coreos --debug COMMAND …" and report its output',
  });
}

function causesOf(error: unknown): readonly unknown[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? [] : [cause, ...causesOf(cause)];
}

/** The stack trace; for an internal error also its message. */
function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return [...(mayQuote(error) ? [`${error.name}: ${error.message}`] : []), ...placesOf(error)]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function placesOf(error: unknown): readonly string[] {
  const { stack = '' } = error instanceof Error ? error : {};
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
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
