/**
 * Requests to the API server, with a rate limit, the current token, and an abort signal. The caller handles errors; those of an
 * overloaded API server have the time that it names.
 */

import { createMasker, secretsInUrls } from '../core/knownSecrets.ts';
import { connect } from '../http/client/connect.ts';
import type { HttpConnection, RawResponse, SentRequest } from '../http/client/connection.ts';
import { systemClock } from '../io/clock.ts';
import { abortedError, type ApiError, describeBreak, describeRefusal, readJson } from './apiError.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import { createRateLimiter, type RateLimit, type WaitForTurn } from './rateLimit.ts';

export interface ApiRequest {
  /** For messages: `list secrets in metal3`. */
  readonly operation: string;
  readonly method: SentRequest['method'];
  /** Including the query. */
  readonly path: string;
  /** The accepted media type. Default: `application/json`. */
  readonly accept?: string | undefined;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** To be sent as JSON. */
  readonly body?: unknown;
  readonly isWatch?: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface RequestSettings {
  /** Default: no limit. */
  readonly pace?: RateLimit | undefined;
  readonly timeouts?: ApiTimeouts | undefined;
  /** Receives a line for each request. */
  readonly note?: ((text: string) => void) | undefined;
}

/** Milliseconds. */
interface ApiTimeouts {
  readonly connect: number;
  /** Until a response starts, and between two parts of a response. */
  readonly answer: number;
  /** Between two events or bookmarks of a watch; API servers send a bookmark each minute. */
  readonly watch: number;
}

const DEFAULT_TIMEOUTS: ApiTimeouts = { connect: 10_000, answer: 30_000, watch: 180_000 };
/** The size limit of an error response. */
const MAX_ERROR_BYTES = 256 * 1024;

export class ApiRequests {
  readonly #config: ClusterConfig;
  readonly #settings: RequestSettings;
  readonly #waitForTurn: WaitForTurn | undefined;
  readonly #connection: HttpConnection;
  #isClosed = false;

  constructor(config: ClusterConfig, settings: RequestSettings) {
    this.#config = config;
    this.#settings = settings;
    this.#connection = connectTo(config, this.#timeouts.connect);
    this.#waitForTurn = settings.pace && createRateLimiter(settings.pace, systemClock);
  }

  /** Returns the response as JSON. @throws ApiError */
  async ask(request: ApiRequest, maxBytes: number): Promise<unknown> {
    return readJson(this.stream(request), request.operation, maxBytes);
  }

  /** Streams the body. Ending the iteration early closes the connection. @throws ApiError */
  async *stream(request: ApiRequest): AsyncGenerator<Uint8Array, void> {
    const { operation, signal } = request;
    try {
      const { body } = await this.#send(request);
      yield* body;
    } catch (error) {
      const isGivenUp = this.#isClosed || signal?.aborted === true;
      throw isGivenUp ? abortedError(operation) : describeBreak(error, operation);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
  }

  /** Resolves with a successful response. */
  async #send(request: ApiRequest): Promise<RawResponse> {
    const { signal = new AbortController().signal } = request;
    await this.#waitForTurn?.(signal);
    if (this.#isClosed || signal.aborted) throw abortedError(request.operation);
    const token = await this.#config.readToken();
    const { accept = 'application/json', body, contentType = 'application/json', method } = request;
    const { answer, watch } = this.#timeouts;
    const headers = {
      accept,
      'user-agent': 'ironic-coreos',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': contentType }),
    };
    const response = await this.#connection.request(new URL(`${this.#config.server}${request.path}`), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      silence: { head: answer, body: request.isWatch === true ? watch : answer },
      signal,
    });
    this.#settings.note?.(`${request.operation}: ${response.statusCode}`);
    if (response.statusCode < 300) return response;
    throw await readRefusal(response, request, token);
  }

  get #timeouts(): ApiTimeouts {
    return this.#settings.timeouts ?? DEFAULT_TIMEOUTS;
  }
}

/** Milliseconds. API servers keep idle connections open for a few minutes, load balancers sometimes only for one. */
const KEEP_ALIVE = 50_000;

/** TLS is always verified; redirects are not followed. A plain-HTTP API server is on this machine, so it has no proxy. */
function connectTo({ proxies, server, serverName, tls }: ClusterConfig, connectTime: number): HttpConnection {
  return connect({
    connectTime,
    tls: { ...tls, ...(serverName !== undefined && { servername: serverName }) },
    keepAlive: KEEP_ALIVE,
    ...(server.startsWith('https:') && { proxies }),
  });
}

/** An unreadable body is ignored, as the status is sufficient. */
async function readRefusal(
  { statusCode: status, headers, body }: RawResponse,
  { body: sent, operation }: ApiRequest,
  token: string | undefined,
): Promise<ApiError> {
  const content = await readJson(body, operation, MAX_ERROR_BYTES).catch(() => undefined);
  const mask = createMasker([token ?? '', ...secretsInUrls(sent)]);
  return describeRefusal(operation, status, content, { retryAfter: headers['retry-after'], mask });
}
