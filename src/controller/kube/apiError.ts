/** What goes wrong between here and the API server of Kubernetes. */

import { CliError, type ErrorDetails } from '../../core/errors.ts';

interface ApiErrorDetails extends ErrorDetails {
  readonly status?: number | undefined;
  readonly reason: string;
  readonly retryAfter?: number;
}

/** A request failed: the API server refused it, or there was no answer. */
export class ApiError extends CliError {
  /** The HTTP status; undefined where there was no answer, or none of an API server. */
  readonly status: number | undefined;
  /** One word: of Kubernetes (`Conflict`, `NotFound`, `Expired`), or an `OwnReason`. */
  readonly reason: string;
  /** Milliseconds that the API server wants us to wait. */
  readonly retryAfter: number;

  constructor(message: string, { status, reason, retryAfter = 0, ...details }: ApiErrorDetails) {
    super(message, details);
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  /** Whether the same may go better in a while. */
  get isPassing(): boolean {
    if (this.status !== undefined) return PASSING_STATUSES.has(this.status);
    return PASSING_REASONS.has(this.reason);
  }
}

/** Reasons that Kubernetes has no word for. */
export type OwnReason =
  /** Nothing was heard, or it broke off. */
  | 'NoConnection'
  /** Its certificate. */
  | 'NotTrusted'
  /** The file of the token cannot be read just now. */
  | 'NoToken'
  /** It is nothing that an API server says. */
  | 'NotUnderstood'
  /** It is larger than is taken. */
  | 'TooLarge'
  /** The client was closed, or the signal of the request came. */
  | 'GivenUp';

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const PASSING_REASONS: ReadonlySet<string> = new Set<OwnReason>(['NoConnection', 'NoToken']);

/** Whether the object is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the object has become another one meanwhile, or there is one of that name already. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Whether the API server no longer knows the state that the request starts from. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}
