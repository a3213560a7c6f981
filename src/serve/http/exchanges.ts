/**
 * Requests and their answers, one at a time on a connection: who sends a thousand requests at once must not make a
 * thousand answers begin, of which only the first can be sent.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What goes on with the service as a whole; its values change. */
export interface Situation {
  /** It ends: what runs is finished, connections are closed. */
  readonly isDraining: boolean;
  /** The time for that is over: connections are being cut. */
  readonly isCut: boolean;
}

/** Answers one request, whatever it is. Never rejects. */
export type Answerer = (
  request: IncomingMessage,
  response: ServerResponse,
  situation: Situation,
) => Promise<void>;

export interface Exchanges {
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Whether an answer is on its way there. */
  isBusy(socket: Socket): boolean;
  /** Answers on their way. */
  running(): number;
  /** Resolves as soon as there are none; at once, where there are none now. */
  whenIdle(): Promise<void>;
}

/** Requests on one connection that may wait for their turn. Programs send none before they have the answer. */
const MAX_WAITING = 16;

export function createExchanges(answer: Answerer, situation: Situation): Exchanges {
  const queues = new WeakMap<Socket, Queue>();
  const busy = new Set<Socket>();
  const listeners = new Set<() => void>();

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    if (socket.destroyed || socket.writableEnded) return;
    busy.add(socket);
    const closed = new Promise((resolve) => void response.once('close', resolve));
    response.on('error', ignore); // of the connection, which `close` tells as well
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
  /** Settles when the last one of it is answered. */
  end: Promise<void>;
}

function ignore(): void {}
