/**
 * Responses of the Kubernetes API server: bodies with a size limit, and errors as messages for the user.
 */

import { asMapping, isMapping, type Mapping, parseIfJson } from '../formats/mapping.ts';
import { CliError } from '../core/errors.ts';
import type { Masker } from '../core/knownSecrets.ts';
import { maskLogLine } from '../core/masking.ts';
import { readAll } from '../io/files/files.ts';
import { failureOf, secondsOf, type TransferDetails, TransferError } from '../http/client/httpErrors.ts';
import { plainText } from '../http/server/textResponse.ts';

/** The API server refused a request, or sent no valid response. */
export class ApiError extends TransferError {
  constructor(message: string, details: TransferDetails = {}) {
    super(message, { code: 'ERR_KUBERNETES', ...details });
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('unknown error', { cause: thrown });
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the object was changed meanwhile, or already exists. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Whether the resource version of the request is too old. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 410;
}

/** Characters of a message from the API server. */
const MAX_MESSAGE = 1000;
/** Milliseconds; longer times are ignored. */
const LONGEST_WAIT = 600_000;

/**
 * Reads the whole body as JSON.
 * @param operation for messages: `list secrets in metal3`
 */
export async function readJson(
  parts: AsyncIterable<Uint8Array>,
  operation: string,
  maxBytes: number,
): Promise<unknown> {
  return parseJson(
    await readAll(parts, maxBytes, () => responseTooLarge(operation, ` has more than ${maxBytes} bytes`)),
    operation,
  );
}

export function parseJson(bytes: Uint8Array, operation: string): unknown {
  const value = parseIfJson(decoder.decode(bytes));
  if (value !== undefined) return value;
  // Without the error of the parser as the cause: it quotes the text, which may be a Secret.
  throw invalidResponse(operation, 'the response is not valid JSON');
}

const decoder = new TextDecoder();

export function responseTooLarge(operation: string, detail = ' is too large'): ApiError {
  return new ApiError(`Cannot ${operation}: the response${detail}`, { code: 'ERR_TOO_LARGE' });
}

/** @param problem a clause */
export function invalidResponse(operation: string, problem: string): ApiError {
  return new ApiError(`Cannot ${operation}: ${problem}`, { hint: breaks.protocol });
}

export function abortedError(operation: string): ApiError {
  return new ApiError(`Cannot ${operation}: the request was aborted`);
}

/**
 * The error for an unsuccessful response, or for a watch that ends with an error.
 * @param body usually a Kubernetes `Status`
 * @param sent the `Retry-After` header, and what masks the secrets of the request: the message of the server may quote it
 */
export function describeRefusal(
  operation: string,
  status: number,
  body: unknown,
  { mask = String, retryAfter }: { readonly mask?: Masker; readonly retryAfter?: string | undefined } = {},
): ApiError {
  const answer: Mapping = isMapping(body) && body['kind'] === 'Status' ? body : {};
  const { message } = answer;
  const { retryAfterSeconds: seconds } = asMapping(answer['details']);
  const words =
    typeof message === 'string' && message !== '' ? message : `the server responds with ${status}`;
  return new ApiError(`Cannot ${operation}: ${plainText(maskLogLine(mask(words)), MAX_MESSAGE)}`, {
    status,
    wait: Math.min(
      Math.max(secondsOf(retryAfter), typeof seconds === 'number' ? seconds : 0) * 1000,
      LONGEST_WAIT,
    ),
    hint: hints[status],
  });
}

const hints: Readonly<Record<number, string>> = {
  401: 'create a new token or client certificate; this one is invalid or has expired',
  403: 'bind a role that allows this to the user or service account',
  404: 'check the name and the namespace, and that the CRD is installed in the cluster',
};

/** The error for an exception of undici or of the system during a request; other errors are returned unchanged. */
export function describeBreak(error: unknown, operation: string): unknown {
  if (error instanceof ApiError) return error;
  if (error instanceof CliError) {
    // It comes from reading the token file.
    return new ApiError(`Cannot ${operation}: ${error.message}`, { hint: error.hint, isPassing: true });
  }
  const failure = failureOf(error);
  if (failure === undefined) return error; // an internal error
  return new ApiError(`Cannot ${operation}: ${failure.problem}`, {
    hint: breaks[failure.kind],
    isPassing: failure.kind === 'connection' || failure.kind === 'proxy',
    // The cause would contain the data that the parser could not read.
    cause: failure.kind === 'protocol' ? undefined : error,
  });
}

const breaks = {
  connection: 'check that the API server is running at this address',
  trust: 'set certificate-authority in the kubeconfig to the CA of the cluster',
  protocol: 'check the address of the API server, and any proxy in front of it',
  proxy: 'check https_proxy and no_proxy, or proxy-url in the kubeconfig',
} as const;
