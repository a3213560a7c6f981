/** What ended a command, as text: the error, with `--verbose` its causes, with `--debug` where it was thrown. */

import { diagnosticOf } from '../../core/diagnostic.ts';
import { CliError } from '../../core/errors.ts';
import { formatDiagnostic } from './diagnosticText.ts';
import type { LogLevel } from './logLevel.ts';
import { type Paint, withoutColors } from './paint.ts';
import { printable } from './printable.ts';

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
    hint: 'run it again as "ironic-coreos --debug COMMAND …", and report what it prints',
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
 * Errors of the system and of this program say what is wrong without quoting data. Others, such as those of `JSON.parse`,
 * may quote secrets.
 */
function mayQuote(error: Error): boolean {
  return !(error instanceof CliError) && !('code' in error && typeof error.code === 'string');
}
