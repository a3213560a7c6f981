/**
 * The errors that a user may meet. Every one is a sentence in the user's terms; what to do about it stands in `hint`.
 * Anything else that is thrown is a defect of this program.
 */

export interface ErrorDetails {
  /** What the user can do about it, shown on a line of its own. */
  readonly hint?: string;
  /** The low-level error behind it, for `--verbose` and for debugging. */
  readonly cause?: unknown;
}

/** The operation failed; the program ends with exit code 1. */
export class CliError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
  }
}

/** The command line is wrong; the program ends with exit code 2. */
export class UsageError extends CliError {}

/** Two things could not be compared; the program ends with exit code 2, as diff(1) does. */
export class ComparisonError extends CliError {}

/** Bytes or text are not what their format demands. `offset` counts bytes (or characters of a text) from its start. */
export class FormatError extends CliError {
  readonly offset: number | undefined;

  constructor(message: string, details: ErrorDetails & { readonly offset?: number } = {}) {
    super(message, details);
    this.offset = details.offset;
  }
}
