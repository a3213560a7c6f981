/**
 * The errors that a user may meet. Every one is a sentence in the user's terms; what to do about it stands in `hint`.
 * Anything else that is thrown is a defect of this program.
 */

/** A line of a text that an error is about, without secrets. */
export interface Excerpt {
  /** From 1 on. */
  readonly line: number;
  /** Of the place in the text of the line, in characters from 0 on. */
  readonly at: number;
  readonly text: string;
}

export interface ErrorDetails {
  /** What the user can do about it, shown on a line of its own. */
  readonly hint?: string | undefined;
  /** The low-level error behind it, for `--verbose` and for debugging. */
  readonly cause?: unknown;
  /** Shown below the message; without, that of a cause which has one. */
  readonly excerpt?: Excerpt | undefined;
}

/** The operation failed; the program ends with exit code 1. */
export class CliError extends Error {
  readonly hint: string | undefined;
  readonly excerpt: Excerpt | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
    this.excerpt = details.excerpt ?? (details.cause instanceof CliError ? details.cause.excerpt : undefined);
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
