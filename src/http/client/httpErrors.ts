/** Errors of HTTP transfers as sentences, and whether a retry may help. */

import { CliError, type ErrorDetails } from '../../core/errors.ts';
import { errorCode } from '../../io/files/fileErrors.ts';

export interface TransferDetails extends ErrorDetails {
  readonly isPassing?: boolean;
  readonly status?: number;
  readonly wait?: number;
}

/** A request failed: of a download, or to a BMC or an API server. */
export class TransferError extends CliError {
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;
  /** Of the HTTP response; undefined without one. */
  readonly status: number | undefined;
  /** Milliseconds to wait, as requested by the server. */
  readonly wait: number;

  constructor(message: string, { isPassing = false, status, wait = 0, ...details }: TransferDetails = {}) {
    super(message, { ...details, code: details.code ?? 'ERR_NETWORK' });
    this.isPassing = isPassing;
    this.status = status;
    this.wait = wait;
  }
}

/** Status codes that coreos-installer also retries. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

const OTHER_URL = 'use the URL that the server redirects to';
const LOGIN_FOR_PROXY = 'add the credentials to the proxy URL: http://USER:PASSWORD@…';

/**
 * The error for an HTTP error status.
 * @param name the URL as it may be shown
 * @param retryAfter the header of that name
 */
export function describeStatus(status: number, name: string, retryAfter: string | undefined): TransferError {
  const hints: Readonly<Record<number, string>> = {
    401: 'add the credentials to the URL: https://USER:PASSWORD@…',
    403: 'allow read access to the file on the server',
    404: 'use a URL or stream that exists',
    407: LOGIN_FOR_PROXY,
  };
  const usual = status >= 300 && status < 400 ? OTHER_URL : 'try again later, or read the log of the server';
  return new TransferError(`${name} cannot be fetched: the server returned HTTP status ${status}`, {
    code: 'ERR_HTTP',
    hint: hints[status] ?? usual,
    isPassing: PASSING_STATUSES.has(status),
    status,
    wait: secondsOf(retryAfter) * 1000,
  });
}

/** The header Retry-After. Only seconds: the other form, a date, is rare, and the clocks may differ. */
export function secondsOf(retryAfter = ''): number {
  return /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
}

/**
 * Converts an error of undici or the system, before or during a response.
 * @param name the URL as it may be shown
 * @param signal cancels the transfer
 */
export function describeFailure(error: unknown, name: string, signal?: AbortSignal): CliError {
  if (error instanceof CliError) return error;
  if (signal?.aborted === true) return new TransferError(`fetching ${name} was canceled`, { cause: error });
  const message = error instanceof Error ? error.message : 'the connection failed';
  const { hint, isPassing, kind, problem } = failureOf(error) ?? { problem: message, kind: 'protocol' };
  return new TransferError(`${name} cannot be fetched: ${problem}`, {
    code: failureCodes[kind],
    hint: hint ?? 'check the URL with: curl -v URL',
    isPassing: isPassing ?? false,
    cause: error,
  });
}

/** What undici or the system said about a request without a complete response. */
export interface NetworkFailure {
  /** A clause: `connection refused`. */
  readonly problem: string;
  readonly kind: 'connection' | 'protocol' | 'proxy' | 'trust';
  /** Of a failed download. */
  readonly hint?: string;
  readonly isPassing?: boolean;
  readonly code?: string;
}

const failureCodes = {
  connection: 'ERR_NETWORK',
  trust: 'ERR_TLS',
  protocol: 'ERR_HTTP',
  proxy: 'ERR_HTTP',
} as const satisfies Record<NetworkFailure['kind'], string>;

/** Undefined for an error without a code, which is a defect of this program. */
export function failureOf(error: unknown): NetworkFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  // Only the message of undici contains the status of a proxy that rejects the connection.
  const [, status] = /^Proxy response \((\d{3})\)/.exec(error.message) ?? [];
  if (status !== undefined) {
    return {
      problem: `the proxy returned HTTP status ${status}`,
      kind: 'proxy',
      hint: status === '407' ? LOGIN_FOR_PROXY : 'fix https_proxy, or add the host to no_proxy',
      isPassing: PASSING_STATUSES.has(Number(status)),
    };
  }
  // Errors of undici's parser have no code.
  const parserCode = error.message.includes('Invalid EOF state') ? 'HPE_INVALID_EOF_STATE' : 'HPE_UNKNOWN';
  const code = error.name === 'HTTPParserError' ? parserCode : errorCode(error);
  if (code === undefined) return undefined;
  const known = problems.find(({ codes }) => codes.test(code)) ?? { problem: code, kind: 'connection' };
  return { ...known, code, isPassing: known.kind === 'connection' };
}

/** A retry may help only for `connection`. */
const problems: readonly (NetworkFailure & { readonly codes: RegExp })[] = [
  {
    codes: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    problem: 'host not found',
    hint: 'fix the host name in the URL, or the proxy settings',
    kind: 'connection',
  },
  {
    codes: /^ECONNREFUSED$/,
    problem: 'connection refused',
    hint: 'fix the address and port in the URL, or the proxy settings',
    kind: 'connection',
  },
  {
    codes:
      /^(?:ECONNRESET|EPIPE|ERR_ASSERTION|HPE_INVALID_EOF_STATE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    problem: 'the connection was interrupted',
    hint: 'run the command again; if it fails again, read the output of: curl -v URL',
    kind: 'connection',
  },
  {
    codes: /^(?:E(?:HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    problem: 'no response from the server',
    hint: 'check the route to the server with "curl -v URL", and run the command again',
    kind: 'connection',
  },
  {
    // The response is not TLS, in OpenSSL 3.0 and since 3.2.
    codes: /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    problem: 'the server does not use TLS on this port',
    hint: 'use http:// instead of https://, or fix the port of the URL',
    kind: 'protocol',
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    problem: 'its TLS certificate is for other host names',
    hint: 'use a host name in the certificate',
    kind: 'trust',
  },
  {
    codes: /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    problem: 'its TLS certificate has expired or is not valid yet',
    hint: 'renew the certificate, or set the clock of this machine',
    kind: 'trust',
  },
  {
    codes: /CERT|SIGNATURE|^INVALID_(?:CA|PURPOSE)$|^ERR_TLS|^ERR_SSL|^EPROTO|UND_ERR_PRX_TLS/,
    problem: 'its TLS certificate is not trusted',
    hint: 'set NODE_EXTRA_CA_CERTS to the file with the CA certificate',
    kind: 'trust',
  },
  {
    codes: /^UND_ERR_INVALID_ARG$/,
    problem: 'endless redirects, or a redirect to a URL that is not http:// or https://',
    hint: OTHER_URL,
    kind: 'protocol',
  },
  {
    codes: /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_EXCEEDED_MAX_SIZE|ABORTED)$/,
    problem: 'the response is not valid HTTP',
    hint: 'fix the scheme and port of the URL',
    kind: 'protocol',
  },
];
