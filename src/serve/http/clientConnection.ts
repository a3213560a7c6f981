/** The client of one response: hands it bytes one after the other, and notices that it went away or takes nothing. */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../io/clock.ts';
import { transportOf } from './connections.ts';

/** The client did not get all of the body; nothing is wrong with the service. */
export class ClientGone extends Error {
  /** `cut off`: it took nothing for too long. */
  readonly reason: 'client gone' | 'cut off';

  constructor(reason: ClientGone['reason']) {
    super(reason === 'cut off' ? 'the client took nothing for too long' : 'the client closed the connection');
    this.name = new.target.name;
    this.reason = reason;
  }
}

/** Its promises are rejected with `ClientGone`, and one at a time is to be waited for. */
export interface ClientConnection {
  /** Resolves when this response is the one that is sent: after those that the client asked for before. */
  turn(): Promise<void>;
  /** Resolves when the kernel has all of the bytes; until then, or the rejection, they must stay what they are. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the response; resolves when the kernel has all of it. */
  end(): Promise<void>;
  /** Ends the watch over the client. */
  release(): void;
}

/** Milliseconds between two looks at the progress of a client: it is cut off at most two of them late. */
const LOOK_INTERVAL = 250;

/**
 * The timer of a socket would not do: with a large write under way, Node lets it run a second time.
 * @param idleTimeout milliseconds without progress, after which the connection is cut
 */
export function watchClient(
  response: ServerResponse,
  idleTimeout: number,
  clock: Clock = systemClock,
): ClientConnection {
  const { socket } = response.req; // the response itself has none before its turn
  let gone = socket.destroyed || response.destroyed ? new ClientGone('client gone') : undefined;
  let cutOff = false;
  let giveUp: ((error: ClientGone) => void) | undefined;

  const onClose = (): void => {
    gone ??= new ClientGone(cutOff ? 'cut off' : 'client gone');
    giveUp?.(gone);
  };
  let progress = { since: 0, unsent: 0 };
  const look = (): void => {
    callOff = clock.after(Math.min(LOOK_INTERVAL, idleTimeout / 4), look);
    if (giveUp === undefined) return; // it is us that the client waits for
    const unsent = unsentBytes(socket);
    if (unsent !== progress.unsent) progress = { since: clock.now(), unsent };
    if (clock.now() - progress.since < idleTimeout) return;
    cutOff = true;
    socket.destroy();
  };
  /** Waits for `start` to call back, but no longer than there is a connection: without one it may never do so. */
  const whileConnected = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      giveUp = reject;
      progress = { since: clock.now(), unsent: 0 };
      start((error) => {
        const isDone = error === undefined || error === null;
        if (isDone && !cutOff) resolve(); // a connection that closes rejects; Node 20 knows no error when it is cut
      });
    }).finally(() => {
      giveUp = undefined;
    });

  socket.setMaxListeners(0); // a client may ask for any number of responses before it takes the first one
  socket.on('close', onClose);
  response.setTimeout(0); // the one of the server
  let callOff = clock.after(0, look);
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
      callOff();
    },
  };
}

/**
 * Bytes that wait for the kernel: with TLS, those of the connection below, as only that goes on in the middle of a write.
 * Node tells it by properties that are not documented; without them, only the end of a write is progress.
 */
function unsentBytes(socket: Socket): number {
  const transport = transportOf(socket);
  const handle: unknown = transport && Reflect.get(transport, '_handle');
  const size: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : undefined;
  return typeof size === 'number' ? size : 0;
}
