/**
 * HTTP as the readers of remote files need it: one request for all or a part of a file, the body in parts, and what goes
 * wrong in sentences. TLS is verified, redirects are followed. User names, passwords and queries of URLs are never shown.
 * Left out: proxies, and resuming what broke off.
 */

import { CliError, UsageError } from '../errors.ts';

/** What is asked for, and how. */
export interface Source {
  /** The URL as it may be shown. */
  readonly name: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds without an answer, or between two parts of one. */
  readonly timeout: number;
}

/** Milliseconds that a server may be silent. */
export const defaultTimeout = 30_000;

/** Whether the text is meant as a URL that can be fetched. */
export function isRemote(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** @throws UsageError for what is no URL */
export function parseSource(text: string, timeout: number): Source {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const login = url === undefined ? undefined : readLogin(url);
  if (url === undefined || login === undefined) {
    throw new UsageError('the URL cannot be read', {
      hint: 'write it like https://192.0.2.1/ironic-agent.ign, other characters as %XX',
    });
  }
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  return {
    name: `${url.origin}${url.pathname}`,
    url,
    // Compressed, ranges would count other bytes.
    headers: { 'accept-encoding': 'identity', ...(login === ':' ? {} : { authorization }) },
    timeout,
  };
}

/** `user:password`, which `fetch` does not take from the URL; undefined where its escapes are wrong. */
function readLogin({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

export interface Range {
  readonly start: number;
  /** The last byte, as in HTTP. */
  readonly end: number;
}

/** An answer whose body has not been read yet: either `parts` are taken, or it is dismissed by `cancel`. */
export interface Answer {
  readonly status: 200 | 206 | 416;
  /** Of 206: where the body starts. */
  readonly start: number;
  /** Bytes of the whole file; undefined where the server does not say. */
  readonly total: number | undefined;
  /** Another one stands for other contents. */
  readonly version: string | null;
  /** In order. Leaving early ends the connection. */
  readonly parts: AsyncIterable<Uint8Array>;
  cancel(): void;
}

/**
 * Asks for a part, or for all; without parts, servers send everything.
 * @throws CliError in the user's terms; taking the parts throws such errors, too
 */
export async function request(source: Source, range?: Range): Promise<Answer> {
  const { name, url } = source;
  const patience = createPatience(source);
  const headers = {
    ...source.headers,
    ...(range !== undefined && { range: `bytes=${range.start}-${range.end}` }),
  };
  const response = await patience.wait(() => fetch(url, { headers, signal: patience.signal }));
  const { status } = response;
  if (status !== 200 && status !== 206 && status !== 416) {
    patience.end();
    throw refusal(status, name);
  }
  return {
    status,
    ...sizesOf(status, response.headers),
    version: response.headers.get('etag') ?? response.headers.get('last-modified'),
    parts: readParts(response, patience),
    cancel: patience.end,
  };
}

/**
 * The whole body.
 * @throws CliError where it is larger than `maxBytes`
 */
export async function readBody({ parts }: Answer, name: string, maxBytes: number): Promise<Uint8Array> {
  const body: Uint8Array[] = [];
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    if (size > maxBytes) {
      throw new CliError(`${name} is too large: more than ${maxBytes} bytes`, {
        hint: 'download it first, and give the path of the file',
      });
    }
    body.push(part);
  }
  return Buffer.concat(body);
}

/** For an answer that does not belong to those before it. */
export function brokenAnswer(name: string, what = 'File'): CliError {
  return new CliError(`${what} changed while it was read, or the server answers wrongly: ${name}`, {
    hint: 'try again, or download it first',
  });
}

function sizesOf(status: number, headers: Headers): Pick<Answer, 'start' | 'total'> {
  if (status === 200) {
    const length = /^\d{1,15}$/.exec(headers.get('content-length') ?? '')?.[0];
    return { start: 0, total: length === undefined ? undefined : Number(length) };
  }
  const [, start = '0', total = '0'] =
    /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  return { start: Number(start), total: Number(total) };
}

/** How long a server may be silent. While nobody waits for it, as the reader is busy, no time passes. */
interface Patience {
  readonly signal: AbortSignal;
  wait<T>(step: () => Promise<T>): Promise<T>;
  readonly end: () => void;
}

function createPatience({ name, timeout }: Source): Patience {
  const abort = new AbortController();
  return {
    signal: abort.signal,
    wait: async (step) => {
      const timer = setTimeout(() => abort.abort(), timeout);
      try {
        return await step();
      } catch (error) {
        throw describeFailure(error, { name, isLate: abort.signal.aborted });
      } finally {
        clearTimeout(timer);
      }
    },
    end: () => abort.abort(),
  };
}

async function* readParts({ body }: Response, patience: Patience): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  try {
    for (;;) {
      const part = await patience.wait(async () => reader?.read());
      if (part === undefined || part.done) return;
      yield part.value;
    }
  } finally {
    patience.end();
  }
}

function refusal(status: number, name: string): CliError {
  const hints: Readonly<Record<number, string>> = {
    401: 'the server wants a user name and a password: https://USER:PASSWORD@…',
    403: 'the server does not let you read it',
    404: 'check the URL',
  };
  const hint = hints[status] ?? 'try again later, or look into the log of the server';
  return new CliError(`${name} cannot be read: the server answers with ${status}`, { hint });
}

interface Circumstances {
  readonly name: string;
  readonly isLate: boolean;
}

function describeFailure(error: unknown, { name, isLate }: Circumstances): unknown {
  if (error instanceof CliError) return error;
  if (isLate) {
    return new CliError(`${name} cannot be read: the server does not answer`, { hint: 'try again later' });
  }
  const code = codeOf(error);
  if (code === undefined) return error;
  const [problem, hint] = problems.find(([pattern]) => pattern.test(code))?.slice(1) ?? [];
  return new CliError(`${name} cannot be read: ${String(problem ?? code)}`, {
    hint: String(hint ?? 'check the URL and the network'),
    cause: error,
  });
}

/** `fetch` hides the error of the system in the cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause = error } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof TypeError ? 'the connection failed' : undefined;
}

const problems: readonly (readonly [code: RegExp, problem: string, hint: string])[] = [
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'no such host is known', 'check the name of the server'],
  [/^ECONNREFUSED$/, 'nothing listens there', 'check the address and the port'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection broke off', 'try again'],
  [
    /^(?:E(?:HOST|NET)UNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    'the host does not answer',
    'check the network',
  ],
  [
    /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO/,
    'its TLS certificate is not trusted',
    'name the authority in NODE_EXTRA_CA_CERTS, or download the file first',
  ],
];
