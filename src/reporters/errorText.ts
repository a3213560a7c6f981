/** What ended a command, as text: the error, with `--verbose` its causes, with `--debug` where it was thrown. */

import { CliError } from '../errors.ts';
import { printable } from './printable.ts';
import { formatError } from './remark.ts';

/** How much is said about an error besides what to do about it. */
export type ErrorDetail = 'nothing' | 'causes' | 'stacks';

/** Causes of causes that are followed; they may refer to each other in a circle. */
const MAX_CAUSES = 8;

/** Whole lines. What is not a CliError is a defect of this program, and says so. */
export function describeError(error: unknown, detail: ErrorDetail): string {
  const text = error instanceof CliError ? formatError(error) : formatError(defectOf(error));
  if (detail === 'nothing') return text;
  const stack = detail === 'stacks' ? formatStack(error) : '';
  return (
    text +
    stack +
    causesOf(error)
      .map((cause) => formatCause(cause, detail))
      .join('')
  );
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

function formatCause(cause: unknown, detail: ErrorDetail): string {
  return `cause: ${printable(nameCause(cause))}\n${detail === 'stacks' ? formatStack(cause) : ''}`;
}

/**
 * Errors of the system and of this program say what is wrong without quoting data. Others, such as those of `JSON.parse`,
 * may quote secrets, and only their name is told.
 */
function nameCause(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const isHarmless = cause instanceof CliError || ('code' in cause && typeof cause.code === 'string');
  return isHarmless ? `${cause.name}: ${cause.message}` : cause.name;
}

/** All of it for a defect, which cannot be understood otherwise; of other errors the places alone. */
function formatStack(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const lines = (error.stack ?? '').split('\n');
  const places = lines.filter((line) => /^\s+at /.test(line));
  return [...(isDefect(error) ? [`${error.name}: ${error.message}`] : []), ...places]
    .map((line) => `${printable(line)}\n`)
    .join('');
}

function isDefect(error: Error): boolean {
  return !(error instanceof CliError) && !('code' in error);
}
