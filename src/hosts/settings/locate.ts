/** Readers of settings call an input by its place; whoever reports gets the place apart, as file, line and column. */

import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { CliError, type FilePlace, UsageError } from '../../core/errors.ts';

interface Located {
  readonly at: FilePlace;
  /** Without the file and its line. */
  readonly message: string;
}

/** The diagnostic with the place of the input that its message begins with. */
export function locateDiagnostic(diagnostic: Diagnostic, inputs: Inputs): Diagnostic {
  const located = diagnostic.at === undefined ? locate(diagnostic.message, inputs) : undefined;
  return located === undefined ? diagnostic : { ...diagnostic, ...located };
}

/** The error with the place of the input that its message begins with; any other value as it is. */
export function locateError(error: unknown, inputs: Inputs): unknown {
  if (!(error instanceof CliError) || error.at !== undefined) return error;
  const located = locate(error.sentence, inputs);
  if (located === undefined) return error;
  const { code, excerpt, hint } = error;
  const details = { code, excerpt, hint, at: located.at, cause: error };
  return error instanceof UsageError
    ? new UsageError(located.message, details)
    : new CliError(located.message, details);
}

function locate(message: string, inputs: Inputs): Located | undefined {
  for (const value of [...inputs.values()].flat()) {
    if (value.source !== undefined && message.startsWith(value.place))
      return relative(message, value, value.source);
  }
  return undefined;
}

function relative(
  message: string,
  { place }: InputValue,
  { at, name }: NonNullable<InputValue['source']>,
): Located {
  return { at, message: name + message.slice(place.length) };
}
