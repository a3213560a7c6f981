/** The body of an answer: from the bytes of a resource into the connection, as fast as the client takes them. */

import type { ServerResponse } from 'node:http';
import type { ByteRange, ImageBytes } from '../../image/overlay.ts';
import { BLOCK, type Block, type BlockPool } from './blockPool.ts';
import { type ClientConnection, watchClient } from './clientConnection.ts';
import { awaitTurn } from './loopTurn.ts';

export interface Sending {
  /** Has its status and its headers, among them `Content-Length`. */
  readonly response: ServerResponse;
  /** The caller closes it. After `sendBody` has ended, nothing reads from it. */
  readonly source: ImageBytes;
  readonly range: ByteRange;
  readonly blocks: BlockPool;
  /** Called for each range of the resource that the kernel has accepted. */
  readonly sent: (range: ByteRange) => void;
}

/**
 * Resolves when the kernel has the whole response.
 * @throws ClientGone, and whatever reading throws. The connection is closed then, as the client counts on more bytes;
 *   only if no header has been sent (`headersSent`) another answer can be given.
 */
export async function sendBody(sending: Sending): Promise<void> {
  const { response } = sending;
  const client = watchClient(response);
  try {
    await client.turn();
    await sendRange(sending, client);
    await client.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    client.release();
  }
}

/** A client that is not known to be fast gets 32 KiB at a time: it must not keep blocks from others. */
async function sendRange(sending: Sending, client: ClientConnection): Promise<void> {
  const { source, blocks, sent } = sending;
  const { length, offset } = sending.range;
  const end = offset + length;
  const small = blocks.borrowSmall();
  const lent: Block[] = []; // the one that is sent, and the next one
  let takenFast = 0;
  try {
    for (let position = offset; position < end;) {
      const isFast = takenFast >= KERNEL_BUFFERS;
      const block = lent[0] ?? (isFast ? blocks.borrow(source, position) : undefined);
      if (block !== undefined) lent[0] = block;
      const bytes = block?.bytes.subarray(position % BLOCK) ?? small;
      const piece = bytes.subarray(0, end - position);
      await (block?.filled ?? source.readInto(piece, position));
      const next = position + piece.length;
      // Read while the client takes this piece.
      const ahead = isFast && next < end ? blocks.borrowAhead(source, next) : undefined;
      if (ahead !== undefined) lent.push(ahead);
      await awaitTurn(piece.length);
      const began = performance.now();
      await client.write(piece);
      takenFast = performance.now() - began < FAST ? takenFast + piece.length : 0;
      sent({ offset: position, length: piece.length });
      position = next;
      if (block !== undefined) await lent.shift()?.giveBack();
    }
  } finally {
    await Promise.all(lent.map((block) => block.giveBack()));
    blocks.giveBackSmall(small);
  }
}

/**
 * Milliseconds in which a fast client takes a block. Of 64 clients that share a link of 10 Gbit/s, each takes 1 MiB in about
 * 60 ms; on a busy machine, it takes some times longer. Small pieces take twice as much of the processor as blocks.
 */
const FAST = 250;
/**
 * Bytes that a client takes without a slow write before it gets blocks. From a client that reads nothing, Linux takes 4.1 MiB
 * (`tcp_wmem` and the first window); from one that reads slowly, fewer at a time.
 */
const KERNEL_BUFFERS = 5 * 1024 * 1024;
