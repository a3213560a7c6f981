/** The client side of one response: writes the body and detects that the client disconnects or stops reading. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../io/clock.ts';
import { transportOf } from './connections.ts';

/** The client did not receive the whole body; this is not an error of the service. */
export class ClientGone extends Error {
  /** `aborted`: the client read nothing for the idle timeout. */
  readonly reason: 'client disconnected' | 'aborted';

  constructor(reason: ClientGone['reason']) {
    super(reason === 'aborted' ? 'the client read nothing for too long' : 'the client closed the connection');
    this.name = new.target.name;
    this.reason = reason;
  }
}

/** The promises reject with `ClientGone`. Callers must await one promise before they request the next one. */
export interface ClientConnection {
  /** Resolves when the connection sends this response: after the responses to earlier requests. */
  turn(): Promise<void>;
  /** Resolves when the kernel has accepted all bytes. The buffer must not change until the promise settles. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the response; resolves when the kernel has accepted all of it. */
  end(): Promise<void>;
  /** Stops watching the client. */
  release(): void;
}

/** Milliseconds between two progress checks: a client is disconnected at most two intervals late. */
const CHECK_INTERVAL = 250;

/**
 * Does not use the timer of the socket: during a large write, Node restarts that timer once.
 * @param idleTimeout milliseconds without progress after which the connection is closed
 */
export function watchClient(
  response: ServerResponse,
  idleTimeout: number,
  clock: Clock = systemClock,
): ClientConnection {
  const { socket } = response.req; // the response itself has none before its turn
  let gone = socket.destroyed || response.destroyed ? new ClientGone('client disconnected') : undefined;
  let isAborted = false;
  let giveUp: ((error: ClientGone) => void) | undefined;

  const onClose = (): void => {
    gone ??= new ClientGone(isAborted ? 'aborted' : 'client disconnected');
    giveUp?.(gone);
  };
  let progress = { since: 0, unsent: 0 };
  const check = (): void => {
    cancel = clock.after(Math.min(CHECK_INTERVAL, idleTimeout / 4), check);
    if (giveUp === undefined) return; // the client waits for the service
    const unsent = unsentBytes(socket);
    if (unsent !== progress.unsent) progress = { since: clock.now(), unsent };
    if (clock.now() - progress.since < idleTimeout) return;
    isAborted = true;
    socket.destroy();
  };
  /** Waits until `start` calls back, or until the connection is closed, as Node may not call back then. */
  const whileConnected = async (start: (done: (error?: Error | null) => void) => void): Promise<void> => {
    if (gone !== undefined) throw gone;
    try {
      await new Promise<void>((resolve, reject) => {
        giveUp = reject;
        progress = { since: clock.now(), unsent: 0 };
        start((error) => {
          const isDone = error === undefined || error === null;
          if (isDone && !isAborted) resolve(); // otherwise `close` rejects; Node 20 reports no error after destroy()
        });
      });
    } finally {
      giveUp = undefined;
    }
  };

  socket.on('close', onClose);
  response.setTimeout(0); // disables the timer of the server
  let cancel = clock.after(0, check);
  return {
    turn: () =>
      whileConnected((done) => {
        if (response.socket === null) response.once('socket', () => done());
        else done();
      }),
    write: (bytes) => whileConnected((done) => response.write(bytes, done)),
    end: () => whileConnected((done) => response.end(done)),
    release: () => {
      socket.off('close', onClose);
      cancel();
    },
  };
}

/**
 * Bytes that the kernel has not yet accepted. With TLS, those of the TCP connection, as only its count changes during a write.
 * The properties are undocumented in Node; without them, only the end of a write counts as progress.
 */
function unsentBytes(socket: Socket): number {
  const transport = transportOf(socket);
  const handle: unknown = transport && Reflect.get(transport, '_handle');
  const size: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined;
  return typeof size === 'number' ? size : 0;
}
