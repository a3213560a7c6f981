/**
 * Asks an agent back at its callback URL, as Ironic does before it gives it work. The URL comes from a stranger: time and
 * size are bounded, no redirect is followed, no proxy is used, and nothing but its status and its commands is read.
 */

import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { CliError } from '../errors.ts';
import { errorCode } from './fileErrors.ts';

export interface AskedAgent {
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

/** @throws CliError why there is no answer of an agent, as a clause; it holds neither token nor URL */
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

async function ask(
  agent: AskedAgent & { readonly signal: AbortSignal },
  path: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const answer = await send(agent, path);
    const body = await readBody(answer);
    if (answer.statusCode !== 200) throw statusError(answer.statusCode ?? 0, path);
    const value: unknown = JSON.parse(body.toString('utf8'));
    return asObject(value);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(describeFailure(error, agent.signal), { cause: error });
  }
}

function send(
  { callbackUrl, verifyCa, signal }: AskedAgent & { readonly signal: AbortSignal },
  path: string,
): Promise<IncomingMessage> {
  // As Ironic puts them together, whatever the URL ends in.
  const url = URL.canParse(callbackUrl) ? new URL(`${callbackUrl}${path}`) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new CliError('its callback URL is none');
  const options: RequestOptions = {
    signal,
    agent: false,
    headers: { Accept: 'application/json', 'User-Agent': 'ironic-coreos' },
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, ...(verifyCa === undefined ? {} : { ca: verifyCa }) })
        : requestHttp(url, options);
    request.on('response', resolve).on('error', reject).end();
  });
}

async function readBody(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > MAX_SIZE) throw new CliError('it answers with more than 1 MiB');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function statusError(status: number, path: string): CliError {
  if (status === 401) return new CliError('it does not take the token that it was given at its lookup');
  return new CliError(`it answers ${path.split('?')[0]} with ${status}`);
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
  { codes: /^CERT_NOT_YET_VALID$/, problem: 'its certificate is not yet valid: the clocks differ' },
  { codes: /^CERT_HAS_EXPIRED$/, problem: 'its certificate has expired: the clocks differ' },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, problem: 'its certificate is for another address' },
  { codes: /CERT|SIGNATURE|ISSUER/, problem: 'its certificate is not the one that its heartbeat named' },
  { codes: /^(?:EPROTO|ERR_SSL_)/, problem: 'it does not speak TLS' },
  { codes: /^HPE_/, problem: 'it does not speak HTTP' },
];
