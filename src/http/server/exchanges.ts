/** The requests that are being answered, and what the end of the service means for them. */

import type { IncomingMessage, ServerResponse } from 'node:http';

/** The shutdown state of the service; its values change. */
export interface ExchangeContext {
  /** The service is stopping: running requests are finished, then connections are closed. */
  readonly isDraining: boolean;
  /** The grace period is over: connections are closed. */
  readonly isAborting: boolean;
}

/** Answers one request, also an invalid one. Never rejects. */
export type Answerer = (
  request: IncomingMessage,
  response: ServerResponse,
  context: ExchangeContext,
) => Promise<void>;

export type Exchanges = Readonly<ReturnType<typeof createExchanges>>;

export function createExchanges(answer: Answerer) {
  const context = { isDraining: false, isAborting: false };
  /** The responses that are not complete; each promise resolves when its request has been answered. Never rejects. */
  const running = new Map<ServerResponse, Promise<void>>();
  return {
    context,
    running,
    take: (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      if (socket.destroyed) return;
      response.on('error', () => undefined); // `close` follows
      const closed = new Promise<void>((resolve) => {
        // A pipelined response whose connection is closed has no `close` of its own.
        const end = (): void => {
          socket.off('close', end);
          resolve();
        };
        socket.setMaxListeners(0); // a client may pipeline any number of requests
        response.once('close', end);
        socket.on('close', end);
      });
      if (context.isDraining) response.shouldKeepAlive = false;
      const answered = answer(request, response, context)
        .catch(() => socket.destroy())
        .then(() => closed)
        .then(() => {
          running.delete(response);
          if (context.isDraining) socket.destroySoon();
        });
      running.set(response, answered);
    },
  };
}
