/**
 * Gives memory back at once. The garbage collector lets 30 to 60 MiB of bytes from sockets come together before it looks
 * at them, which is most of what a transfer takes.
 */

import { MessageChannel } from 'node:worker_threads';

/**
 * Frees the memory of `bytes`, which nobody may use any more. Where they share it with others, as the small ones of Node's
 * pool do, it stays.
 */
export function freeMemory({ buffer, length }: Uint8Array): void {
  if (!(buffer instanceof ArrayBuffer) || length === 0 || length < buffer.byteLength) return;
  if ('transfer' in buffer && typeof buffer.transfer === 'function') buffer.transfer(0);
  else nobody().postMessage(undefined, [buffer]);
}

let port: MessageChannel['port1'] | undefined;

/** For Node 20: what is handed to somebody who has gone is gone, too. */
function nobody(): MessageChannel['port1'] {
  if (port === undefined) {
    port = new MessageChannel().port1;
    port.close();
  }
  return port;
}
