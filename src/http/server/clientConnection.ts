/** The client side of one response: writes the body and detects that the client disconnects or stops reading. */

import type { ServerResponse } from 'node:http';

/** The client did not receive the whole body; this is not an error of the service. */
export class ClientGone extends Error {
  /** `aborted`: the client read nothing for the idle time of the server. */
  readonly reason: 'client disconnected' | 'aborted';

  constructor(reason: ClientGone['reason']) {
    super(reason === 'aborted' ? 'the client read nothing for too long' : 'the client closed the connection');
    this.name = new.target.name;
    this.reason = reason;
  }
}

export type ClientConnection = Readonly<ReturnType<typeof watchClient>>;

/**
 * The promises reject with `ClientGone`. Callers must await one promise before they request the next one. The server limits the
 * time without progress (`server.timeout`).
 */
export function watchClient(response: ServerResponse) {
  const { socket } = response.req; // the response itself has none before its turn
  let gone = socket.destroyed || response.destroyed ? new ClientGone('client disconnected') : undefined;
  let isAborted = false;
  let giveUp: ((error: ClientGone) => void) | undefined;

  const onClose = (): void => {
    gone ??= new ClientGone(isAborted ? 'aborted' : 'client disconnected');
    giveUp?.(gone);
  };
  const onTimeout = (): void => {
    if (giveUp === undefined) return; // the client waits for the service
    isAborted = true;
    socket.destroy();
  };
  /** Waits until `start` calls back, or until the connection is closed, as Node may not call back then. */
  const whileConnected = async (start: (done: (error?: Error | null) => void) => void): Promise<void> => {
    if (gone !== undefined) throw gone;
    try {
      await new Promise<void>((resolve, reject) => {
        giveUp = reject;
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
  response.on('timeout', onTimeout);
  return {
    /** Resolves when the connection sends this response: after the responses to earlier requests. */
    turn: (): Promise<void> =>
      whileConnected((done) => {
        if (response.socket === null) response.once('socket', () => done());
        else done();
      }),
    /** Resolves when the kernel has accepted all bytes. The buffer must not change until the promise settles. */
    write: (bytes: Uint8Array): Promise<void> => whileConnected((done) => response.write(bytes, done)),
    /** Ends the response; resolves when the kernel has accepted all of it. */
    end: (): Promise<void> => whileConnected((done) => response.end(done)),
    release: (): void => {
      socket.off('close', onClose);
      response.off('timeout', onTimeout);
    },
  };
}
