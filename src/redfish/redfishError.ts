/** The errors of requests to a BMC, as sentences without credentials. */

import { CliError } from '../core/errors.ts';
import { formatCount } from '../formats/messageText.ts';
import type { RedfishMessage } from './messages.ts';
import { failureOf, type TransferDetails, TransferError } from '../http/client/httpErrors.ts';

export class RedfishError extends TransferError {
  /** What the BMC said; empty without a response. */
  readonly messages: readonly RedfishMessage[];

  constructor(message: string, details: TransferDetails & { messages?: readonly RedfishMessage[] }) {
    super(message, { code: 'ERR_BMC', ...details });
    this.messages = details.messages ?? [];
  }
}

/**
 * The functions below take the request as the subject of a sentence: the origin, and what the request does:
 * `https://192.0.2.10: inserting the image`.
 */
export function invalidAnswer(request: string, problem: string): RedfishError {
  return new RedfishError(`${request} failed: ${problem}`, {
    hint: 'fix the address of the BMC if this is another web server; otherwise restart the BMC',
  });
}

/** By code or kind of the problem. */
const hints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a name in the certificate as the address of the BMC, or use --insecure',
  CERT_HAS_EXPIRED: 'renew the certificate of the BMC, or use --insecure',
  CERT_NOT_YET_VALID: 'set the clocks of the BMC and of this machine, or use --insecure',
  connection: 'fix the address of the BMC, or check the network between this machine and the BMC',
  trust: 'pass the CA certificate of the BMC: --ca-file FILE; or use --insecure',
  protocol: 'fix the port in the address of the BMC, or its scheme: https://, http://, redfish+http://',
};

/** Converts an error of undici or of the system. */
export function connectionError(error: unknown, request: string): CliError {
  if (error instanceof CliError) return error;
  const {
    code = '',
    kind,
    problem,
  } = failureOf(error) ?? {
    problem: 'the connection failed',
    kind: 'connection',
  };
  return new RedfishError(`${request} failed: ${problem}`, {
    code: kind === 'trust' ? 'ERR_TLS' : 'ERR_NETWORK',
    hint: hints[code] ?? hints[kind],
    isPassing: kind === 'connection',
    cause: error,
  });
}

/** @param time milliseconds that the request was allowed to take */
export function timeoutError(request: string, time: number): CliError {
  return new RedfishError(`${request} failed: no complete response from the BMC within ${inSeconds(time)}`, {
    code: 'ERR_NETWORK',
    hint: 'check the network between this machine and the BMC, or restart the BMC',
  });
}

/** @param time milliseconds since the request was sent */
export function canceledError(request: string, time: number): CliError {
  return new RedfishError(`${request} was canceled, ${inSeconds(time)} after it was sent`, {
    code: 'ERR_NETWORK',
  });
}

function inSeconds(milliseconds: number): string {
  return formatCount(Math.round(milliseconds / 1000), 'second');
}
