/**
 * Answers of the API server of Kubernetes: bodies up to a size limit, and errors as sentences for the user.
 */

import { isMapping } from '../../formats/mapping.ts';
import { CliError, type ErrorDetails } from '../../core/errors.ts';
import { readAll } from '../../io/files/files.ts';
import { findProblem, type NetworkProblem, proxyStatusOf, transferCode } from '../../io/http/httpErrors.ts';
import { plainText } from '../../serve/http/textResponse.ts';

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
    super(message, { ...details, code: details.code ?? 'ERR_KUBERNETES' });
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

/** A line of a watch is longer than the limit; nothing behind it is known to be a line. */
export class LineTooLong extends Error {}

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

/** What was asked for: `list secrets in metal3`. */
export type Operation = string;

/** Characters of the API server's words. */
const MAX_MESSAGE = 1000;
/** Milliseconds; what is wanted beyond that is no advice. */
const LONGEST_WAIT = 600_000;

/**
 * The whole body as JSON.
 * @throws ApiError where it is larger than `maxBytes` or no JSON
 */
export async function readJson(
  parts: AsyncIterable<Uint8Array>,
  operation: Operation,
  maxBytes: number,
): Promise<unknown> {
  return parseJson(await readAll(parts, maxBytes, () => tooLarge(operation, maxBytes)), operation);
}

/** @throws ApiError for what is no JSON */
export function parseJson(bytes: Uint8Array, operation: Operation): unknown {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return value;
  } catch {
    // What JSON.parse says quotes the text, which may be a Secret.
    throw notUnderstood(operation, 'the answer is no JSON');
  }
}

const decoder = new TextDecoder();

function tooLarge(operation: Operation, maxBytes: number): ApiError {
  return ownError('TooLarge', `Cannot ${operation}: the answer has more than ${maxBytes} bytes`);
}

/** @param problem a clause */
export function notUnderstood(operation: Operation, problem: string): ApiError {
  return ownError('NotUnderstood', `Cannot ${operation}: ${problem}`, {
    hint: 'check the address of the API server, and what stands before it',
  });
}

export function givenUp(operation: Operation): ApiError {
  return ownError('GivenUp', `Cannot ${operation}: it was given up`);
}

function ownError(
  reason: OwnReason,
  message: string,
  details: { readonly hint?: string; readonly cause?: unknown } = {},
): ApiError {
  return new ApiError(message, { reason, ...details });
}

interface Refusal {
  readonly operation: Operation;
  readonly status: number;
  /** The header of that name. */
  readonly retryAfter?: string | undefined;
  /** A `Status` of Kubernetes, if it is one. */
  readonly body: unknown;
  /** What must not be in the message, even where the server says it. */
  readonly secret?: string | undefined;
}

/** For an answer that is no success, or a watch that ends with an error. */
export function describeRefusal({ operation, status, retryAfter, body, secret }: Refusal): ApiError {
  const said = isMapping(body) && body['kind'] === 'Status' ? body : {};
  const { message, reason } = said;
  const words = typeof message === 'string' && message !== '' ? message : `the server answers with ${status}`;
  const shown = secret === undefined ? words : words.replaceAll(secret, '***');
  const hint = hints[status];
  return new ApiError(`Cannot ${operation}: ${plainText(shown, MAX_MESSAGE)}`, {
    status,
    reason: typeof reason === 'string' && reason !== '' ? plainText(reason, 60) : 'Unknown',
    retryAfter: Math.min(Math.max(secondsOf(retryAfter), secondsIn(said)) * 1000, LONGEST_WAIT),
    ...(hint === undefined ? {} : { hint }),
  });
}

const hints: Readonly<Record<number, string>> = {
  401: 'the token or certificate is not valid, or no longer; make a new one',
  403: 'bind a role that allows this to the user or service account',
  404: 'check the name and the namespace, and that this kind of object is installed in the cluster',
};

/** The other form, a date, is not used by API servers. */
function secondsOf(retryAfter = ''): number {
  return /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
}

function secondsIn(status: Readonly<Record<string, unknown>>): number {
  const details = status['details'];
  const seconds = isMapping(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}

/** For what undici, or the system below it, throws instead of an answer or in the middle of one; others are passed on. */
export function describeBreak(error: unknown, operation: Operation): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof CliError) return noToken(error, operation);
  if (error instanceof LineTooLong)
    return ownError('TooLarge', `Cannot ${operation}: an answer is too large`);
  const proxyStatus = proxyStatusOf(error);
  if (proxyStatus !== undefined) {
    return ownError('NoConnection', `Cannot ${operation}: the proxy answers with ${proxyStatus}`, {
      hint: 'check https_proxy and no_proxy, or proxy-url of the kubeconfig',
    });
  }
  const code = transferCode(error);
  if (code === undefined) return error; // a defect of this program
  const { problem, kind } = findProblem(code) ?? { problem: code, kind: 'connection' };
  const { reason, hint } = breaks[kind];
  // The cause would bring along what the parser could not read.
  const cause = kind === 'protocol' ? undefined : error;
  return ownError(reason, `Cannot ${operation}: ${problem}`, { hint, cause });
}

/** What the user gave is all that else may be wrong. */
function noToken({ message, hint }: CliError, operation: Operation): ApiError {
  return ownError('NoToken', `Cannot ${operation}: ${message}`, hint === undefined ? {} : { hint });
}

const breaks: Readonly<
  Record<NetworkProblem['kind'], { readonly reason: OwnReason; readonly hint: string }>
> = {
  connection: { reason: 'NoConnection', hint: 'check the address of the API server, and that it runs' },
  trust: {
    reason: 'NotTrusted',
    hint: 'give the authority of the cluster: certificate-authority of the kubeconfig',
  },
  protocol: {
    reason: 'NotUnderstood',
    hint: 'check the address of the API server, and what stands before it',
  },
};
