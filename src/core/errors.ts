/**
 * The errors for users, and their codes. Every message is a sentence in the user's terms, and `hint` contains the action that
 * fixes the error. Any other exception is a defect of this program.
 */

import { LONGEST_MESSAGE, shorten } from './foreignText.ts';

/** Error codes, grouped by the action of the user. `explain CODE` prints their section in docs/errors.md. */
export const errorCodes = [
  'ERR_USAGE',
  'ERR_SETTING',
  'ERR_INVENTORY',
  'ERR_HOST',
  'ERR_CONFIG_INVALID',
  'ERR_CONFIG_VERSION',
  'ERR_FORMAT',
  'ERR_IMAGE',
  'ERR_IMAGE_SPACE',
  'ERR_IMAGE_CHANGED',
  'ERR_COMPARE',
  'ERR_FILE_MISSING',
  'ERR_FILE_ACCESS',
  'ERR_FILE_EXISTS',
  'ERR_FILE_READ',
  'ERR_FILE_WRITE',
  'ERR_DISK_FULL',
  'ERR_BUSY',
  'ERR_TOO_LARGE',
  'ERR_NETWORK',
  'ERR_TLS',
  'ERR_HTTP',
  'ERR_DIGEST',
  'ERR_SIGNATURE',
  'ERR_PROGRAM',
  'ERR_LISTEN',
  'ERR_KUBERNETES',
  'ERR_MACHINE',
  'ERR_BMC',
  'ERR_INTERNAL',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** The line that an error refers to, without secrets, with the place marked; only a part of a long line. */
export interface Excerpt {
  /** Counts from 1. */
  readonly line: number;
  readonly before: string;
  /** The marked text; may be empty. */
  readonly marked: string;
  readonly after: string;
}

/** Both count from 1; `column` counts bytes, as Ignition does. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Orders positions in one file; unknown ones come first. */
export function comparePositions(one: Partial<Position> = {}, other: Partial<Position> = {}): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}

/** Where in a file of the user something is; line and column count from 1. */
export interface FilePlace {
  /** As the user named it. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `ramdisk.yaml:4:5`, as editors and terminals understand it. */
export function formatPlace({ file, line, column }: FilePlace): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

export function placeIn(file: string, line?: number): FilePlace {
  return { file, ...(line !== undefined && { line }) };
}

/** Where an input comes from, for messages. */
export interface InputSource {
  /** `--api-url`, `IRONIC_BASE_URL`, or the name of a setting in a file: `ironic.apiUrls`. */
  readonly name: string;
  /** The position in a file of the user. */
  readonly at?: FilePlace | undefined;
}

/** Names the input in the middle of a sentence: `--api-url`, or `ramdisk.yaml:2:3: ironic.apiUrls`. */
export function formatSource({ at, name }: InputSource): string {
  return at === undefined ? name : `${formatPlace(at)}: ${name}`;
}

export interface ErrorDetails {
  /** Default: the code of the class. */
  readonly code?: ErrorCode | undefined;
  /** How to fix it, printed on a separate line. */
  readonly hint?: string | undefined;
  /** The low-level error behind it, for `--verbose` and for debugging. */
  readonly cause?: unknown;
  /** Printed below the message; default: the excerpt of the cause. */
  readonly excerpt?: Excerpt | undefined;
  /** Begins the message. */
  readonly at?: FilePlace | undefined;
  /** The id of the rule that the input breaks. */
  readonly rule?: string | undefined;
}

/** The operation failed; the program ends with exit code 1. */
export class CliError extends Error {
  /** The message without the place. */
  readonly sentence: string;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly excerpt: Excerpt | undefined;
  readonly at: FilePlace | undefined;
  readonly rule: string | undefined;

  constructor(given: string, details: ErrorDetails & { readonly code: ErrorCode }) {
    const { at } = details;
    const sentence = shorten(given, LONGEST_MESSAGE);
    super(at === undefined ? sentence : `${formatPlace(at)}: ${sentence}`, { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.sentence = sentence;
    this.at = at;
    this.rule = details.rule;
    this.hint = details.hint;
    this.excerpt = details.excerpt ?? (details.cause instanceof CliError ? details.cause.excerpt : undefined);
  }
}

/** Usage error; the program ends with exit code 2. */
export class UsageError extends CliError {
  constructor(sentence: string, details: ErrorDetails = {}) {
    super(sentence, { ...details, code: details.code ?? 'ERR_USAGE' });
  }
}

/** Two things could not be compared; the program ends with exit code 2, as diff(1) does. */
export class ComparisonError extends CliError {
  constructor(sentence: string, details: ErrorDetails = {}) {
    super(sentence, { ...details, code: 'ERR_COMPARE' });
  }
}

/**
 * The bytes or the text do not match their format. `offset` counts bytes (or characters of a text) from the start. The
 * message ends with the position in a text.
 */
export class FormatError extends CliError {
  readonly offset: number | undefined;
  readonly position: Position | undefined;

  constructor(sentence: string, details: FormatDetails = {}) {
    super(sentence, { ...details, code: details.code ?? 'ERR_FORMAT' });
    const { offset, position } = details;
    this.offset = offset;
    this.position = position;
    if (position !== undefined) this.message += ` at line ${position.line}, column ${position.column}`;
  }
}

interface FormatDetails extends ErrorDetails {
  readonly offset?: number;
  readonly position?: Position;
}

/** The bytes may be valid, but their format is one that this program does not read. */
export class UnsupportedError extends FormatError {}

/** What is read, for the errors about it. */
export interface ErrorContext {
  /** Begins the message of a FormatError, with a colon unless the message continues it: `a.iso:`, `--api-url`. */
  readonly subject?: string;
  /** The text file that is read, in place of a subject: its name and the position in it begin the message of a FormatError. */
  readonly file?: string;
  /** Where it is, or where a user names it. */
  readonly at?: FilePlace | undefined;
  /** Of a FormatError without a code of its own (default: ERR_FORMAT). ERR_USAGE makes it a UsageError. */
  readonly code?: ErrorCode;
  /** Of a FormatError without a hint. */
  readonly hint?: string;
}

/**
 * The result of `read`, or of its promise. Errors get the context: a FormatError becomes one that names the subject, and any other
 * error for users gets the place, unless it has one.
 */
export function located<T>(context: ErrorContext, read: () => Promise<T>): Promise<T>;
export function located<T>(context: ErrorContext, read: () => T): T;
export function located(context: ErrorContext, read: () => unknown): unknown {
  const fail = (error: unknown): never => {
    throw inContext(error, context);
  };
  try {
    const result = read();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

function inContext(error: unknown, context: ErrorContext): unknown {
  const { at, code = 'ERR_FORMAT', file, hint, subject } = context;
  if (!(error instanceof CliError) || error.at !== undefined) return error;
  const details = { code: error.code, excerpt: error.excerpt, rule: error.rule, at, cause: error };
  if (error instanceof FormatError && (file ?? subject) !== undefined) {
    const Kind = code === 'ERR_USAGE' ? UsageError : CliError;
    return new Kind(file === undefined ? `${subject} ${error.message}` : error.sentence, {
      ...details,
      code: error.code === 'ERR_FORMAT' ? code : error.code,
      hint: error.hint ?? hint,
      at: file === undefined ? at : { file, ...error.position },
    });
  }
  if (at === undefined) return error;
  const Kind = error instanceof UsageError ? UsageError : CliError;
  return new Kind(error.sentence, { ...details, hint: error.hint });
}

/** The result of `read`, or the FormatError that it throws. */
export function orFormatError<T>(read: () => T): T | FormatError {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** The result of `read`; undefined if it throws FormatError. */
export function ifWellFormed<T>(read: () => T): T | undefined {
  const result = orFormatError(read);
  return result instanceof FormatError ? undefined : result;
}

/** A handler for `catch` of a promise: handles errors of this class, and throws all others unchanged. */
export function only<E, T>(
  Kind: abstract new (...details: never[]) => E,
  handle: (error: E) => T,
): (error: unknown) => T {
  return (error) => {
    if (error instanceof Kind) return handle(error);
    throw error;
  };
}
