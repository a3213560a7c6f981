/**
 * Limits what transfers write in one turn of the event loop. The kernel takes megabytes from each transfer at once, and bytes in
 * memory need no turn to be read: a thousand transfers would keep new requests waiting until their header timeout (status 408).
 */

/** Bytes of all transfers in one turn: about 10 ms of copying into the kernel. */
export const TURN = 16 * 1024 * 1024;

const turn: { written: number; next: Promise<void> | undefined } = { written: 0, next: undefined };

/** Resolves when the transfer may write `length` bytes; in a later turn if others have used up this one. */
export async function awaitTurn(length: number): Promise<void> {
  while (turn.written >= TURN) await turn.next;
  turn.next ??= new Promise((resolve) => {
    setImmediate(() => {
      turn.written = 0;
      turn.next = undefined;
      resolve();
    });
  });
  turn.written += length;
}
