/**
 * Requests and their answers, by undici: connections with proxies, redirects, timeouts, and TLS that is always verified. Of
 * a body little more than one part is in memory: while that has not been read, nothing more is taken from the socket. Loaded
 * on demand.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { Agent, type Dispatcher, EnvHttpProxyAgent, errors, interceptors } from 'undici';
import type { HttpProxies } from './httpUrl.ts';

/** @internal The types of the package do not need those of undici. */
type ExchangeOptions = Dispatcher.DispatchOptions & { readonly signal: AbortSignal | undefined };

/** The head of an answer, and its body, which has not been read yet. */
export interface RawResponse {
  readonly statusCode: number;
  /** By names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The URLs that undici's redirect interceptor requested, in order; empty without it. */
  readonly history: readonly URL[];
  readonly body: AnswerBody;
}

/** Is read once, or dismissed. Leaving early ends the connection. Throws errors of undici and of the system. */
interface AnswerBody extends AsyncIterable<Uint8Array> {
  /** Ends the connection. */
  dismiss(): void;
}

/** Waiting bytes that pause the connection; a part has up to 64 KiB. */
const MAX_WAITING = 32 * 1024;

/**
 * @throws errors of undici and of the system
 * @internal
 */
export function exchange(
  dispatcher: Dispatcher,
  { signal, ...options }: ExchangeOptions,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(resolve, (error) => {
      signal?.removeEventListener('abort', abort);
      if (error !== undefined) reject(error);
    });
    const abort = (): void => handler.dismiss(signal?.reason);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
    else dispatcher.dispatch(options, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler, AnswerBody {
  readonly #answered: (answer: RawResponse) => void;
  readonly #ended: (error: Error | undefined) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #context: unknown;
  readonly #parts: Uint8Array[] = [];
  /** Bytes of these parts. */
  #waiting = 0;
  #end: 'complete' | Error | undefined;
  #wake = (): void => undefined;

  constructor(answered: (answer: RawResponse) => void, ended: (error: Error | undefined) => void) {
    this.#answered = answered;
    this.#ended = ended;
  }

  /** Again for each redirect. */
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (this.#end instanceof Error) return controller.abort(this.#end);
    this.#controller = controller;
    this.#context = context;
    // Guards the socket of the request: undici names the socket immediately after this method, before other code runs.
    starting = controller;
  }

  onResponseStart(_: unknown, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.#answered({ statusCode, headers, history: historyOf(this.#context), body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, part: Uint8Array): void {
    this.#parts.push(part);
    this.#waiting += part.length;
    if (this.#waiting >= MAX_WAITING) controller.pause();
    this.#wake();
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    controller.resume(); // the connection may be used again
    this.#finish('complete');
  }

  onResponseError(_: unknown, error: Error): void {
    this.#finish(error);
  }

  dismiss(reason?: unknown): void {
    if (this.#end !== undefined) return;
    const error = reason instanceof Error ? reason : new errors.RequestAbortedError();
    this.#parts.length = 0;
    this.#finish(error);
    this.#controller?.abort(error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const part = this.#parts.shift();
        if (part !== undefined) {
          this.#waiting -= part.length;
          yield part;
        } else if (this.#end instanceof Error) throw this.#end;
        else if (this.#end === 'complete') return;
        else await this.#more();
      }
    } finally {
      this.dismiss();
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#controller?.resume();
    });
  }

  #finish(end: 'complete' | Error): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#wake();
    this.#ended(end === 'complete' ? undefined : end);
  }
}

function historyOf(context: unknown): readonly URL[] {
  const isFilled = typeof context === 'object' && context !== null && 'history' in context;
  const history: unknown = isFilled ? context.history : [];
  return Array.isArray(history) ? history.filter((entry) => entry instanceof URL) : [];
}

/**
 * Keeps faults on the sockets of undici inside the transfer that they belong to. undici's parser throws an assertion out of
 * a socket event, where no caller can catch it, when a server closes a connection while the parser is paused because the
 * reader is busy (https://github.com/nodejs/undici/issues/5360, fixed in undici 8 only, which needs Node 22). So the
 * parser is resumed before it learns of the end, when no more bytes can come. Loaded on demand.
 */

type Controller = Dispatcher.DispatchController;

/** The request that is using a socket, or was the last to do so. */
const users = new WeakMap<Socket, Controller>();

let starting: Controller | undefined;

subscribe('undici:client:sendHeaders', (message) => {
  const controller = starting;
  starting = undefined;
  if (controller === undefined || controller.aborted) return; // a request of others, as of fetch()
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  if (!users.has(socket)) guard(socket);
  users.set(socket, controller);
});

function guard(socket: Socket): void {
  const emitter: EventEmitter = socket;
  const emit = emitter.emit.bind(emitter);
  const isPaused = (): boolean => users.get(socket)?.paused === true;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      if (event === 'end') users.get(socket)?.resume();
      // After ECONNRESET undici asks the parser whether the body is complete, which a paused one cannot say.
      if (event === 'error' && isPaused()) return emit(event, socketError(values[0]));
      return emit(event, ...values);
    } catch (error) {
      const fault = socketError(error);
      users.get(socket)?.abort(fault);
      if (event === 'close') closeAgain(fault);
      else socket.destroy(fault);
      return true;
    }
  };
  /** What undici has not learned of a socket that closed, later requests would wait for. */
  const closeAgain = (fault: Error): void => {
    try {
      emit('error', fault);
      emit('close', true);
    } catch {
      // The transfer has failed already.
    }
  };
}

/** As for every other connection that breaks off. */
function socketError(cause?: unknown): Error {
  return Object.assign(new errors.SocketError('the connection was interrupted'), { cause });
}

/** Milliseconds. */
export interface HttpTimeouts {
  readonly connect: number;
  /** Without an answer, or between two parts of one. While the reader is busy no time passes. */
  readonly silence: number;
}

export interface HttpConnections {
  /** @throws errors of undici and of the system */
  request(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<RawResponse>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 10;

/**
 * undici takes the proxy for http:// also for https:// where that has none, which no other program does; so each has its
 * own agent.
 */
export function openConnections(
  { http, https, except: noProxy }: HttpProxies,
  { connect: timeout, silence }: HttpTimeouts,
): HttpConnections {
  const shared = { connect: { timeout, highWaterMark: 1 }, proxyTunnel: false, noProxy };
  const plain = new EnvHttpProxyAgent({ ...shared, httpProxy: http, httpsProxy: '' });
  const secure = new EnvHttpProxyAgent({ ...shared, httpProxy: '', httpsProxy: https });
  const dispatcher = new Agent().compose(
    () => (options, handler) =>
      (String(options.origin).startsWith('https:') ? secure : plain).dispatch(options, handler),
    interceptors.redirect({ maxRedirections: MAX_REDIRECTS }),
  );
  const limits = { headersTimeout: silence, bodyTimeout: silence };
  return {
    request: ({ origin, pathname, search }, headers, signal) => {
      const path = `${pathname}${search}`;
      return exchange(dispatcher, { ...limits, method: 'GET', origin, path, headers, signal });
    },
    close: async () => void (await Promise.all([plain.destroy(), secure.destroy()])),
  };
}

export interface DirectSettings {
  /** `https://192.0.2.10` */
  readonly origin: string;
  /** CA certificates in PEM; undefined for those of Node.js. */
  readonly ca: string | undefined;
  /** Whether to accept any certificate. */
  readonly isInsecure: boolean;
}

interface DirectRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: none. */
  readonly body: string | null;
}

export interface DirectConnection {
  /** The caller limits the time of the whole exchange. @throws errors of undici and of the system */
  request(sent: DirectRequest, signal: AbortSignal): Promise<RawResponse>;
  close(): Promise<void>;
}

/**
 * A connection to a BMC. Redirects are not followed, and proxies are not used.
 * @param timeout milliseconds to connect
 */
export function openDirectConnection(
  { ca, isInsecure, origin }: DirectSettings,
  timeout: number,
): DirectConnection {
  const connect = { timeout, rejectUnauthorized: !isInsecure, ...(ca !== undefined && { ca }) };
  // BMCs have few connections, and answer one request at a time.
  const agent = new Agent({ connect, connections: 1, pipelining: 1 });
  return {
    request: (sent, signal) =>
      exchange(agent, { ...sent, headersTimeout: 0, bodyTimeout: 0, signal, origin }),
    close: () => agent.destroy(),
  };
}
