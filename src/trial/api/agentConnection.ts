/**
 * HTTP requests to an agent at its callback URL. Any client can send a URL, so time and size are limited, redirects and
 * proxies are not used, and no data is sent before the certificate of the agent is verified.
 */

import { X509Certificate } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { asMapping, type Mapping, parseIfJson } from '../../formats/mapping.ts';
import type { CallbackReason } from '../timeline/events.ts';
import { limitTime } from '../../io/clock.ts';
import { connect } from '../../http/client/connect.ts';
import { failureOf } from '../../http/client/httpErrors.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { readAll } from '../../io/files/files.ts';

export class AgentError extends CliError {
  readonly reason: CallbackReason;

  constructor(reason: CallbackReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: 'ERR_MACHINE' });
    this.reason = reason;
  }
}

export interface AskedAgent {
  readonly callbackUrl: string;
  /** PEM to verify its certificate; undefined for the certificate authorities of the system. */
  readonly verifyCa: string | undefined;
  /** Required for everything but the status of the agent. */
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

export interface AgentResponse {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/**
 * Gets a path with its query, or sends a body there with POST, as JSON.
 * @throws AgentError
 */
export type AgentRequest = (path: string, body?: object) => Promise<AgentResponse>;

/** @param time milliseconds for all requests of `ask` together */
export async function askWithin<Reply>(
  agent: AskedAgent,
  time: number,
  ask: (request: AgentRequest) => Promise<Reply>,
): Promise<Reply> {
  const { signal, release } = limitTime(time, { signal: agent.signal });
  try {
    return await ask((path, body) => requestAgent(agent, path, body, signal, time));
  } finally {
    release();
  }
}

const MAX_SIZE = 1024 * 1024;

async function requestAgent(
  { callbackUrl, verifyCa }: AskedAgent,
  path: string,
  body: object | undefined,
  signal: AbortSignal,
  time: number,
): Promise<AgentResponse> {
  // Concatenated like in Ironic, also if the URL ends with a slash.
  const url = URL.canParse(callbackUrl) ? new URL(`${callbackUrl}${path}`) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new AgentError('callback-unreachable', `its callback URL is invalid: ${urlProblem(callbackUrl)}`);
  /** The reason if the request fails at the current step. */
  let reached: CallbackReason = 'callback-unreachable';
  const connection = connect({
    connectTime: time,
    reached: (layer) =>
      (reached = url.protocol === 'https:' && layer === 'tcp' ? 'callback-tls' : 'callback-answer'),
    ...(verifyCa !== undefined && { tls: { ca: verifyCa } }),
  });
  try {
    const response = await connection.request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'user-agent': 'ironic-coreos',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
      signal,
    });
    const tooLarge = (): AgentError => new AgentError('callback-answer', 'its response is larger than 1 MiB');
    const bytes = await readAll(response.body, MAX_SIZE, tooLarge);
    return { status: response.statusCode, body: parseIfJson(bytes.toString('utf8')) };
  } catch (error) {
    if (error instanceof AgentError) throw error;
    const problem = signal.aborted ? `no response within ${time / 1000} seconds` : failureOf(error)?.problem;
    throw (
      certificateError(error, verifyCa) ??
      new AgentError(reached, problem ?? 'the connection failed', { cause: error })
    );
  } finally {
    await connection.close();
  }
}

/** Why a text is not a valid HTTP URL. */
function urlProblem(callbackUrl: string): string {
  const [, host, port] =
    /^https?:\/\/(?:[^/?#]*@)?(\[[^/?#\]]*\]|[^/?#:]*)(?::([^/?#]*))?/i.exec(callbackUrl) ?? [];
  if (host === undefined) return 'it is not an HTTP URL';
  if (host === '') return 'it has no host';
  if (/^\[.*%.*\]$/.test(host)) return `its address ${host} has a zone, which other machines cannot use`;
  return URL.canParse(`http://${host}`) ? `its port ${port ?? ''} is invalid` : `its host ${host} is invalid`;
}

/**
 * A JSON object; other JSON values count as an empty object.
 * @throws AgentError
 */
export function readReply({ body }: AgentResponse): Mapping {
  if (body !== undefined) return asMapping(body);
  throw new AgentError('callback-answer', 'its response is not JSON');
}

export function statusError({ status }: AgentResponse, path: string): AgentError {
  if (status === 401) return new AgentError('callback-answer', 'it does not accept the token of its lookup');
  return new AgentError('callback-answer', `it responds to ${path.split('?')[0]} with HTTP status ${status}`);
}

/** Why Node.js rejects the certificate of the server; undefined for another error. */
function certificateError(error: unknown, verifyCa: string | undefined): AgentError | undefined {
  const code = errorCode(error) ?? '';
  if (!/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|INVALID_CA|INVALID_PURPOSE)/.test(code))
    return undefined;
  if (verifyCa === undefined)
    return new AgentError(
      'callback-untrusted',
      `its heartbeat contained no certificate, and this system does not trust the one of the agent (${code})`,
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new AgentError('callback-name', 'its certificate is for another address');
  // OpenSSL also reports the time of the certificate of another machine.
  const now = new Date();
  const dates = datesProblem(verifyCa, now);
  return dates === undefined
    ? new AgentError('callback-other-certificate', 'its certificate is not the one in its heartbeat')
    : new AgentError('callback-clock', `${dates}; the current time is ${now.toISOString()}`);
}

/** Undefined for a certificate that is valid now, and for any other text, which clients can send. */
function datesProblem(pem: string, now: Date): string | undefined {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    if (now > new Date(validTo)) return `its certificate expired at ${validTo}`;
    return now < new Date(validFrom) ? `its certificate is valid from ${validFrom}` : undefined;
  } catch {
    return undefined;
  }
}
