/**
 * Keeps faults on the sockets of undici inside the transfer that they belong to. undici's parser throws an assertion out of
 * a socket event, where no caller can catch it, when a server closes a connection while the parser is paused because the
 * reader is busy (https://github.com/nodejs/undici/issues/5360, fixed in undici 8 only, which needs Node 22). So the
 * parser is resumed before it learns of the end, when no more bytes can come.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { type Dispatcher, errors } from 'undici';

type Controller = Dispatcher.DispatchController;

/** The request that is using a socket, or was the last to do so. */
const users = new WeakMap<Socket, Controller>();

let starting: Controller | undefined;

/** Guards the socket that undici names immediately after this call, before other code runs. */
export function guardNextSocket(controller: Controller): void {
  starting = controller;
}

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
