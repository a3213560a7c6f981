/**
 * Contacts an agent at its callback URL, as Ironic does before it sends commands. Any client can send a URL, so time and size
 * are limited, redirects and proxies are not used, and only the status and the commands of the agent are read.
 */

import { X509Certificate } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import type { CallbackReason } from '../timeline/events.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { readAll } from '../../io/files/files.ts';

/** Why an agent did not answer, as a clause without token and URL. */
export class AgentError extends CliError {
  readonly reason: CallbackReason;

  constructor(reason: CallbackReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: 'ERR_MACHINE' });
    this.reason = reason;
  }
}

interface AskedAgent {
  readonly callbackUrl: string;
  /** PEM to verify its certificate; undefined for the certificate authorities of the system. */
  readonly verifyCa: string | undefined;
  /** Required to list the commands of the agent. */
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

export interface AgentReply {
  readonly version: string | undefined;
  /** Names with their status: `clean.get_clean_steps: SUCCEEDED`. */
  readonly commands: readonly string[];
}

/** Milliseconds for both requests together. */
const TIME = 5000;
const MAX_SIZE = 1024 * 1024;

/** @throws AgentError */
export async function askAgent(agent: AskedAgent): Promise<AgentReply> {
  const signals = agent.signal === undefined ? [] : [agent.signal];
  const asking = { ...agent, signal: AbortSignal.any([AbortSignal.timeout(TIME), ...signals]) };
  const status = await ask(asking, '/v1/status');
  const query = agent.token === undefined ? '' : `?agent_token=${encodeURIComponent(agent.token)}`;
  const { commands } = await ask(asking, `/v1/commands/${query}`);
  const { version } = status;
  return {
    version: typeof version === 'string' ? version : undefined,
    commands: Array.isArray(commands) ? commands.slice(0, MAX_COMMANDS).map(describeCommand) : [],
  };
}

const MAX_COMMANDS = 100;

function describeCommand(command: unknown): string {
  const { command_name: name, command_status: status } = asObject(command);
  return `${String(name).slice(0, 80)}: ${String(status).slice(0, 20)}`;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

interface Asking extends AskedAgent {
  readonly signal: AbortSignal;
}

/** The reason if the request fails at the current step. Mutable. */
interface Progress {
  reached: Extract<CallbackReason, 'unreachable' | 'tls' | 'answer'>;
}

async function ask(agent: Asking, path: string): Promise<Readonly<Record<string, unknown>>> {
  const progress: Progress = { reached: 'unreachable' };
  try {
    const answer = await send(agent, path, progress);
    const body = await readAll(
      answer,
      MAX_SIZE,
      () => new AgentError('answer', 'its response is larger than 1 MiB'),
    );
    if (answer.statusCode !== 200) throw statusError(answer.statusCode ?? 0, path);
    const value: unknown = JSON.parse(body.toString('utf8'));
    return asObject(value);
  } catch (error) {
    if (error instanceof AgentError) throw error;
    throw new AgentError(progress.reached, describeFailure(error, agent.signal), { cause: error });
  }
}

async function send(agent: Asking, path: string, progress: Progress): Promise<IncomingMessage> {
  const { callbackUrl, signal } = agent;
  // Concatenated like in Ironic, also if the URL ends with a slash.
  const url = URL.canParse(callbackUrl) ? new URL(`${callbackUrl}${path}`) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AgentError('unreachable', 'its callback URL is invalid');
  }
  const socket = await openSocket(url, agent, progress);
  progress.reached = 'answer';
  return new Promise((resolve, reject) => {
    const headers = { Accept: 'application/json', 'User-Agent': 'ironic-coreos', Host: url.host };
    const target = `${url.pathname}${url.search}`;
    request({ createConnection: () => socket, signal, path: target, headers })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** Opens a connection and verifies the certificate of the server. */
async function openSocket(
  { hostname, port, protocol }: URL,
  { signal, verifyCa }: Asking,
  progress: Progress,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const socket = connect(target);
  const cancel = (): void => void socket.destroy(new Error('canceled'));
  signal.addEventListener('abort', cancel, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', cancel));
  if (signal.aborted) cancel();
  await waitFor(socket, 'connect');
  if (protocol === 'http:') return socket;
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
  const now = new Date().toISOString();
  switch (code) {
    case 'CERT_NOT_YET_VALID':
      return new AgentError(
        'certificate-time',
        `its certificate is valid from ${validFrom}; the current time is ${now}`,
      );
    case 'CERT_HAS_EXPIRED':
      return new AgentError(
        'certificate-time',
        `its certificate expired at ${validTo}; the current time is ${now}`,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return new AgentError('certificate-name', 'its certificate is for another address');
    default:
      return new AgentError('certificate-untrusted', `its certificate is rejected (${code})`);
  }
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

function statusError(status: number, path: string): AgentError {
  if (status === 401) {
    return new AgentError('answer', 'it does not accept the token of its lookup');
  }
  return new AgentError('answer', `it responds to ${path.split('?')[0]} with HTTP status ${status}`);
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `no response within ${TIME / 1000} seconds`;
  if (error instanceof SyntaxError) return 'its response is not JSON';
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
