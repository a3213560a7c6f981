/**
 * Processes requests one after the other on each connection: a client that pipelines a thousand requests must not start a
 * thousand answers at the same time.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The shutdown state of the service; its values change. */
export interface Situation {
  /** The service is stopping: running requests are finished, then connections are closed. */
  readonly isDraining: boolean;
  /** The grace period is over: connections are closed. */
  readonly isAborting: boolean;
}

/** Answers one request, also an invalid one. Never rejects. */
export type Answerer = (
  request: IncomingMessage,
  response: ServerResponse,
  situation: Situation,
) => Promise<void>;

export interface Exchanges {
  readonly situation: { isDraining: boolean; isAborting: boolean };
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a request is running on this connection. */
  isBusy(socket: Socket): boolean;
  /** The number of running requests. */
  running(): number;
  /** Resolves when no request is running. */
  whenIdle(): Promise<void>;
}

/** The maximum number of pipelined requests per connection. Normal clients send one request at a time. */
const MAX_WAITING = 16;

export function createExchanges(answer: Answerer): Exchanges {
  const situation = { isDraining: false, isAborting: false };
  const queues = new WeakMap<Socket, Queue>();
  const busy = new Set<Socket>();
  const listeners = new Set<() => void>();

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    if (socket.destroyed || socket.writableEnded) return;
    busy.add(socket);
    const closed = new Promise((resolve) => void response.once('close', resolve));
    response.on('error', ignore); // `close` follows
    if (situation.isDraining) response.shouldKeepAlive = false;
    await answer(request, response, situation).catch(() => socket.destroy());
    await closed;
    busy.delete(socket);
    if (situation.isDraining) socket.destroySoon();
    if (busy.size > 0) return;
    for (const listener of listeners) listener();
    listeners.clear();
  };

  return {
    situation,
    take: (request, response) => {
      const { socket } = request;
      const queue = queues.get(socket) ?? { length: 0, end: Promise.resolve() };
      queues.set(socket, queue);
      if (queue.length > MAX_WAITING) {
        socket.destroy();
        return;
      }
      queue.length += 1;
      queue.end = queue.end
        .then(() => exchange(request, response))
        .finally(() => {
          queue.length -= 1;
        });
    },
    isBusy: (socket) => busy.has(socket),
    running: () => busy.size,
    whenIdle: () =>
      busy.size === 0 ? Promise.resolve() : new Promise((resolve) => void listeners.add(() => resolve())),
  };
}

interface Queue {
  length: number;
  /** Settles when the last request is answered. */
  end: Promise<void>;
}

function ignore(): void {}
