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

export interface ApiRequests {
  /** The answer as JSON. @throws ApiError */
  ask(request: ApiRequest, maxBytes: number): Promise<unknown>;
  /** The body as it comes; leaving early ends the connection. @throws ApiError */
  stream(request: ApiRequest): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
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

interface State {
  readonly config: ClusterConfig;
  readonly settings: RequestSettings;
  readonly clock: Clock;
  readonly takeTurn: TakeTurn;
  readonly open: Set<AbortController>;
  connection: Promise<ClusterConnection> | undefined;
  isClosed: boolean;
}

export function createApiRequests(config: ClusterConfig, settings: RequestSettings): ApiRequests {
  const clock = settings.clock ?? systemClock;
  const state: State = {
    config,
    settings,
    clock,
    takeTurn: createPace(settings.pace ?? DEFAULT_PACE, clock),
    open: new Set(),
    connection: undefined,
    isClosed: false,
  };
  return {
    ask: async (request, maxBytes) =>
      whileWanted(state, request, async (signal) => {
        const { body } = await send(state, request, signal);
        return readJson(body, request.operation, maxBytes);
      }),
    stream: (request) => stream(state, request),
    close: async () => {
      state.isClosed = true;
      for (const controller of state.open) controller.abort();
      await (await state.connection)?.close();
    },
  };
}

/** Runs with a signal that comes when the caller's does, or the client is closed. */
async function whileWanted<T>(
  state: State,
  request: ApiRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, release } = holdOpen(state, request);
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? givenUp(request.operation) : describeBreak(error, request.operation);
  } finally {
    release();
  }
}

async function* stream(state: State, request: ApiRequest): AsyncGenerator<Uint8Array, void> {
  const { signal, release } = holdOpen(state, request);
  try {
    const { body } = await send(state, request, signal);
    yield* body;
  } catch (error) {
    throw signal.aborted ? givenUp(request.operation) : describeBreak(error, request.operation);
  } finally {
    release();
  }
}

interface Hold {
  readonly signal: AbortSignal;
  readonly release: () => void;
}

/** By hand: in Node 20 what `AbortSignal.any` makes stays in memory as long as the signals that it is made of. */
function holdOpen({ open, isClosed }: State, { signal }: ApiRequest): Hold {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (isClosed || signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  open.add(controller);
  return {
    signal: controller.signal,
    release: () => {
      signal?.removeEventListener('abort', abort);
      open.delete(controller);
    },
  };
}

/** Resolves with an answer that is a success. */
async function send(state: State, request: ApiRequest, signal: AbortSignal): Promise<RawResponse> {
  for (let attempt = 1; ; attempt++) {
    await state.takeTurn(signal);
    if (signal.aborted) throw givenUp(request.operation);
    const token = await state.config.readToken();
    const response = await sendOnce(state, { ...request, token }, signal);
    if (response.statusCode < 300) return response;
    const refusal = await readRefusal(response, request.operation, token);
    if (!isWorthWaiting(refusal) || attempt === MAX_ATTEMPTS) throw refusal;
    await pause(state.clock, refusal.retryAfter, signal);
  }
}

async function sendOnce(
  state: State,
  request: ApiRequest & { readonly token: string | undefined },
  signal: AbortSignal,
): Promise<RawResponse> {
  const { settings } = state;
  const { token, accept = 'application/json', contentType = 'application/json' } = request;
  const connection = await (state.connection ??= connect(state));
  const response = await connection.request(request.path, {
    method: request.method,
    headers: {
      accept,
      'user-agent': 'ironic-coreos',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(request.body !== undefined && { 'content-type': contentType }),
    },
    body: request.body === undefined ? undefined : JSON.stringify(request.body),
    signal,
    isWatch: request.isWatch === true,
  });
  settings.note?.(`${request.operation}: ${response.statusCode}`);
  return response;
}

async function connect({ config, settings }: State): Promise<ClusterConnection> {
  const { openClusterConnection } = await import('./clusterConnection.ts');
  return openClusterConnection(config, settings.timeouts ?? DEFAULT_TIMEOUTS);
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
