/** The client of one response: hands it bytes one after the other, and notices that it went away or takes nothing. */

import type { ServerResponse } from 'node:http';

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

/** @param idleTimeout milliseconds without progress, after which the connection is cut */
export function watchClient(response: ServerResponse, idleTimeout: number): ClientConnection {
  const { socket } = response.req; // the response itself has none before its turn
  let gone = socket.destroyed || response.destroyed ? new ClientGone('client gone') : undefined;
  let cutOff = false;
  let giveUp: ((error: ClientGone) => void) | undefined;

  const onClose = (): void => {
    gone ??= new ClientGone(cutOff ? 'cut off' : 'client gone');
    giveUp?.(gone);
  };
  const onTimeout = (): void => {
    if (giveUp === undefined) return; // it is us that the client waits for
    cutOff = true;
    socket.destroy();
  };
  /** Waits for `start` to call back, but no longer than there is a connection: without one it may never do so. */
  const whileConnected = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise<void>((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      giveUp = reject;
      start((error) => {
        if (error === undefined || error === null) resolve(); // an error closes the connection, which rejects
      });
    }).finally(() => {
      giveUp = undefined;
    });

  socket.setMaxListeners(0); // a client may ask for any number of responses before it takes the first one
  socket.on('close', onClose);
  // The timer of a socket starts anew whenever the kernel takes some of what is written, not only at the end of it.
  response.setTimeout(idleTimeout, onTimeout);
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
      response.off('timeout', onTimeout);
    },
  };
}
