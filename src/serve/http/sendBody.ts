/** The body of an answer: from the bytes of a resource into the connection, as fast as the client takes them. */

import type { ServerResponse } from 'node:http';
import type { ByteRange } from '../../image/overlay.ts';
import type { BodyPart } from '../answer/answer.ts';
import type { ResourceBytes } from '../answer/resource.ts';
import type { ChunkMemory } from './chunkMemory.ts';
import { type ChunkPace, createChunkPace } from './chunkPace.ts';
import { type ClientConnection, watchClient } from './clientConnection.ts';
import { lentChunks } from './lentChunks.ts';

export interface Sending {
  /** Has its status and its headers, among them `Content-Length`. */
  readonly response: ServerResponse;
  /** Whoever opened it closes it: nothing reads from it any more when `sendBody` has ended in whatever way. */
  readonly source: Pick<ResourceBytes, 'readInto'>;
  readonly parts: readonly BodyPart[];
  readonly memory: ChunkMemory;
  /** Is told each stretch of the resource that the kernel has taken. */
  readonly sent: (range: ByteRange) => void;
  /**
   * Milliseconds without progress, after which the client is cut off. The kernel tells of progress only when a third of its
   * buffer has become free, which may be more than 1 MiB: with less than a minute, clients are cut off that are only slow.
   */
  readonly idleTimeout: number;
}

/**
 * Resolves when the kernel has the whole response.
 * @throws ClientGone, and whatever reading throws. The connection is closed then, as the client counts on more bytes;
 *   only if no header has been sent (`headersSent`) another answer can be given.
 */
export async function sendBody(sending: Sending): Promise<void> {
  const { response, parts } = sending;
  const client = watchClient(response, sending.idleTimeout);
  const transfer = { ...sending, client, pace: createChunkPace() };
  try {
    await client.turn();
    for (const part of parts) {
      if (part.kind === 'text') await client.write(part.bytes);
      else await sendRange(transfer, part.range);
    }
    await client.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  } finally {
    client.release();
  }
}

interface Transfer extends Sending {
  readonly client: ClientConnection;
  readonly pace: ChunkPace;
}

async function sendRange(transfer: Transfer, wanted: ByteRange): Promise<void> {
  const { client, pace, sent } = transfer;
  for await (const { bytes, range } of lentChunks(transfer, wanted)) {
    const start = performance.now();
    await client.write(bytes);
    pace.took(performance.now() - start, bytes.length);
    sent(range);
  }
}
