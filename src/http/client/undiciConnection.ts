/**
 * Requests and their responses, by undici. Of a body little more than one part is in memory: while that has not been read,
 * nothing more is taken from the socket. Loaded on demand.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, interceptors } from 'undici';
import type { Endpoint, HttpConnection, RawResponse } from './connection.ts';
import { guardNextSocket } from './socketGuard.ts';

export function openConnection(endpoint: Endpoint): HttpConnection {
  const { connectTime: timeout, keepAlive, proxies, reached, redirects = 0, tls } = endpoint;
  const options = { rejectUnauthorized: true, ...tls, timeout, highWaterMark: 1 };
  const shared = {
    connect: reached === undefined ? options : createReporting(buildConnector(options), reached),
    ...(keepAlive !== undefined && { keepAliveTimeout: keepAlive }),
  };
  const direct = new Agent(shared);
  // undici takes the proxy for http:// also for https:// where that has none, which no other program does.
  const [plain, secure] = (['http', 'https'] as const).map((scheme) => {
    const { [scheme]: proxy = '', except: noProxy } = proxies ?? { except: '' };
    const only = { httpProxy: '', httpsProxy: '', [`${scheme}Proxy`]: proxy };
    const tunnel = { requestTls: options, proxyTunnel: false };
    return proxy === '' ? direct : new EnvHttpProxyAgent({ ...shared, ...tunnel, ...only, noProxy });
  });
  const dispatcher = direct.compose(
    () => (request, handler) =>
      ((String(request.origin).startsWith('https:') ? secure : plain) ?? direct).dispatch(request, handler),
    interceptors.redirect({ maxRedirections: redirects }),
  );
  return {
    request: ({ origin, pathname, search }, { silence, signal, body = null, ...sent }) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(resolve, (error) => {
          signal?.removeEventListener('abort', abort);
          if (error !== undefined) reject(error);
        });
        const abort = (): void => exchange.dismiss(signal?.reason);
        signal?.addEventListener('abort', abort);
        if (signal?.aborted === true) return abort();
        const path = `${pathname}${search}`;
        const limits = { headersTimeout: silence?.head ?? 0, bodyTimeout: silence?.body ?? 0 };
        dispatcher.dispatch({ ...sent, ...limits, origin, path, body }, exchange);
      }),
    close: async () => {
      for (const agent of new Set([direct, plain, secure])) await agent?.destroy();
    },
  };
}

/** The connector also calls `reached`. It returns its socket, which its type does not say. */
function createReporting(
  connector: buildConnector.connector,
  reached: NonNullable<Endpoint['reached']>,
): buildConnector.connector {
  return (options, callback) => {
    const socket: unknown = connector(options, callback);
    if (!(socket instanceof Socket)) return;
    socket.once('connect', () => reached('tcp'));
    socket.once('secureConnect', () => reached('tls'));
  };
}

/** Waiting bytes that pause the connection; a part has up to 64 KiB. */
const MAX_WAITING = 32 * 1024;

class Exchange implements Dispatcher.DispatchHandler {
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
    guardNextSocket(controller);
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
