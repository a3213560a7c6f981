/** The errors of requests to a BMC, as sentences without credentials. */

import { CliError } from '../../core/errors.ts';
import {
  describeBmcRefusal,
  hintForRefusal,
  isPassing,
  type RedfishMessage,
} from '../../redfish/messages.ts';
import { findProblem, transferCode, TransferError } from '../http/httpErrors.ts';

/** A request to a BMC failed. */
export class RedfishError extends TransferError {
  /** What the BMC said; empty without a response. */
  readonly messages: readonly RedfishMessage[];

  constructor(
    message: string,
    details: ConstructorParameters<typeof TransferError>[1] & { messages?: readonly RedfishMessage[] },
  ) {
    super(message, { code: 'ERR_BMC', ...details });
    this.messages = details.messages ?? [];
  }
}

/** The request, for errors. */
export interface RequestName {
  /** `https://192.0.2.10` */
  readonly origin: string;
  /** What it does, as a gerund: `inserting the image`. */
  readonly action: string;
}

export interface Refused {
  readonly status: number;
  readonly messages: readonly RedfishMessage[];
  /** Milliseconds of the header Retry-After. */
  readonly wait: number;
}

export function refusedError(
  { action, origin }: RequestName,
  { messages, status, wait }: Refused,
): RedfishError {
  return new RedfishError(`${origin}: ${action} failed: ${describeBmcRefusal(status, messages)}`, {
    hint: hintForRefusal(status, messages),
    isPassing: isPassing(status, messages),
    status,
    wait,
    messages,
  });
}

export function invalidAnswer({ action, origin }: RequestName, problem: string): RedfishError {
  return new RedfishError(`${origin}: ${action} failed: ${problem}`, {
    hint: 'fix the address of the BMC if this is another web server; otherwise restart the BMC',
  });
}

/** Converts an error of undici or of the system. */
export function connectionError(error: unknown, { action, origin }: RequestName): CliError {
  if (error instanceof CliError) return error;
  const found = findProblem(transferCode(error));
  const problem = found?.problem ?? transferCode(error) ?? 'the connection failed';
  const isTrust = found?.kind === 'trust';
  return new RedfishError(`${origin}: ${action} failed: ${problem}`, {
    code: isTrust ? 'ERR_TLS' : 'ERR_NETWORK',
    hint: isTrust
      ? 'pass the CA certificate of the BMC: --ca-file FILE; or use --insecure'
      : 'fix the address of the BMC, or check the network between this machine and the BMC',
    isPassing: found === undefined || found.kind === 'connection',
    cause: error,
  });
}
