/**
 * Requests to the API server: at a pace, with the token as it is now, each given up when nobody wants its answer. What the
 * API server has refused because it had too much to do is sent again when it wants that; all else is up to the caller.
 */

import type { RawResponse } from '../../io/http/httpExchange.ts';
import {
  type ApiError,
  describeBreak,
  describeRefusal,
  givenUp,
  readJson,
  type Operation,
} from './apiError.ts';
import { type Clock, pause, systemClock } from '../../io/clock.ts';
import type { ClusterConfig } from './clusterConfig.ts';
import type { ApiTimeouts, ClusterConnection, SentRequest } from './clusterConnection.ts';
import { createPace, type Pace, type TakeTurn } from './requestPace.ts';

export interface ApiRequest {
  readonly operation: Operation;
  readonly method: SentRequest['method'];
  /** With its query. */
  readonly path: string;
  /** What is wanted of the answer. Default: `application/json`. */
  readonly accept?: string | undefined;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** To be sent as JSON. */
  readonly body?: unknown;
  readonly isWatch?: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface RequestSettings {
  /** Default: 20 a second, 40 at once. */
  readonly pace?: Pace | undefined;
  readonly timeouts?: ApiTimeouts | undefined;
  readonly clock?: Clock | undefined;
  /** Takes a line for each request. */
  readonly note?: ((text: string) => void) | undefined;
}

const DEFAULT_PACE: Pace = { perSecond: 20, burst: 40 };
const DEFAULT_TIMEOUTS: ApiTimeouts = { connect: 10_000, answer: 30_000, watch: 180_000 };
/** Of an answer that is no success. */
const MAX_ERROR_BYTES = 256 * 1024;
/** Of one request, after refusals. */
const MAX_ATTEMPTS = 5;
/** Milliseconds: whoever is to wait longer is told so instead. */
const LONGEST_WAIT = 30_000;

export class ApiRequests {
  readonly #config: ClusterConfig;
  readonly #settings: RequestSettings;
  readonly #clock: Clock;
  readonly #takeTurn: TakeTurn;
  readonly #open = new Set<AbortController>();
  #connection: Promise<ClusterConnection> | undefined;
  #isClosed = false;

  constructor(config: ClusterConfig, settings: RequestSettings) {
    this.#config = config;
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    this.#takeTurn = createPace(settings.pace ?? DEFAULT_PACE, this.#clock);
  }

  /** The answer as JSON. @throws ApiError */
  async ask(request: ApiRequest, maxBytes: number): Promise<unknown> {
    return readJson(this.stream(request), request.operation, maxBytes);
  }

  /** The body as it comes; leaving early ends the connection. @throws ApiError */
  async *stream(request: ApiRequest): AsyncGenerator<Uint8Array, void> {
    const { operation } = request;
    const { signal, release } = this.#holdOpen(request);
    try {
      const { body } = await this.#send(request, signal);
      yield* body;
    } catch (error) {
      throw signal.aborted ? givenUp(operation) : describeBreak(error, operation);
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#open) controller.abort();
    await (await this.#connection)?.close();
  }

  /**
   * A signal that comes when the caller's does, or the client is closed. By hand: in Node 20 what `AbortSignal.any` makes
   * stays in memory as long as the signals that it is made of.
   */
  #holdOpen({ signal }: ApiRequest): { readonly signal: AbortSignal; readonly release: () => void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (this.#isClosed || signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort);
    this.#open.add(controller);
    return {
      signal: controller.signal,
      release: () => {
        signal?.removeEventListener('abort', abort);
        this.#open.delete(controller);
      },
    };
  }

  /** Resolves with an answer that is a success. */
  async #send(request: ApiRequest, signal: AbortSignal): Promise<RawResponse> {
    for (let attempt = 1; ; attempt++) {
      await this.#takeTurn(signal);
      if (signal.aborted) throw givenUp(request.operation);
      const token = await this.#config.readToken();
      const response = await this.#sendOnce({ ...request, token }, signal);
      if (response.statusCode < 300) return response;
      const refusal = await readRefusal(response, request.operation, token);
      if (!isWorthWaiting(refusal) || attempt === MAX_ATTEMPTS) throw refusal;
      await pause(this.#clock, refusal.retryAfter, signal);
    }
  }

  async #sendOnce(
    request: ApiRequest & { readonly token: string | undefined },
    signal: AbortSignal,
  ): Promise<RawResponse> {
    const { accept = 'application/json', body, contentType = 'application/json', token } = request;
    const connection = await (this.#connection ??= this.#connect());
    const response = await connection.request(request.path, {
      method: request.method,
      headers: {
        accept,
        'user-agent': 'ironic-coreos',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': contentType }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      isWatch: request.isWatch === true,
    });
    this.#settings.note?.(`${request.operation}: ${response.statusCode}`);
    return response;
  }

  async #connect(): Promise<ClusterConnection> {
    const { openClusterConnection } = await import('./clusterConnection.ts');
    return openClusterConnection(this.#config, this.#settings.timeouts ?? DEFAULT_TIMEOUTS);
  }
}

/** What cannot be read is passed over: the status says enough. */
async function readRefusal(
  { statusCode: status, headers, body }: RawResponse,
  operation: Operation,
  secret: string | undefined,
): Promise<ApiError> {
  const retryAfter = headers['retry-after'];
  const said = await readJson(body, operation, MAX_ERROR_BYTES).catch(() => undefined);
  return describeRefusal({
    operation,
    status,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    body: said,
    secret,
  });
}

/** The API server says when only where it has not even looked at the request. */
function isWorthWaiting({ status, retryAfter }: ApiError): boolean {
  return (status === 429 || status === 503) && retryAfter > 0 && retryAfter <= LONGEST_WAIT;
}
