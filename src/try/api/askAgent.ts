/**
 * Asks an agent back at its callback URL, as Ironic does before it gives it work. The URL comes from a stranger: time and
 * size are bounded, no redirect is followed, no proxy is used, and nothing but its status and its commands is read.
 */

import { X509Certificate } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { CliError } from '../../core/errors.ts';
import type { CallbackReason } from '../timeline/events.ts';
import { errorCode } from '../../io/files/fileErrors.ts';
import { readAll } from '../../io/files/files.ts';

/** Why there is no answer of an agent, as a clause; it holds neither token nor URL. */
export class AgentError extends CliError {
  readonly reason: CallbackReason;

  constructor(reason: CallbackReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, { ...options, code: 'ERR_MACHINE' });
    this.reason = reason;
  }
}

interface AskedAgent {
  readonly callbackUrl: string;
  /** PEM of what its certificate is verified by; undefined for the authorities of the system. */
  readonly verifyCa: string | undefined;
  /** Without it the agent tells no commands. */
  readonly token: string | undefined;
  readonly signal?: AbortSignal;
}

export interface AgentReply {
  readonly version: string | undefined;
  /** Names, with their status: `clean.get_clean_steps: SUCCEEDED`. */
  readonly commands: readonly string[];
}

/** Milliseconds, of both questions together. */
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

/** What a failure means: how far it has come by then. Changes as it goes on. */
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
      () => new AgentError('answer', 'it answers with more than 1 MiB'),
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
  // As Ironic puts them together, whatever the URL ends in.
  const url = URL.canParse(callbackUrl) ? new URL(`${callbackUrl}${path}`) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new AgentError('unreachable', 'its callback URL is none');
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

/** To which a request may be written: the certificate of the other end is verified. */
async function openSocket(
  { hostname, port, protocol }: URL,
  { signal, verifyCa }: Asking,
  progress: Progress,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
  const socket = connect(place);
  const give = (): void => void socket.destroy(new Error('given up'));
  signal.addEventListener('abort', give, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', give));
  if (signal.aborted) give();
  await happens(socket, 'connect');
  if (protocol === 'http:') return socket;
  progress.reached = 'tls';
  // Verified below, where what is wrong with the certificate can be seen; nothing is sent before.
  const secure = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: false,
    ...(verifyCa !== undefined && { ca: verifyCa }),
  });
  await happens(secure, 'secureConnect');
  const problem = certificateProblem(secure, verifyCa);
  if (problem === undefined) return secure;
  secure.destroy();
  throw problem;
}

function happens(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject); // for good, as an error that nobody takes ends the program
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
      `its heartbeat named no certificate, and this system does not trust the one that it has (${code})`,
    );
  }
  if (!isNamedBy(certificate, verifyCa)) {
    return new AgentError('certificate-other', 'its certificate is not the one that its heartbeat named');
  }
  const { validFrom, validTo } = certificate;
  const now = new Date().toISOString();
  switch (code) {
    case 'CERT_NOT_YET_VALID':
      return new AgentError(
        'certificate-time',
        `its certificate is valid from ${validFrom}; now it is ${now}`,
      );
    case 'CERT_HAS_EXPIRED':
      return new AgentError(
        'certificate-time',
        `its certificate was valid until ${validTo}; now it is ${now}`,
      );
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return new AgentError('certificate-name', 'its certificate is for another address');
    default:
      return new AgentError('certificate-untrusted', `its certificate is rejected (${code})`);
  }
}

/** Certificates of a heartbeat that are looked at; an agent names one. */
const MAX_NAMED = 16;

/** Whether it is one of these, or was issued by one of them. */
function isNamedBy(certificate: X509Certificate, pem: string): boolean {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return texts.slice(0, MAX_NAMED).some((text) => {
    try {
      const named = new X509Certificate(text);
      return named.raw.equals(certificate.raw) || certificate.verify(named.publicKey);
    } catch {
      return false; // what a caller sends may be anything
    }
  });
}

function statusError(status: number, path: string): AgentError {
  if (status === 401) {
    return new AgentError('answer', 'it does not take the token that it was given at its lookup');
  }
  return new AgentError('answer', `it answers ${path.split('?')[0]} with ${status}`);
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `it does not answer within ${TIME / 1000} seconds`;
  if (error instanceof SyntaxError) return 'it answers with something else than JSON';
  const code = errorCode(error) ?? '';
  const known = problems.find(({ codes }) => codes.test(code));
  return known?.problem ?? `it cannot be reached${code === '' ? '' : ` (${code})`}`;
}

const problems: readonly { readonly codes: RegExp; readonly problem: string }[] = [
  { codes: /^ECONNREFUSED$/, problem: 'nothing listens there' },
  { codes: /^E(?:HOST|NET)UNREACH$/, problem: 'there is no way to it from here' },
  { codes: /^ETIMEDOUT$/, problem: 'it does not answer' },
  { codes: /^(?:ENOTFOUND|EAI_AGAIN)$/, problem: 'no such host is known here' },
  { codes: /^(?:ECONNRESET|EPIPE)$/, problem: 'it broke the connection off' },
  { codes: /^(?:EPROTO|ERR_SSL_)/, problem: 'it does not speak TLS' },
  { codes: /^HPE_/, problem: 'it does not speak HTTP' },
];
