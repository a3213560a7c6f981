/** Exit codes of commands that compare, as diff(1) has them: 1 says that something differs, so trouble is 2. */

import { CliError, ComparisonError, UsageError } from '../../core/errors.ts';

/** The error with 2 as its exit code; anything else but a CliError as it is. */
export function asTrouble(error: unknown): unknown {
  if (!(error instanceof CliError) || error instanceof UsageError) return error;
  const { hint } = error;
  return new ComparisonError(error.message, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
