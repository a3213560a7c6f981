/**
 * HTTP requests to an agent at its callback URL. Any client can send a URL, so time and size are limited, redirects and
 * proxies are not used, and no data is sent before the certificate of the agent is verified.
 */

import { X509Certificate } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { CliError } from '../../../core/errors.ts';
import { asMapping, type Mapping } from '../../../formats/mapping.ts';
import { portOf, urlHost } from '../../../formats/url.ts';
import type { CallbackReason } from '../timeline/events.ts';
import { limitTime } from '../../../io/clock.ts';
import { errorCode } from '../../../io/files/fileErrors.ts';
import { readAll } from '../../../io/files/files.ts';

/** Why an agent did not answer, as a clause without token and URL. */
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

/** Requests with a common time limit. */
export interface AgentConnection extends AskedAgent {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly time: number;
}

/** @param time milliseconds for all requests of `ask` together */
export async function askWithin<Reply>(
  agent: AskedAgent,
  time: number,
  ask: (connection: AgentConnection) => Promise<Reply>,
): Promise<Reply> {
  const { signal, release } = limitTime(time, { signal: agent.signal });
  try {
    return await ask({ ...agent, time, signal });
  } finally {
    release();
  }
}

export interface AgentResponse {
  readonly status: number;
  readonly text: string;
}

const MAX_SIZE = 1024 * 1024;

/** The reason if the request fails at the current step. Mutable. */
interface Progress {
  reached: Extract<CallbackReason, 'unreachable' | 'tls' | 'answer'>;
}

/**
 * @param path with its query
 * @param body sent with POST, as JSON; undefined for GET
 * @throws AgentError
 */
export async function requestAgent(
  agent: AgentConnection,
  path: string,
  body?: object,
): Promise<AgentResponse> {
  const progress: Progress = { reached: 'unreachable' };
  try {
    const answer = await send(agent, path, body, progress);
    const tooLarge = (): AgentError => new AgentError('answer', 'its response is larger than 1 MiB');
    const bytes = await readAll(answer, MAX_SIZE, tooLarge);
    return { status: answer.statusCode ?? 0, text: bytes.toString('utf8') };
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError(progress.reached, describeFailure(error, agent), { cause: error });
  }
}

/**
 * A JSON object; other JSON values count as an empty object.
 * @throws AgentError
 */
export function parseAnswer({ text }: AgentResponse): Mapping {
  try {
    return asMapping(JSON.parse(text));
  } catch (error) {
    throw new AgentError('answer', 'its response is not JSON', { cause: error });
  }
}

/** For a response with an unexpected status. */
export function statusError({ status }: AgentResponse, path: string): AgentError {
  if (status === 401) return new AgentError('answer', 'it does not accept the token of its lookup');
  return new AgentError('answer', `it responds to ${path.split('?')[0]} with HTTP status ${status}`);
}

async function send(
  agent: AgentConnection,
  path: string,
  body: object | undefined,
  progress: Progress,
): Promise<IncomingMessage> {
  const { callbackUrl, signal } = agent;
  // Concatenated like in Ironic, also if the URL ends with a slash.
  const url = URL.canParse(callbackUrl) ? new URL(`${callbackUrl}${path}`) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AgentError('unreachable', 'its callback URL is invalid');
  }
  const socket = await openSocket(url, agent, progress);
  progress.reached = 'answer';
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Accept: 'application/json',
    'User-Agent': 'ironic-coreos',
    Host: url.host,
    ...(text !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    }),
  };
  const method = text === undefined ? 'GET' : 'POST';
  const target = `${url.pathname}${url.search}`;
  return new Promise((resolve, reject) => {
    request({ createConnection: () => socket, signal, method, path: target, headers })
      .on('response', resolve)
      .on('error', reject)
      .end(text);
  });
}

/** Opens a connection and verifies the certificate of the server. */
async function openSocket(
  url: URL,
  { signal, verifyCa }: AgentConnection,
  progress: Progress,
): Promise<Socket> {
  const host = urlHost(url);
  const socket = connect({ host, port: portOf(url) });
  const cancel = (): void => void socket.destroy(new Error('canceled'));
  signal.addEventListener('abort', cancel, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', cancel));
  if (signal.aborted) cancel();
  await waitFor(socket, 'connect');
  if (url.protocol === 'http:') return socket;
  progress.reached = 'tls';
  // The certificate is verified below, to get the exact error; no data is sent before.
  const secure = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: false,
    ...(verifyCa !== undefined && { ca: verifyCa }),
  });
  await waitFor(secure, 'secureConnect');
  const problem = certificateProblem(secure, verifyCa);
  if (problem === undefined) return secure;
  secure.destroy();
  throw problem;
}

function waitFor(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject); // never removed, because an unhandled error ends the program
    socket.once('close', () => reject(new Error('closed')));
    socket.once(event, () => resolve());
  });
}

function certificateProblem(socket: TLSSocket, verifyCa: string | undefined): AgentError | undefined {
  if (socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  const certificate = socket.getPeerX509Certificate();
  if (verifyCa === undefined || certificate === undefined) {
    return new AgentError(
      'certificate-untrusted',
      `its heartbeat contained no certificate, and this system does not trust the one of the agent (${code})`,
    );
  }
  if (!matchesPem(certificate, verifyCa)) {
    return new AgentError('certificate-other', 'its certificate is not the one in its heartbeat');
  }
  const { validFrom, validTo } = certificate;
  const now = `the current time is ${new Date().toISOString()}`;
  const known: Readonly<Record<string, readonly [reason: CallbackReason, problem: string]>> = {
    CERT_NOT_YET_VALID: ['certificate-time', `its certificate is valid from ${validFrom}; ${now}`],
    CERT_HAS_EXPIRED: ['certificate-time', `its certificate expired at ${validTo}; ${now}`],
    ERR_TLS_CERT_ALTNAME_INVALID: ['certificate-name', 'its certificate is for another address'],
  };
  const [reason, problem] = known[code] ?? ['certificate-untrusted', `its certificate is rejected (${code})`];
  return new AgentError(reason, problem);
}

/** Maximum number of certificates in a heartbeat; an agent sends one. */
const MAX_CERTIFICATES = 16;

/** Whether the certificate is in the PEM, or was issued by one of its certificates. */
function matchesPem(certificate: X509Certificate, pem: string): boolean {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return texts.slice(0, MAX_CERTIFICATES).some((text) => {
    try {
      const known = new X509Certificate(text);
      return known.raw.equals(certificate.raw) || certificate.verify(known.publicKey);
    } catch {
      return false; // clients can send invalid certificates
    }
  });
}

function describeFailure(error: unknown, { signal, time }: AgentConnection): string {
  if (signal.aborted) return `no response within ${time / 1000} seconds`;
  const code = errorCode(error) ?? '';
  const known = problems.find(({ codes }) => codes.test(code));
  return known?.problem ?? `unreachable${code === '' ? '' : ` (${code})`}`;
}

const problems: readonly { readonly codes: RegExp; readonly problem: string }[] = [
  { codes: /^ECONNREFUSED$/, problem: 'connection refused' },
  { codes: /^E(?:HOST|NET)UNREACH$/, problem: 'no route to host' },
  { codes: /^ETIMEDOUT$/, problem: 'connection timed out' },
  { codes: /^(?:ENOTFOUND|EAI_AGAIN)$/, problem: 'host name not found' },
  { codes: /^(?:ECONNRESET|EPIPE)$/, problem: 'connection reset' },
  { codes: /^(?:EPROTO|ERR_SSL_)/, problem: 'not a TLS server' },
  { codes: /^HPE_/, problem: 'not an HTTP server' },
];
