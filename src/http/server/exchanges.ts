/**
 * Processes requests one after the other on each connection: a client that pipelines a thousand requests must not start a
 * thousand answers at the same time.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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

export interface Exchanges {
  readonly context: { isDraining: boolean; isAborting: boolean };
  /** The connections with a running request. */
  readonly busy: ReadonlySet<Socket>;
  readonly take: RequestListener;
  /** Resolves when no request is running. */
  whenIdle(): Promise<void>;
}

/** The requests of one connection that are not answered yet. */
interface Queue {
  length: number;
  /** Settles when the last request is answered. */
  end: Promise<void>;
}

/** Waiting requests of a connection after which no more are read. Those that have arrived with them wait, too. */
const MAX_WAITING = 16;

/**
 * As Node does for a socket that is full, with the same undocumented property: without it, Node resumes a paused socket with the
 * next request that has arrived.
 */
function pauseReading(socket: Socket): void {
  Object.assign(socket, { _paused: true });
  socket.pause();
}

export function createExchanges(answer: Answerer): Exchanges {
  const context = { isDraining: false, isAborting: false };
  const queues = new Map<Socket, Queue>();
  const busy = new Set<Socket>();

  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    if (socket.destroyed || socket.writableEnded) return;
    busy.add(socket);
    const closed = new Promise((resolve) => void response.once('close', resolve));
    response.on('error', () => undefined); // `close` follows
    if (context.isDraining) response.shouldKeepAlive = false;
    await answer(request, response, context).catch(() => socket.destroy());
    await closed;
    busy.delete(socket);
    if (context.isDraining) socket.destroySoon();
  };

  return {
    context,
    busy,
    take: (request, response) => {
      const { socket } = request;
      const queue = queues.get(socket) ?? { length: 0, end: Promise.resolve() };
      queues.set(socket, queue);
      queue.length += 1;
      if (queue.length > MAX_WAITING) pauseReading(socket);
      queue.end = queue.end.then(async () => {
        await exchange(request, response);
        queue.length -= 1;
        if (queue.length === MAX_WAITING) socket.emit('drain'); // Node reads on if the socket is not full
        if (queue.length === 0) queues.delete(socket);
      });
    },
    whenIdle: async () => {
      while (queues.size > 0) await Promise.all([...queues.values()].map(({ end }) => end));
    },
  };
}
