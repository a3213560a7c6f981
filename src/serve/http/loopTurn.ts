/**
 * Limits what transfers write in one turn of the event loop. The kernel takes megabytes from each transfer at once, and bytes in
 * memory need no turn to be read: a thousand transfers would keep new requests waiting until their header timeout (status 408).
 */

/** Bytes of all transfers in one turn: about 10 ms of copying into the kernel. */
export const TURN = 16 * 1024 * 1024;

let written = 0;
let nextTurn: Promise<void> | undefined;

/** Resolves when the transfer may write `length` bytes; in a later turn if others have used up this one. */
export async function awaitTurn(length: number): Promise<void> {
  if (written >= TURN) {
    await nextTurn;
    return awaitTurn(length);
  }
  nextTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      written = 0;
      nextTurn = undefined;
      resolve();
    });
  });
  written += length;
}
