/**
 * HTTP for downloads, by undici: proxies of the environment, redirects, TLS that is always verified, and errors that say
 * whether trying again may help. Trying again is in `retries.ts`, and resuming in `downloadPartial.ts`, as that has to
 * work in the next run, too. Credentials of URLs go to the host that they are for, never to another one, and never into a
 * message.
 */

import { Agent, type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { CliError, type ErrorDetails, UsageError } from '../errors.ts';
import { errorCode } from './fileErrors.ts';
import { parseSource } from './http.ts';
import type { Io } from './io.ts';

export interface HttpClient {
  /** @throws TransferError for answers that are no success, and where there is none */
  get(url: URL, options?: GetOptions): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer whose body has not been read yet. */
export interface HttpAnswer {
  readonly status: 200 | 206 | 416;
  /** By names in small letters; of repeated ones the first. */
  readonly headers: ReadonlyMap<string, string>;
  /** What was asked for, and where that led to. */
  readonly urls: readonly URL[];
  /** In order; throws TransferError. Leaving early ends the connection. */
  readonly parts: AsyncIterable<Uint8Array>;
}

interface TransferDetails extends ErrorDetails {
  readonly isPassing?: boolean;
  readonly status?: number;
  readonly wait?: number;
}

/** A transfer failed. */
export class TransferError extends CliError {
  /** Whether it may go better in a while. */
  readonly isPassing: boolean;
  /** What the server answered, if it did. */
  readonly status: number | undefined;
  /** Milliseconds that the server wants us to wait. */
  readonly wait: number;

  constructor(message: string, { isPassing = false, status, wait = 0, ...details }: TransferDetails = {}) {
    super(message, details);
    this.isPassing = isPassing;
    this.status = status;
    this.wait = wait;
  }
}

/** Milliseconds. */
export interface HttpTimeouts {
  readonly connect: number;
  /** Without an answer, or between two parts of one. */
  readonly silence: number;
}

const defaultTimeouts: HttpTimeouts = { connect: 30_000, silence: 60_000 };
const MAX_REDIRECTS = 10;

/** Answers after which coreos-installer tries again, too. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** @throws UsageError where the environment names a proxy that is no URL */
export function createHttpClient({ env }: Pick<Io, 'env'>, timeouts = defaultTimeouts): HttpClient {
  const { dispatcher, close } = createDispatcher(env, timeouts);
  return {
    get: async (url, options = {}) => {
      const { name, url: plainUrl, headers } = parseSource(url.href, timeouts.silence);
      const circumstances = { name, signal: options.signal };
      try {
        const response = await request(plainUrl, {
          dispatcher,
          headers: { ...headers, 'user-agent': 'ironic-coreos', ...options.headers },
          signal: options.signal,
          headersTimeout: timeouts.silence,
          bodyTimeout: timeouts.silence,
        });
        return describeAnswer(response, plainUrl, circumstances);
      } catch (error) {
        throw describeFailure(error, circumstances);
      }
    },
    close,
  };
}

/** The whole body. */
export async function readAnswer({ parts }: HttpAnswer, name: string, maxBytes: number): Promise<Uint8Array> {
  const body: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > maxBytes) throw new CliError(`${name} is too large: more than ${maxBytes} bytes`);
    body.push(part);
  }
  return Buffer.concat(body);
}

/** A URL as it may be shown: without user, password and query. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

interface Connections {
  readonly dispatcher: Dispatcher;
  readonly close: () => Promise<void>;
}

/**
 * undici takes the proxy for http:// also for https:// where that has none, which no other program does; so each has its
 * own agent.
 */
function createDispatcher(env: Io['env'], { connect }: HttpTimeouts): Connections {
  const shared = { connect: { timeout: connect }, proxyTunnel: false };
  const noProxy = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  const allProxy = env['all_proxy'] ?? env['ALL_PROXY'];
  const httpProxy = checkProxy(env['http_proxy'] ?? env['HTTP_PROXY'] ?? allProxy);
  const httpsProxy = checkProxy(env['https_proxy'] ?? env['HTTPS_PROXY'] ?? allProxy);
  const plain = new EnvHttpProxyAgent({ ...shared, httpProxy, httpsProxy: '', noProxy });
  const secure = new EnvHttpProxyAgent({ ...shared, httpProxy: '', httpsProxy, noProxy });
  const dispatcher = new Agent().compose(
    () => (options, handler) =>
      (String(options.origin).startsWith('https:') ? secure : plain).dispatch(options, handler),
    interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
  );
  return { dispatcher, close: async () => void (await Promise.all([plain.destroy(), secure.destroy()])) };
}

/** Empty stands for none. */
function checkProxy(proxy: string | undefined): string {
  if (proxy === undefined || proxy === '') return '';
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (URL.canParse(url) && /^(?:https?|socks5?):/i.test(url)) return url;
  throw new UsageError('The environment names a proxy that is no URL', {
    hint: 'write http_proxy and https_proxy like http://192.0.2.1:3128',
  });
}

interface Circumstances {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

function describeAnswer(
  { statusCode, headers, body, context }: Dispatcher.ResponseData,
  url: URL,
  circumstances: Circumstances,
): HttpAnswer {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) names.set(name, first);
  }
  if (statusCode !== 200 && statusCode !== 206 && statusCode !== 416) {
    body.on('error', () => undefined).destroy();
    throw refusal(statusCode, names, circumstances.name);
  }
  return {
    status: statusCode,
    headers: names,
    urls: [url, ...historyOf(context)],
    parts: readParts(body, circumstances),
  };
}

/** The URLs that redirects led to, by undici's redirect interceptor. */
function historyOf(context: object): readonly URL[] {
  const history: unknown = 'history' in context ? context.history : [];
  return Array.isArray(history) ? history.filter((entry) => entry instanceof URL) : [];
}

async function* readParts(
  body: AsyncIterable<unknown>,
  circumstances: Circumstances,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const part of body) if (part instanceof Uint8Array) yield part;
  } catch (error) {
    throw describeFailure(error, circumstances);
  }
}

function refusal(status: number, headers: ReadonlyMap<string, string>, name: string): TransferError {
  const hints: Readonly<Record<number, string>> = {
    401: 'the server wants a user name and a password: https://USER:PASSWORD@…',
    403: 'the server does not let you read it',
    404: 'check the stream, or the URL',
    407: 'the proxy wants a user name and a password: http://USER:PASSWORD@…',
  };
  return new TransferError(`${name} cannot be fetched: the server answers with ${status}`, {
    hint: hints[status] ?? 'try again later, or with --fetch-retries',
    isPassing: PASSING_STATUSES.has(status),
    status,
    wait: secondsOf(headers.get('retry-after')) * 1000,
  });
}

/** Only seconds: the other form, a date, is rare, and the clocks may differ. */
function secondsOf(retryAfter: string | undefined): number {
  return /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
}

function describeFailure(error: unknown, { name, signal }: Circumstances): unknown {
  if (error instanceof CliError) return error;
  if (signal?.aborted === true) return new TransferError(`${name} was not fetched`, { cause: error });
  const code = errorCode(error);
  const { problem, hint, isPassing } = problems.find(({ codes }) => codes.test(code ?? '')) ?? {
    problem: code ?? (error instanceof Error ? error.message : 'the connection failed'),
    hint: 'check the URL and the network',
    isPassing: code !== undefined,
  };
  return new TransferError(`${name} cannot be fetched: ${problem}`, { hint, isPassing, cause: error });
}

interface NetworkProblem {
  readonly codes: RegExp;
  readonly problem: string;
  readonly hint: string;
  readonly isPassing: boolean;
}

const problems: readonly NetworkProblem[] = [
  {
    codes: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    problem: 'no such host is known',
    hint: 'check the name of the server, and the proxy',
    isPassing: true,
  },
  {
    codes: /^ECONNREFUSED$/,
    problem: 'nothing listens there',
    hint: 'check the address and the port, and the proxy',
    isPassing: true,
  },
  {
    codes: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    problem: 'the connection broke off',
    hint: 'run the command again: it goes on where it broke off',
    isPassing: true,
  },
  {
    codes: /^(?:E(?:HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    problem: 'the server does not answer',
    hint: 'check the network, or run the command again: it goes on where it broke off',
    isPassing: true,
  },
  {
    codes: /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO|UND_ERR_PRX_TLS/,
    problem: 'its TLS certificate is not trusted',
    hint: 'name the authority in NODE_EXTRA_CA_CERTS',
    isPassing: false,
  },
  {
    codes: /^UND_ERR_INVALID_ARG$/,
    problem: 'the server redirects in a circle, or to what is no http:// or https:// URL',
    hint: 'check the URL',
    isPassing: false,
  },
  {
    codes: /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_EXCEEDED_MAX_SIZE|ABORTED)$/,
    problem: 'the server, or a proxy before it, does not speak HTTP',
    hint: 'check the URL',
    isPassing: false,
  },
];
